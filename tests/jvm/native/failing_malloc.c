// Preloaded into a JVM: allocations fail, or are counted, but only those that the agent itself asks
// for.
//
//      LD_PRELOAD=libfailing_malloc.so [FAIL_AT=n] [FAIL_ONCE=1] [FAIL_COUNT=FILE] [FAIL_LIVE=FILE]
//      java -agentpath:...
//
// The agent's call number n (from 0) fails, and all after it unless FAIL_ONCE is set. Without
// FAIL_AT none does. How many calls there were is written to FAIL_COUNT at exit. FAIL_LIVE is a
// file of eight bytes at least, whose first eight are at any time how many bytes the agent holds.

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

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

static atomic_long *live, nowhere;

__attribute__((constructor)) static void map_live(void) {
    const char *name = getenv("FAIL_LIVE");
    int fd = name ? open(name, O_RDWR) : -1;
    void *page =
        fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *live, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    live = page == MAP_FAILED ? &nowhere : page;
    if (fd >= 0) close(fd);
}

static int is_agent(void *caller) {
    uintptr_t at = (uintptr_t)caller;
    return agent_start && at >= agent_start && at < agent_end;
}

static int fails(void *caller) {
    if (!is_agent(caller)) return 0;
    long n = calls++;
    const char *text = getenv("FAIL_AT");
    if (!text) return 0;
    long first = strtol(text, NULL, 10);
    return getenv("FAIL_ONCE") ? n == first : n >= first;
}

static void *taken(void *memory, void *caller) {
    if (memory && is_agent(caller)) *live += (long)malloc_usable_size(memory);
    return memory;
}

static void redefined(void *memory, void *caller) {
    if (memory && is_agent(caller)) *live -= (long)malloc_usable_size(memory);
}

void *malloc(size_t size) {
    void *caller = __builtin_return_address(0);
    return fails(caller) ? NULL : taken(__libc_malloc(size), caller);
}

void *calloc(size_t n, size_t size) {
    void *caller = __builtin_return_address(0);
    return fails(caller) ? NULL : taken(__libc_calloc(n, size), caller);
}

void *realloc(void *memory, size_t size) {
    void *caller = __builtin_return_address(0);
    if (fails(caller)) return NULL;
    redefined(memory, caller); // out of memory in earnest is not this program's business
    return taken(__libc_realloc(memory, size), caller);
}

void *aligned_alloc(size_t alignment, size_t size) {
    void *caller = __builtin_return_address(0);
    return fails(caller) ? NULL : taken(__libc_memalign(alignment, size), caller);
}

void free(void *memory) {
    redefined(memory, __builtin_return_address(0));
    __libc_free(memory);
}

char *strdup(const char *text) {
    void *caller = __builtin_return_address(0);
    size_t n = strlen(text) + 1;
    char *made = fails(caller) ? NULL : taken(__libc_malloc(n), caller);
    return made ? memcpy(made, text, n) : NULL;
}

__attribute__((destructor)) static void tell(void) {
    const char *name = getenv("FAIL_COUNT");
    FILE *f = name ? fopen(name, "w") : NULL;
    if (!f) return;
    fprintf(f, "%ld\n", (long)calls);
    fclose(f);
}
