// For LD_PRELOAD: an access to freed memory crashes the process at once and every time; otherwise
// the memory may already be in use again. This holds for blocks of 1,024 to 4,000 bytes, such as a
// JVM's threads: each block has a page of its own, which becomes inaccessible when it is freed.
// Independent of the product.

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, FROM = 1024, TO = 4000 };
#define ROOM ((size_t)16 << 30)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static char *room; // NULL: there is none
static atomic_size_t used;

__attribute__((constructor)) static void reserve(void) {
    void *place = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place != MAP_FAILED) room = place;
}

static int is_here(const void *block) {
    uintptr_t at = (uintptr_t)block, start = (uintptr_t)room;
    return room && at >= start && at < start + ROOM;
}

// NULL: use the ordinary allocator.
static void *take(size_t size) {
    if (!room || size < FROM || size > TO) return NULL;
    size_t at = atomic_fetch_add(&used, PAGE);
    if (at + PAGE > ROOM || mprotect(room + at, PAGE, PROT_READ | PROT_WRITE) != 0) return NULL;
    return room + at;
}

void *malloc(size_t size) {
    void *block = take(size);
    return block ? block : __libc_malloc(size);
}

void free(void *block) {
    if (!is_here(block)) {
        __libc_free(block);
        return;
    }
    // The memory is returned, the addresses are not used again.
    int error = errno;
    (void)mmap(block, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
               0);
    errno = error;
}

void *calloc(size_t count, size_t size) {
    size_t all;
    void *block = __builtin_mul_overflow(count, size, &all) ? NULL : take(all);
    return block ? block : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    if (!is_here(block)) return __libc_realloc(block, size);
    void *larger = size ? malloc(size) : NULL;
    if (larger) memcpy(larger, block, size < PAGE ? size : PAGE);
    if (larger || !size) free(block);
    return larger;
}

void *memalign(size_t alignment, size_t size) {
    void *block = alignment <= PAGE ? take(size) : NULL;
    return block ? block : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *made = memalign(alignment, size);
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}
