// Preloaded into a JVM: allocations fail, but only those that the agent itself asks for.
//
//      LD_PRELOAD=libfailing_malloc.so FAIL_AT=n [FAIL_ONCE=1] [FAIL_COUNT=FILE] java -agentpath:...
//
// The agent's call number n (from 0) fails, and all after it unless FAIL_ONCE is set. Without FAIL_AT none does.
// How many calls there were is written to FAIL_COUNT at exit.

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);

static atomic_uintptr_t agent_start, agent_end; // where the agent's code lies; 0: not loaded yet
static atomic_long calls;

// Finds the agent among the libraries, once it is loaded.
static int find_agent(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "libinstr")) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
        agent_end = info->dlpi_addr + p->p_vaddr + p->p_memsz;
        agent_start = info->dlpi_addr + p->p_vaddr;
    }
    return 1;
}

void *dlopen(const char *name, int mode) {
    void *(*real)(const char *, int);
    *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    void *handle = real(name, mode);
    if (handle && !agent_start) dl_iterate_phdr(find_agent, NULL);
    return handle;
}

static int fails(void *caller) {
    uintptr_t at = (uintptr_t)caller;
    if (!agent_start || at < agent_start || at >= agent_end) return 0;
    long n = calls++;
    const char *text = getenv("FAIL_AT");
    if (!text) return 0;
    long first = strtol(text, NULL, 10);
    return getenv("FAIL_ONCE") ? n == first : n >= first;
}

void *malloc(size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

char *strdup(const char *text) {
    size_t n = strlen(text) + 1;
    char *made = fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
    return made ? memcpy(made, text, n) : NULL;
}

__attribute__((destructor)) static void tell(void) {
    const char *name = getenv("FAIL_COUNT");
    FILE *f = name ? fopen(name, "w") : NULL;
    if (!f) return;
    fprintf(f, "%ld\n", (long)calls);
    fclose(f);
}
