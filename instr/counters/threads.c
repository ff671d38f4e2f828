// The native methods here are the slow paths of the runtime. They run no Java code, so they cannot
// recurse into instrumented code, and they call no JNI function, so no thread is ever suspended in
// them while it holds a lock.

#define _DEFAULT_SOURCE // for MAP_ANONYMOUS

#include "instr/counters/arena.h"
#include "instr/counters/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

// As in InstrThreads.java
#define SLOTS 16384
// A buffer begins small: many threads record few times.
#define BUFFER_FIRST 64
#define BUFFER_WORDS 1024
#define BUFFER_BYTES (BUFFER_WORDS * sizeof(int64_t))
#define FIRST_PAGES 32
// Java code may still run in destructors of thread-specific data: other libraries detach their
// threads there. POSIX guarantees four rounds of destructors; a block is released in the third.
#define LAST_ROUND 3
// Not the id of any thread. 0 is the id of a thread that has not got one yet.
#define NOBODY (-2)

// The part of a block that Java code uses. Only the owner of the block writes to it.
struct line {
    int64_t tid;   // Java's id of the thread; negative: an empty slot
    int64_t pages; // address of pointers to pages, by id / INSTR_ROWS_PER_PAGE; NULL: no page
    int64_t limit; // number of these pointers
    int64_t position, end; // addresses in the buffer: of the next record, behind the last one
    int64_t full;          // no more pages for this block: events go to the buffer
    int64_t busy, wait;    // for InstrThreads.fetchTask; busy: the id of a Java thread
};
_Static_assert(sizeof(struct line) == 64, "a line is a cache line");

// A block, of a native thread or left behind by one.
struct thread {
    _Alignas(64) struct line own; // while it has no slot
    struct line *line;            // own or in `lines`; moved only under both locks
    struct thread *next;          // in the list of all; constant
    struct thread *next_free;     // guarded by state.mutex
    bool free;                    // no owner; guarded by state.mutex
    int rounds;                   // of destructors
    unsigned shard;               // see instr_records_add
    unsigned attempts;            // to get memory
    unsigned misses;              // finds without a slot
    uint32_t owned;        // a page that it owns, by its number plus 1; guarded by state.mutex
    bool is_way;           // not a thread, but one of `ways`
    pthread_mutex_t mutex; // guards taking records and following the pointers
    int64_t *buffer;
    size_t length; // of the buffer, in words
    size_t taken;  // words at its start that have been taken
    bool holed;    // the buffer was cleared while its owner may have been writing
};

// An array of SLOTS lines, aligned to its size. Most of it is never used.
#define LINES_BYTES (SLOTS * sizeof(struct line))
static struct line *lines;

// Global because native methods have no place for a pointer to their state.
static struct {
    pthread_key_t key;
    pthread_mutex_t mutex; // taken before a thread's mutex
    struct thread *_Atomic all;
    struct thread *free;
    struct thread *slots[SLOTS]; // whose line is there; guarded by mutex
    atomic_int_fast64_t epoch;
} state = {.mutex = PTHREAD_MUTEX_INITIALIZER};

#define HAS_ENDED 1 // in place of an owner: it has ended

// They have the pages of all owners; guarded by state.mutex.
static struct thread *ways[ARENA_WAYS];

// Others may own the pages of this thread from now on. Under state.mutex.
static void disown(struct thread *thread) {
    for (size_t page = thread->owned; page != 0; page = (size_t)*arena_fact(page - 1, ARENA_NEXT))
        *arena_fact(page - 1, ARENA_OWNER) = HAS_ENDED;
    thread->owned = 0;
}

static void on_thread_end(void *pointer) {
    struct thread *thread = pointer;
    if (++thread->rounds < LAST_ROUND) {
        pthread_setspecific(state.key, thread);
        return;
    }
    // It keeps its slot until a thread needs the block or the slot.
    pthread_mutex_lock(&state.mutex);
    disown(thread);
    thread->free = true;
    thread->next_free = state.free;
    state.free = thread;
    pthread_mutex_unlock(&state.mutex);
}

static struct thread *new_thread(void) {
    struct thread *thread = aligned_alloc(_Alignof(struct thread), sizeof *thread);
    if (thread == NULL) return NULL;
    memset(thread, 0, sizeof *thread);
    thread->line = &thread->own;
    pthread_mutex_init(&thread->mutex, NULL);
    thread->next = atomic_load(&state.all);
    while (!atomic_compare_exchange_weak(&state.all, &thread->next, thread)) {
    }
    return thread;
}

