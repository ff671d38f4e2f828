package java.lang;

import instr.runtime.InstrNative;

/**
 * Finds the block and the task of the current thread, and writes to them.
 *
 * <p>Counters belong to the thread of the operating system, so adding to them needs no atomic operation. A
 * virtual thread uses those of its carrier. That is exact, because nothing between finding a block and
 * writing to it can make a virtual thread leave its carrier: no call but of native methods, no monitor. Its
 * carrier is read from the field, never by Thread.currentCarrierThread(), whose result the compiler
 * takes to be the same all through a method, although the thread may have moved in between.
 *
 * <p>Hot paths call intrinsics only, and go over to a slow path once and for all: one that came back would cost
 * as much as a third of what is done here. Slow paths that run code of the JDK, which may be instrumented itself,
 * say so.
 *
 * <p>What inserted code calls is not to be inlined by force: every method of the application would carry it,
 * and the compilers would take several times as long. Those methods are short and call count, open and
 * close, which have more than 35 bytes of code (build.py sees to that): too much for C1 to inline, while C2 does so
 * where they are hot.
 */
final class InstrThreads {
    /** What happened: see count. */
    static final int CALL = 0, THROWN = 1, CONSTRUCT = 2, INITIALIZED = 3;

    /** First element of a record of such an event: EVENT + what. Others are durations. */
    static final long EVENT = 1L << 62;

    /** Bits of the second element of a record for the id; the time is above. */
    static final int ID_BITS = 20;

    /**
     * In what enter returns: the method was running already when it was entered, so that its time is part of an
     * outer call's. All other bits are below.
     */
    static final long AGAIN = 1L << 63;

    /** In the first element of a record, AGAIN shifted by so much says the same: no element uses its highest bit. */
    static final int AGAIN_SHIFT = 2;

    /** Times of records are below 2^TIME_BITS. */
    static final int TIME_BITS = 43;

    /** Blocks by thread id, in one of two places: at its low bits, and beside it. */
    static final InstrBlock[] TABLE = new InstrBlock[4096];

    /** java.lang.VirtualThread, or null. */
    static final Class<?> VIRTUAL;

    /** Offsets of Thread.tid and VirtualThread.carrierThread (0: unknown). */
    static final long TID, CARRIER;

    /** Tasks of virtual threads. */
    static final ThreadLocal<InstrTask> TASKS;

    static {
        Class<?> virtual = null;
        long tid = 0, carrier = 0;
        try {
            tid = InstrUnsafe.offset(Thread.class, "tid");
            // Not initialized here: that would start its scheduler.
            virtual = Class.forName("java.lang.VirtualThread", false, null);
            carrier = InstrUnsafe.offset(virtual, "carrierThread");
        } catch (Throwable unknown) {
            // This VM has no virtual threads, or has them in another form. Not without ids, though.
            if (tid == 0) throw new InternalError();
        }
        VIRTUAL = virtual;
        TID = tid;
        CARRIER = carrier;
        TASKS = virtual == null ? null : new ThreadLocal<InstrTask>();
    }

    private InstrThreads() {}

    /** The block for the current thread, if it is at hand; else null. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static InstrBlock lookUp(Thread thread) {
        Object carrier = thread;
        if (VIRTUAL != null && thread.getClass() == VIRTUAL) {
            carrier = CARRIER == 0 ? null : InstrUnsafe.getReference(thread, CARRIER);
            if (carrier == null) return null;
        }
        long tid = InstrUnsafe.getLong(carrier, TID);
        int slot = (int) tid & (TABLE.length - 1);
        InstrBlock block = TABLE[slot];
        if (block != null && block.tid == tid) return block;
        block = TABLE[slot ^ 1];
        return block != null && block.tid == tid ? block : null;
    }

    /** The block for the current thread, or null when there is no memory. */
    static InstrBlock block(Thread thread) {
        InstrBlock block = lookUp(thread);
        if (block != null) return block;
        Object carrier = thread;
        if (thread.getClass() == VIRTUAL) {
            carrier = CARRIER == 0 ? null : InstrUnsafe.getReference(thread, CARRIER);
        }
        return (InstrBlock) InstrNative.find(carrier == null ? 0 : InstrUnsafe.getLong(carrier, TID));
    }

