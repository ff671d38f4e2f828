// Preloaded into a JVM: when the agent gives memory back, which it does near the end of a detach, this
// creates the file SLOW_TRIM, and waits for a second. Large blocks that are freed become inaccessible,
// so that whoever still uses one crashes.

#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, LARGE = 2 * PAGE, MAPPED = 128 * 1024 };

void __libc_free(void *memory);

int malloc_trim(size_t keep) {
    (void)keep;
    const char *path = getenv("SLOW_TRIM");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) close(fd);
    sleep(1);
    return 0;
}

// The largest blocks have mappings of their own, which free removes.
void free(void *memory) {
    size_t size = memory ? malloc_usable_size(memory) : 0;
    uintptr_t start = ((uintptr_t)memory + PAGE - 1) & ~(uintptr_t)(PAGE - 1),
              end = ((uintptr_t)memory + size) & ~(uintptr_t)(PAGE - 1);
    if (size < LARGE || size >= MAPPED ||
        mprotect((void *)start, end - start, PROT_NONE) != 0) // NOLINT(performance-no-int-to-ptr)
        __libc_free(memory);
}