// A block for the calling thread: a free one, or a new one. NULL: out of memory.
static struct thread *adopt(void) {
    pthread_mutex_lock(&state.mutex);
    struct thread *thread = state.free;
    if (thread != NULL) {
        state.free = thread->next_free;
        thread->free = false;
        thread->rounds = 0;
    }
    pthread_mutex_unlock(&state.mutex);
    if (thread == NULL && (thread = new_thread()) == NULL) return NULL;
    if (pthread_setspecific(state.key, thread) == 0) return thread;
    thread->rounds = LAST_ROUND;
    on_thread_end(thread);
    return NULL;
}

static int64_t **pages_of(const struct line *line) {
    return (int64_t **)(intptr_t)line->pages;
}

// The index of the block's slot; SLOTS: it has none. Under state.mutex, or the thread's.
static size_t slot_of(const struct thread *thread) {
    return thread->line == &thread->own ? SLOTS : (size_t)(thread->line - lines);
}

// Moves what the line of a block holds. Under state.mutex.
static void move_line(struct thread *thread, struct line *to) {
    pthread_mutex_lock(&thread->mutex);
    struct line *from = thread->line;
    *to = *from;
    thread->line = to;
    *from = (struct line){.tid = NOBODY};
    pthread_mutex_unlock(&thread->mutex);
}

static void give_up_slot(struct thread *thread) {
    size_t slot = slot_of(thread);
    if (slot == SLOTS) return;
    state.slots[slot] = NULL;
    move_line(thread, &thread->own);
}

// Finds a slot for the thread's id that no living thread uses. Under state.mutex.
static void claim_slot(struct thread *thread, int64_t tid) {
    size_t slot = (size_t)(tid & (SLOTS - 1));
    for (int i = 0; i < 2; i++, slot ^= 1) {
        struct thread *owner = state.slots[slot];
        if (owner != NULL && !owner->free) continue;
        if (owner != NULL) give_up_slot(owner);
        state.slots[slot] = thread;
        move_line(thread, &lines[slot]);
        return;
    }
}

// Moves the line of the calling thread to where Java code finds it by tid, if possible.
static void publish(struct thread *thread, int64_t tid) {
    pthread_mutex_lock(&state.mutex);
    if (thread->line->tid != tid) {
        // Java code that runs with a thread's id runs on the native thread that has published the id last.
        disown(thread);
        give_up_slot(thread);
        thread->line->tid = tid;
        thread->line->busy = thread->line->wait = 0;
    }
    if (slot_of(thread) == SLOTS) claim_slot(thread, tid);
    pthread_mutex_unlock(&state.mutex);
}

static struct thread *current(void) {
    return pthread_getspecific(state.key);
}

static jlong JNICALL native_lines(JNIEnv *jni, jclass class) {
    (void)jni, (void)class;
    return (jlong)(intptr_t)lines;
}

static jlong JNICALL native_distance(JNIEnv *jni, jclass class) {
    (void)jni, (void)class;
    return (jlong)arena_distance();
}

static jlong JNICALL native_find(JNIEnv *jni, jclass class, jlong tid) {
    (void)jni, (void)class;
    struct thread *thread = current();
    if (thread == NULL && (thread = adopt()) == NULL) return 0;
    // A thread whose slots are both in use comes here each time, and need not try again each time.
    // While it is busy the line must not move.
    const struct line *line = thread->line;
    if (tid > 0 && (line->tid != tid || (!line->busy && thread->misses++ % 64 == 0)))
        publish(thread, tid);
    return (jlong)(intptr_t)thread->line;
}

static jlong JNICALL native_epoch(JNIEnv *jni, jclass class) {
    (void)jni, (void)class;
    return (jlong)((uint64_t)(atomic_fetch_add(&state.epoch, 1) + 1) << 16);
}

// The bytes that the counters of all threads may still allocate (memory=).
static atomic_size_t budget;
static atomic_bool exhausted; // somebody did not get what it asked for

#define PAGE_COST ((size_t)ARENA_USUAL_COLUMNS * ARENA_PAGE_BYTES)

// Takes bytes from the budget. Returns false, and takes nothing, if too few are left.
static bool charge(size_t bytes) {
    size_t left = atomic_load(&budget);
    do {
        if (left < bytes) return false;
    } while (!atomic_compare_exchange_weak(&budget, &left, left - bytes));
    return true;
}

static void refund(size_t bytes) {
    atomic_fetch_add(&budget, bytes);
}