    /** The task of the current thread, if it is at hand; else null. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static InstrTask task(Thread thread, InstrBlock block) {
        if (VIRTUAL == null || thread.getClass() != VIRTUAL || block == null) return block;
        return block.virtualTid == InstrUnsafe.getLong(thread, TID) ? block.virtualTask : null;
    }

    /** Counts an event of the current thread. */
    static void count(Thread thread, int id, int what) {
        InstrBlock block = lookUp(thread);
        if (block != null) {
            long[][] pages = block.pages;
            int index = InstrBlock.PAGES_HEAD + (id >>> 5);
            if (index < pages.length) {
                long[] page = pages[index];
                if (page != null) {
                    add(page, id, what);
                    return;
                }
            }
        }
        countSlowly(thread, id, what);
    }

    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void add(long[] page, int id, int what) {
        int row = InstrBlock.HEAD + ((id & 31) << 1);
        if (what == CALL || what == CONSTRUCT) page[row]++;
        if (what == THROWN || what == CONSTRUCT) page[row + 1]++;
        if (what == INITIALIZED) page[row + 1]--;
    }

    static void countSlowly(Thread thread, int id, int what) {
        InstrBlock block = block(thread);
        if (block == null) {
            InstrNative.record(id, what, 0, 0);
            return;
        }
        int index = InstrBlock.PAGES_HEAD + (id >>> 5);
        long[] page = index < block.pages.length ? block.pages[index] : null;
        if (page == null && !block.full) page = InstrNative.page(id);
        if (page != null) add(page, id, what);
        else if (!append(block, EVENT + what, id)) InstrNative.record(id, what, 0, 0);
    }

    /** Appends a record. False: there is no memory for buffers. */
    static boolean append(InstrBlock block, long first, long second) {
        if (block.position + 1 >= block.buffer.length) InstrNative.flush();
        int position = block.position;
        long[] buffer = block.buffer;
        if (position + 1 >= buffer.length) return false;
        buffer[position] = ~first;
        buffer[position + 1] = ~second;
        block.position = position + 2;
        return true;
    }

    /** Enters a timed method: counts, and gives the children's time so far. */
    static long open(Thread thread, int id, int what) {
        InstrBlock block = lookUp(thread);
        if (block != null) {
            InstrTask task = task(thread, block);
            long[][] pages = block.pages;
            int index = InstrBlock.PAGES_HEAD + (id >>> 5);
            if (task != null && index < pages.length) {
                long[] page = pages[index], running = task.running;
                int word = InstrBlock.HEAD + (id >>> 6);
                if (page != null && running != null && word < running.length) {
                    add(page, id, what);
                    return mark(task, running, word, id, what);
                }
            }
        }
        return openSlowly(thread, id, what);
    }

    static long openSlowly(Thread thread, int id, int what) {
        count(thread, id, what);
        try {
            InstrTask task = fetchTask(thread);
            return task == null ? 0 : markSlowly(task, id, what);
        } catch (Throwable nevermind) {
            return 0;
        }
    }

    /** As mark, with room made for the method's bit first. */
    static long markSlowly(InstrTask task, int id, int what) {
        try {
            long[] running = task.running;
            int word = InstrBlock.HEAD + (id >>> 6), length = running == null ? 0 : running.length;
            if (word >= length) {
                long[] longer = new long[word + (word >>> 2) + 8];
                for (int i = 0; i < length; i++) longer[i] = running[i];
                task.running = running = longer;
            }
            return mark(task, running, word, id, what);
        } catch (Throwable nevermind) {
            // No memory: the time of calls inside calls of the same method counts again.
            return task.children;
        }
    }