// Makes room for `pages` pages. Returns false when over budget or out of memory.
static bool extend(struct thread *thread, size_t pages) {
    struct line *line = thread->line;
    size_t length = (size_t)line->limit, more = length == 0 ? FIRST_PAGES : length;
    if (pages <= length) return true;
    while (more < pages) more *= 2;
    size_t bytes = (more - length) * sizeof(int64_t *);
    if (!charge(bytes)) return false;
    int64_t **copy = calloc(more, sizeof *copy);
    if (copy == NULL) {
        refund(bytes);
        return false;
    }
    if (length != 0) memcpy(copy, pages_of(line), length * sizeof *copy);
    pthread_mutex_lock(&thread->mutex);
    free(pages_of(line));
    line->pages = (intptr_t)copy;
    line->limit = (int64_t)more;
    pthread_mutex_unlock(&thread->mutex);
    return true;
}

// --- what is known of methods ---

// As InstrSamplingLevels.gap from level 0 on. Under state.mutex.
static int64_t first_gap(unsigned level) {
    static uint64_t sum;
    sum += UINT64_C(0x9E3779B97F4A7C15);
    return (int64_t)(sum >> (64 - 2 * level));
}

// How long calls of these methods take, and so how often they are timed, is known from other threads: this one does not time the first
// calls of each once more. Under state.mutex.
static void take_levels(int64_t *page, size_t index) {
    struct instr_counters to = arena_columns(page);
    const volatile int64_t *learned = arena_learned();
    if (learned == NULL) return;
    learned += index * INSTR_ROWS_PER_PAGE;
    for (size_t row = 0; row < INSTR_ROWS_PER_PAGE; row++) {
        int64_t known = learned[row], level = known & INSTR_LEVEL;
        if (level == 0 || to.next[row] != 0 || to.number[row] != 0) continue;
        bool calls_itself = (known & INSTR_LEARNED_CALLS_ITSELF) != 0;
        to.mean[row] = known >> INSTR_LEARNED_MEAN_SHIFT & ((1 << INSTR_MEAN_BITS) - 1);
        int64_t gap = first_gap((unsigned)level);
        to.number[row] = known >> INSTR_LEARNED_NUMBER_SHIFT |
                         (calls_itself ? INT64_MIN | gap << INSTR_HELD_SHIFT : 0);
        // If it calls itself, outermost calls are timed, of which none is running here.
        to.entered[row] = calls_itself ? 0 : -1;
        to.next[row] = level << INSTR_LEVEL_SHIFT | (calls_itself ? 0 : gap);
    }
}

static int64_t *add_page(struct thread *thread, size_t index) {
    if (index < (size_t)thread->line->limit && pages_of(thread->line)[index] != NULL)
        return pages_of(thread->line)[index];
    if (!extend(thread, index + 1) || !charge(PAGE_COST)) return NULL;
    int64_t *page = arena_learn(index) ? arena_page() : NULL;
    if (page == NULL) {
        refund(PAGE_COST);
        return NULL;
    }
    pthread_mutex_lock(&state.mutex);
    take_levels(page, index);
    pthread_mutex_unlock(&state.mutex);
    pthread_mutex_lock(&thread->mutex);
    pages_of(thread->line)[index] = page;
    pthread_mutex_unlock(&thread->mutex);
    return page;
}

static jlong JNICALL native_page(JNIEnv *jni, jclass class, jint id) {
    (void)jni, (void)class;
    struct thread *thread = current();
    if (thread == NULL || id < 0) return 0;
    int64_t *page = add_page(thread, (size_t)id / INSTR_ROWS_PER_PAGE);
    if (page == NULL) {
        thread->line->full = 1;
        atomic_store(&exhausted, true);
    }
    return (jlong)(intptr_t)page;
}

// --- pages that have owners ---

// The number of a page for a method and a thread.
static size_t owned_page(jint id, int64_t tid) {
    return (size_t)(tid & (ARENA_WAYS - 1)) * ARENA_WAY_PAGES + (size_t)id / INSTR_ROWS_PER_PAGE;
}

static int64_t *add_owned(size_t number) {
    struct thread **way = &ways[number / ARENA_WAY_PAGES];
    size_t index = number % ARENA_WAY_PAGES;
    if (*way == NULL && (*way = new_thread()) == NULL) return NULL;
    (*way)->line->tid = NOBODY;
    (*way)->is_way = true;
    if (index < (size_t)(*way)->line->limit && pages_of((*way)->line)[index] != NULL)
        return pages_of((*way)->line)[index];
    if (!extend(*way, index + 1) || !charge(PAGE_COST)) return NULL;
    int64_t *page = arena_owned_page(number);
    if (page == NULL) {
        refund(PAGE_COST);
        return NULL;
    }
    pthread_mutex_lock(&(*way)->mutex);
    pages_of((*way)->line)[index] = page;
    pthread_mutex_unlock(&(*way)->mutex);
    return page;
}

// Calls that are running now were entered in rows of other pages.
static void forget_entered(int64_t *page) {
    struct instr_counters columns = arena_columns(page);
    for (size_t i = 0; i < INSTR_ROWS_PER_PAGE; i++) {
        columns.mark[i] = 0;
        if (columns.number[i] >= 0) {
            columns.entered[i] = -1;
        } else if ((columns.number[i] & INSTR_CALL_IS_RUNNING) != 0) {
            columns.entered[i] = instr_inner(&columns, i);
            columns.number[i] &= ~INSTR_CALL_IS_RUNNING;
            columns.next[i] &= ~(int64_t)INSTR_CALLS_LEFT;
        }
    }
}

static void JNICALL native_own(JNIEnv *jni, jclass class, jint id, jlong tid) {
    (void)jni, (void)class;
    struct thread *thread = current();
    size_t number = owned_page(id, tid);
    if (thread == NULL || id < 0 || id >= 1 << INSTR_RECORD_ID_BITS || !arena_has_owners()) return;
    pthread_mutex_lock(&state.mutex);
    int64_t *page = NULL;
    if (thread->line->tid == tid && *arena_fact(number, ARENA_OWNER) >= 0 &&
        (page = add_owned(number))) {
        take_levels(page, number % ARENA_WAY_PAGES);
        forget_entered(page);
        *arena_fact(number, ARENA_NEXT) = thread->owned;
        thread->owned = (uint32_t)number + 1;
        *arena_fact(number, ARENA_MISSED) = *arena_fact(number, ARENA_HAD) = 0;
        *arena_fact(number, ARENA_OWNER) = ~tid;
    }
    pthread_mutex_unlock(&state.mutex);
}

// What `thread` does from now on counts in its own page.
static void JNICALL native_disown(JNIEnv *jni, jclass class, jint id) {
    (void)jni, (void)class;
    struct thread *thread = current();
    if (thread == NULL || id < 0 || id >= 1 << INSTR_RECORD_ID_BITS) return;
    pthread_mutex_lock(&state.mutex);
    size_t number = owned_page(id, thread->line->tid), index = number % ARENA_WAY_PAGES;
    size_t page = thread->owned, before = 0;
    while (page != 0 && page != number + 1)
        before = page, page = (size_t)*arena_fact(page - 1, ARENA_NEXT);
    if (page != 0) {
        int64_t next = *arena_fact(number, ARENA_NEXT);
        if (before == 0)
            thread->owned = (uint32_t)next;
        else
            *arena_fact(before - 1, ARENA_NEXT) = next;
        if ((int64_t)index < thread->line->limit && pages_of(thread->line)[index] != NULL)
            forget_entered(pages_of(thread->line)[index]);
        *arena_fact(number, ARENA_OWNER) = HAS_ENDED;
    }
    pthread_mutex_unlock(&state.mutex);
}

static jlong JNICALL native_owned(JNIEnv *jni, jclass class) {
    (void)jni, (void)class;
    return (jlong)(intptr_t)arena_owned();
}

static jlong JNICALL native_learned(JNIEnv *jni, jclass class) {
    (void)jni, (void)class;
    return (jlong)(intptr_t)arena_learned();
}

static jlong JNICALL native_ways(JNIEnv *jni, jclass class) {
    (void)jni, (void)class;
    return arena_has_owners() ? ARENA_WAYS : 1;
}

// The number of complete records while their writer may be at work: it does not order its stores,
// but a word that is not written yet is 0.
static size_t complete(const int64_t *words, size_t n) {
    const volatile int64_t *word = words;
    size_t i = 0;
    while (i < n && word[2 * i] < 0 && word[2 * i + 1] < 0) i++;
    return i;
}

// Takes the complete ones among the records.
static void take_holed(struct thread *thread, const int64_t *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (complete(words + 2 * i, 1) == 1) instr_records_add(words + 2 * i, 1, &thread->shard);
}