    /**
     * Gives the children's time, with AGAIN when the method is running already. Else it is from now on: a
     * constructor only from when it is initialized, because before that it may end without being seen.
     */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static long mark(InstrTask task, long[] running, int word, int id, int what) {
        long bits = running[word], bit = 1L << id;
        if ((bits & bit) != 0) return task.children | AGAIN;
        if (what != CONSTRUCT) running[word] = bits | bit;
        return task.children;
    }

    /** The delegate call of a constructor has returned: it is running now, and it will be seen to end. */
    static void initialized(Thread thread, int id) {
        count(thread, id, INITIALIZED);
        InstrTask task = task(thread, lookUp(thread));
        if (task != null) markSlowly(task, id, INITIALIZED);
    }

    /** Leaves a timed method: makes a record of it. The children's time was saved when it was entered. */
    static void close(Thread thread, long duration, long saved, int id) {
        InstrBlock block = lookUp(thread);
        InstrTask task = task(thread, block);
        if (task != null) {
            long again = saved & AGAIN;
            saved ^= again;
            long[] running = task.running;
            int word = InstrBlock.HEAD + (id >>> 6);
            if (again == 0 && running != null && word < running.length) running[word] &= ~(1L << id);
            long children = task.children - saved;
            long self = duration - children;
            int position = block.position;
            long[] buffer = block.buffer;
            if ((duration | children | self) >>> TIME_BITS == 0 && position + 1 < buffer.length) {
                task.children = saved + duration;
                buffer[position] = ~(duration | again >>> AGAIN_SHIFT);
                buffer[position + 1] = ~(self << ID_BITS | id);
                block.position = position + 2;
                return;
            }
            saved |= again;
        }
        closeSlowly(thread, duration, saved, id);
    }

    /**
     * The same whatever the numbers are: a frame may have been entered when there was no memory for a task, or
     * as the carrier and left as the virtual thread, and then has no sensible time of children.
     */
    static void closeSlowly(Thread thread, long duration, long saved, int id) {
        try {
            InstrTask task = fetchTask(thread);
            if (duration < 0) duration = 0;
            long self = duration, again = saved & AGAIN;
            saved ^= again;
            if (task != null) {
                long[] running = task.running;
                int word = InstrBlock.HEAD + (id >>> 6);
                if (again == 0 && running != null && word < running.length) running[word] &= ~(1L << id);
                long children = task.children - saved;
                if (children < 0 || children > duration) {
                    self = children < 0 ? duration : 0;
                    if (children < 0) task.children += duration;
                } else {
                    self = duration - children;
                    task.children = saved + duration;
                }
            }
            InstrBlock block = block(thread);
            if (block == null
                    || duration >>> TIME_BITS != 0
                    || !append(block, duration | again >>> AGAIN_SHIFT, self << ID_BITS | id)) {
                InstrNative.record(id, again == 0 ? -1 : -2, duration, self);
            }
        } catch (Throwable nevermind) {
            // Too little stack is left; the application shall not hear of it from here.
        }
    }

    /**
     * The task of the current thread, from its thread-local variable if need be. That runs code which may be
     * instrumented, and so needs a task: it gets one of its own.
     */
    static InstrTask fetchTask(Thread thread) throws Throwable {
        InstrBlock block = block(thread);
        InstrTask task = task(thread, block);
        if (task != null || block == null) return task;
        InstrTask interim = (InstrTask) InstrUnsafe.allocate(InstrTask.class);
        block.virtualTask = interim;
        block.virtualTid = InstrUnsafe.getLong(thread, TID);
        try {
            task = TASKS.get();
            if (task == null) {
                task = interim;
                TASKS.set(interim);
            } else {
                task.children += interim.children;
            }
        } catch (UnsupportedOperationException refused) {
            // JDK 19 and 20 know threads that may not have thread-local variables.
            task = interim;
        } catch (Throwable failed) {
            block.virtualTid = 0;
            throw failed;
        }
        // The thread may have moved meanwhile.
        block = block(thread);
        if (block != null) {
            block.virtualTask = task;
            block.virtualTid = InstrUnsafe.getLong(thread, TID);
        }
        return task;
    }
}