// Takes the records in the buffer that were not taken yet, under the thread's mutex. Returns the
// number of words of the buffer in use.
static size_t take(struct thread *thread) {
    if (thread->buffer == NULL) return 0;
    int64_t position = ((const volatile struct line *)thread->line)->position;
    size_t used = (size_t)(position - (intptr_t)thread->buffer) / sizeof *thread->buffer;
    size_t n = (used - thread->taken) / 2;
    const int64_t *words = thread->buffer + thread->taken;
    if (thread != current()) n = complete(words, n);
    if (thread->holed)
        take_holed(thread, words, n);
    else if (n != 0)
        instr_records_add(words, n, &thread->shard);
    thread->taken += 2 * n;
    return used;
}

// When memory is short, not every attempt is worth trying.
static bool worth_trying(struct thread *thread) {
    return thread->attempts++ % 1024 == 0;
}

// Gives the thread a larger buffer, if it needs one and there is memory.
static bool enlarge_buffer(struct thread *thread) {
    if (thread->length == BUFFER_WORDS || (thread->length == 0 && !worth_trying(thread)))
        return false;
    size_t length = thread->length == 0 ? BUFFER_FIRST : BUFFER_WORDS;
    size_t alignment = length == BUFFER_WORDS ? BUFFER_BYTES : 64; // see empty_buffer
    int64_t *larger = aligned_alloc(alignment, length * sizeof *larger);
    if (larger == NULL) return false;
    memset(larger, 0, length * sizeof *larger);
    free(thread->buffer);
    thread->buffer = larger;
    thread->length = length;
    return true;
}

static void JNICALL native_flush(JNIEnv *jni, jclass class) {
    (void)jni, (void)class;
    struct thread *thread = current();
    if (thread == NULL) return;
    pthread_mutex_lock(&thread->mutex);
    size_t used = take(thread);
    if (!enlarge_buffer(thread) && used != 0)
        memset(thread->buffer, 0, used * sizeof *thread->buffer);
    thread->line->position = (intptr_t)thread->buffer;
    thread->line->end = (intptr_t)(thread->buffer + thread->length);
    thread->taken = 0;
    thread->holed = false;
    pthread_mutex_unlock(&thread->mutex);
}

static void JNICALL native_record(JNIEnv *jni, jclass class, jint id, jint event, jlong duration,
                                  jlong self) {
    (void)jni, (void)class;
    if (id < 0) return;
    unsigned none = 0;
    struct thread *thread = current();
    instr_records_add_one((uint32_t)id, (enum instr_event)event, (uint64_t)duration, (uint64_t)self,
                          thread == NULL ? &none : &thread->shard);
}

// Locks a thread's mutex, but does not wait forever: its holder may be suspended.
static bool lock(struct thread *thread) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    return pthread_mutex_timedlock(&thread->mutex, &until) == 0;
}

void instr_threads_drain(void) {
    for (struct thread *t = atomic_load(&state.all); t != NULL; t = t->next) {
        if (!lock(t)) continue;
        take(t);
        pthread_mutex_unlock(&t->mutex);
    }
}

void instr_threads_pages(void (*each)(void *context, uint32_t page,
                                      const struct instr_counters *counters),
                         void *context) {
    for (struct thread *t = atomic_load(&state.all); t != NULL; t = t->next) {
        pthread_mutex_lock(&t->mutex);
        int64_t **pages = pages_of(t->line);
        for (int64_t i = 0; i < t->line->limit; i++) {
            if (pages[i] == NULL) continue;
            struct instr_counters columns = arena_columns(pages[i]);
            each(context, (uint32_t)i, &columns);
        }
        pthread_mutex_unlock(&t->mutex);
    }
}

static void clear_row(int64_t *page, uint32_t row) {
    struct instr_counters columns = arena_columns(page);
    columns.calls[row] = columns.thrown[row] = columns.next[row] = 0;
    if (columns.mark[row] != 0) columns.mark[row] = 0; // a task's stack may hold the id of before
    if (columns.number[row] | columns.mean[row] | columns.entered[row] | columns.ticked[row])
        columns.mean[row] = columns.number[row] = columns.entered[row] = columns.ticked[row] = 0;
}

void instr_threads_forget(uint32_t from, uint32_t to) {
    volatile int64_t *learned = arena_learned();
    for (uint32_t id = from; id < to && learned != NULL; id++)
        if (learned[id] != 0) learned[id] = 0; // what was never written to may not be writable
    for (struct thread *t = atomic_load(&state.all); t != NULL; t = t->next) {
        pthread_mutex_lock(&t->mutex);
        int64_t **pages = pages_of(t->line);
        for (uint32_t id = from; id < to && id / INSTR_ROWS_PER_PAGE < t->line->limit; id++) {
            int64_t *page = pages[id / INSTR_ROWS_PER_PAGE];
            if (page != NULL) clear_row(page, id % INSTR_ROWS_PER_PAGE);
        }
        pthread_mutex_unlock(&t->mutex);
    }
}

size_t instr_threads_budget(void) {
    return atomic_load(&budget);
}

bool instr_threads_are_full(void) {
    return atomic_load(&exhausted);
}

// Frees the memory of a buffer, but keeps its address range: its owner may be writing to it.
static void empty_buffer(struct thread *thread) {
    if (thread->length != BUFFER_WORDS || BUFFER_BYTES % (size_t)sysconf(_SC_PAGESIZE) != 0) return;
    int64_t position = ((const volatile struct line *)thread->line)->position;
    madvise(thread->buffer, BUFFER_BYTES, MADV_DONTNEED);
    thread->taken = (size_t)(position - (intptr_t)thread->buffer) / sizeof *thread->buffer;
    thread->holed = true;
}

// Removes all pages of a thread. Returns how many there were.
static size_t empty_pages(struct thread *thread) {
    size_t n = 0;
    int64_t **pages = pages_of(thread->line);
    for (int64_t i = 0; i < thread->line->limit; i++) {
        n += pages[i] != NULL;
        pages[i] = NULL;
    }
    thread->line->full = 0;
    return n;
}

void instr_threads_release(void) {
    size_t n = 0;
    instr_threads_drain();
    pthread_mutex_lock(&state.mutex);
    for (struct thread *t = atomic_load(&state.all); t != NULL; t = t->next) {
        if (t->is_way) continue;
        pthread_mutex_lock(&t->mutex);
        n += empty_pages(t);
        empty_buffer(t);
        pthread_mutex_unlock(&t->mutex);
    }
    arena_release();
    pthread_mutex_unlock(&state.mutex);
    refund(n * PAGE_COST);
    atomic_store(&exhausted, false);
}

static bool register_natives(JNIEnv *jni, jclass class) {
    const JNINativeMethod natives[] = {
        {"lines", "()J", (void *)native_lines},       {"find", "(J)J", (void *)native_find},
        {"page", "(I)J", (void *)native_page},        {"flush", "()V", (void *)native_flush},
        {"epoch", "()J", (void *)native_epoch},       {"distance", "()J", (void *)native_distance},
        {"record", "(IIJJ)V", (void *)native_record}, {"own", "(IJ)V", (void *)native_own},
        {"owned", "()J", (void *)native_owned},       {"ways", "()J", (void *)native_ways},
        {"disown", "(I)V", (void *)native_disown},    {"learned", "()J", (void *)native_learned},
    };
    return (*jni)->RegisterNatives(jni, class, natives, sizeof natives / sizeof *natives) == 0;
}

static bool map_lines(void) {
    char *place = arena_reserve(2 * LINES_BYTES);
    if (place == NULL) return false;
    lines = (struct line *)(((uintptr_t)place + LINES_BYTES - 1) & ~(uintptr_t)(LINES_BYTES - 1));
    // The slots of threads with id 0.
    lines[0].tid = lines[1].tid = NOBODY;
    return true;
}

const char *instr_threads_start(JNIEnv *jni, const struct instr_threads_classes *classes,
                                size_t page_budget) {
    static bool keyed; // by an attempt that failed later
    if (!keyed && pthread_key_create(&state.key, on_thread_end) != 0)
        return "no thread-specific data left";
    keyed = true;
    atomic_store(&budget, page_budget);
    if (!lines && !map_lines()) return "out of memory";
    if (!arena_map(page_budget)) return "out of memory";
    if (!register_natives(jni, classes->natives)) return "InstrNative: a method is missing";
    // Getting the field initializes InstrThreads.
    if ((*jni)->GetStaticFieldID(jni, classes->threads, "LINES", "J") == NULL)
        return "InstrThreads: cannot be initialized";
    return NULL;
}

size_t instr_threads_bytes(void) {
    size_t bytes = arena_bytes();
    for (struct thread *thread = atomic_load(&state.all); thread != NULL; thread = thread->next) {
        pthread_mutex_lock(&thread->mutex);
        bytes += sizeof *thread + thread->length * sizeof *thread->buffer +
                 (size_t)thread->line->limit * sizeof(int64_t *);
        pthread_mutex_unlock(&thread->mutex);
    }
    return bytes;
}
