package java.lang;

import instr.runtime.InstrNative;

/**
 * Finds the counters of the current thread of the operating system, and the task of the current thread of the
 * application, and writes to them.
 *
 * <p>Counters and records are native memory (instr/counters/threads.c), a block for each thread of the operating system, which
 * alone writes to it: adding needs no atomic operation, and no memory that the heap may not have. A virtual thread
 * uses the block of its carrier. That is exact, because nothing between finding a block and
 * writing to it can make a virtual thread leave its carrier: no call but of native methods, no monitor.
 *
 * <p>The head of a block is a line of 64 bytes, in one of two places of an array: at the low bits of the thread's
 * id, and beside it. Some memory accesses that depend on each other are all that inserted code costs, hence
 * this array of lines, not of pointers to them.
 *
 * <p>What inserted code calls is not inlined (DontInline): every method of the application would carry it,
 * and the compilers would take several times as long. It also makes Thread.currentCarrierThread() right, which
 * compilers take to be the same all through a method. For the same reason what runs foreign code, or writes after
 * it, is kept apart by DontInline. All that hot paths call is inlined into those methods. The one exception is
 * InstrCalls.enter, which is short enough for C2 to have it where calls are hot.
 */
final class InstrThreads {
    /** What happened: see count, allocated and open. */
    static final int CALL = 0, THROWN = 1, CONSTRUCT = 2, INITIALIZED = 3, ALLOCATED = 4;

    /** First element of a record of such an event: EVENT + what. Others are durations. */
    static final long EVENT = 1L << 62;

    /** Bits of the second element of a record for the id; the time is above. */
    static final int ID_BITS = 20;

    /** Times of records are below 2^TIME_BITS. */
    static final int TIME_BITS = 43;

    /** Times with any of these bits are dealt with elsewhere. More could be, but this fits into an instruction. */
    static final long UNUSUAL = -1L << 31;

    /**
     * What open returns: AGAIN if the method was running already when it was entered, so that its time is part of an
     * outer call's; the depth of the task's stack, DEPTH_MAX at most; and the children's time, as in the task.
     */
    static final int AGAIN = 1, DEPTH_SHIFT = 3, DEPTH_MAX = 1023;

    /** Returned instead when there is no task. Nothing is above this depth. */
    static final long NO_TASK = DEPTH_MAX << DEPTH_SHIFT;

    /** Times of children are shifted by so much, and lose their highest bits. */
    static final int CHILDREN_SHIFT = 13;

    static final long CHILDREN = -1L << CHILDREN_SHIFT;

    /** In the first element of a record, AGAIN shifted by so much says the same. */
    static final int AGAIN_SHIFT = 61;

    static final int SLOT_BITS = 14, SLOTS = 1 << SLOT_BITS, LINE_SHIFT = 6;

    /** Where in a line: the thread's id is at 0. */
    static final int PAGES = 8, LIMIT = 16, POSITION = 24, END = 32, FULL = 40, BUSY = 48, WAIT = 56;

    /** Rows of a page, and where in a row: calls are at 0. */
    static final int ROW_BITS = 5, ROW_SHIFT = 5, ROW_THROWN = 8, ROW_MARK = 16;

    /**
     * Where the lines are. All of OFFSETS are 0 in the address: it is not added, since what compilers make of that
     * sum takes a register for each of the places above.
     */
    static final long LINES = InstrNative.lines(), OFFSETS = (long) (SLOTS - 1) << LINE_SHIFT;

    /**
     * The task that a slot's thread is at, or one that is nobody's; and that of the thread itself (a carrier, maybe),
     * or null.
     */
    static final InstrTask[] TASKS = new InstrTask[SLOTS], OWN = new InstrTask[SLOTS];

    /** Tasks of virtual threads, and of threads that had no slot when they needed one. */
    static final ThreadLocal<InstrTask> LOCAL = new ThreadLocal<InstrTask>();

    /** There have been platform threads without a slot. */
    static volatile boolean crowded;

    /** System.nanoTime() when the counters were last given back: what began before is told to nobody. */
    static volatile long since;

    /** java.lang.VirtualThread, or null. */
    static final Class<?> VIRTUAL;

    /** Offsets of Thread.tid and VirtualThread.carrierThread (0: unknown). */
    static final long TID, CARRIER;

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
        try {
            InstrTask nobody = (InstrTask) InstrUnsafe.allocate(InstrTask.class);
            nobody.tid = -1;
            TASKS[0] = nobody;
            for (int i = 1; i < SLOTS; i *= 2) System.arraycopy(TASKS, 0, TASKS, i, i);
        } catch (Throwable failed) {
            throw new InternalError();
        }
        VIRTUAL = virtual;
        TID = tid;
        CARRIER = carrier;
    }

    private InstrThreads() {}

    /** The line of the first slot for a thread's id; of the second one, if its lowest bit is turned. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static long line(long tid) {
        return LINES | tid << LINE_SHIFT & OFFSETS;
    }

    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static int slot(long tid) {
        return (int) ((tid << LINE_SHIFT & OFFSETS) >>> LINE_SHIFT);
    }

    /** The current thread's page for a method, by its line; 0: there is none. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static long page(long line, int id) {
        int index = id >>> ROW_BITS;
        if (index >= InstrUnsafe.get(line + LIMIT)) return 0;
        return InstrUnsafe.get(InstrUnsafe.get(line + PAGES) + ((long) index << 3));
    }

    /** The row for a method in its page. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static long row(long page, int id) {
        return page + (id << ROW_SHIFT & (1 << ROW_BITS) - 1 << ROW_SHIFT);
    }

    /** The slot that a line is in; -1: none. */
    static int slotOf(long line) {
        long distance = line - LINES >> LINE_SHIFT;
        return distance >= 0 && distance < SLOTS ? (int) distance : -1;
    }

    /** The line of the current thread, wherever it is, or 0 when there is no memory. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static long findLine() {
        long tid = InstrUnsafe.carrierTid(), line = line(tid);
        if (InstrUnsafe.get(line) == tid) return line;
        line = line(tid ^ 1);
        return InstrUnsafe.get(line) == tid ? line : InstrNative.find(tid);
    }

    /** Counts an event of the current thread. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void count(int id, int what) {
        long tid = InstrUnsafe.carrierTid(), line = line(tid), page = InstrUnsafe.get(line) == tid ? page(line, id) : 0;
        if (page != 0) add(row(page, id), what);
        else countSlowly(id, what);
    }

    /**
     * Called first by what enters, for as long as it is interpreted: interpreted code makes sure, at its entry, of the
     * stack below its locals alone. So build.py raises max_locals here to more than all that is called on the way out
     * takes besides. Compiled code has nothing of it; see openAt for that. It is not empty, as HotSpot up to 8 has no
     * frame for what is.
     */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void room() {
        int some = 0;
    }

    /**
     * More than a page of it, for who has to come again before it gets out, and may be compiled by then: see openAt.
     * This one is not interpreted for long.
     */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void moreRoom() {
        int some = 0;
    }

    /** Still more, for the calls pass, so that who is counted there gets in where the timing pass is behind it. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void mostRoom() {
        int some = 0;
    }

    /** As count, at the entry of a constructor: build.py raises its max_stack, as that of countInlined. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void countConstruct(int id) {
        mostRoom();
        long tid = InstrUnsafe.carrierTid(), line = line(tid), page = InstrUnsafe.get(line) == tid ? page(line, id) : 0;
        if (page != 0) add(row(page, id), CONSTRUCT);
        else countSlowly(id, CONSTRUCT); // here, as C2 looks at the method with the call alone
    }

    /**
     * As count, where it may be inlined into the application. build.py raises its max_stack, as that of openAt, and by
     * a page more: what was counted as entered is to be counted as thrown, too, when the stack is used up, be it by
     * the timing pass behind this one.
     */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void countInlined(int id, int what) {
        mostRoom();
        long tid = InstrUnsafe.carrierTidInlined(), line = line(tid), page = InstrUnsafe.get(line) == tid ? page(line, id) : 0;
        if (page != 0) add(row(page, id), what);
        else countSlowly(id, what);
    }

    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void add(long row, int what) {
        if (what == CALL || what == CONSTRUCT) InstrUnsafe.put(row, InstrUnsafe.get(row) + 1);
        if (what == THROWN || what == CONSTRUCT) addThrown(row, 1);
        if (what == INITIALIZED) addThrown(row, -1);
    }

    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void addThrown(long row, long n) {
        InstrUnsafe.put(row + ROW_THROWN, InstrUnsafe.get(row + ROW_THROWN) + n);
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void countSlowly(int id, int what) {
        long line = findLine(), page = line == 0 ? 0 : page(line, id);
        if (page == 0 && line != 0 && InstrUnsafe.get(line + FULL) == 0) page = InstrNative.page(id);
        if (page != 0) add(row(page, id), what);
        else if (line == 0 || !append(line, EVENT + what, id)) InstrNative.record(id, what, 0, 0);
    }

    /** Counts allocations of the current thread, and their bytes, which stand where exceptions do for methods. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void allocated(int id, long count, long bytes) {
        long tid = InstrUnsafe.carrierTid(), line = line(tid);
        if (InstrUnsafe.get(line) == tid) {
            long page = page(line, id);
            if (page != 0) {
                addAllocated(row(page, id), count, bytes);
                return;
            }
        }
        allocatedSlowly(id, count, bytes);
    }

    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void addAllocated(long row, long count, long bytes) {
        InstrUnsafe.put(row, InstrUnsafe.get(row) + count);
        addThrown(row, bytes);
    }

    /** A record has the bytes where others have the self time. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void allocatedSlowly(int id, long count, long bytes) {
        long line = findLine(), page = line == 0 ? 0 : page(line, id);
        if (page == 0 && line != 0 && InstrUnsafe.get(line + FULL) == 0) page = InstrNative.page(id);
        if (page != 0) addAllocated(row(page, id), count, bytes);
        else if (count != 1
                || bytes >>> TIME_BITS != 0
                || line == 0
                || !append(line, EVENT + ALLOCATED, bytes << ID_BITS | id)) {
            InstrNative.record(id, ALLOCATED, count, bytes);
        }
    }

    /** Appends a record. False: there is no memory for buffers. */
    static boolean append(long line, long first, long second) {
        if (InstrUnsafe.get(line + POSITION) == InstrUnsafe.get(line + END)) InstrNative.flush();
        long position = InstrUnsafe.get(line + POSITION);
        if (position == InstrUnsafe.get(line + END)) return false;
        put(line, position, first, second);
        return true;
    }

    /** Elements are complemented, so that 0 is one not written yet. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void put(long line, long position, long first, long second) {
        InstrUnsafe.put(position, ~first);
        InstrUnsafe.put(position + 8, ~second);
        InstrUnsafe.put(line + POSITION, position + 16);
    }

    /** Enters a timed method: counts, and saves the children's time so far. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static long open(int id, int what) {
        room();
        long tid = InstrUnsafe.carrierTid();
        return InstrUnsafe.get(line(tid)) == tid ? openAt(tid, id, what) : openBeside(id, what);
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static long openBeside(int id, int what) {
        long tid = InstrUnsafe.carrierTid();
        return InstrUnsafe.get(line(tid ^ 1)) == tid ? openAt(tid ^ 1, id, what) : openSlowly(id, what);
    }

    /**
     * Who gets in must get out: should the stack suffice for this and not for the clock or the exit, as they may be
     * interpreted while this is compiled, then the method would be taken for running for good, and all its calls
     * for inner ones. So build.py raises max_stack here to more than a page. Compiled code makes sure at its entry
     * that the stack would also hold the frames of the interpreter (HotSpot, since JDK 8u20), page by page.
     */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static long openAt(long tid, int id, int what) {
        InstrTask task = TASKS[slot(tid)];
        long page = page(line(tid), id);
        if (page == 0 || task.tid != InstrUnsafe.getLong(Thread.currentThread(), TID)) return openSlowly(id, what);
        long row = row(page, id);
        add(row, what);
        int depth = task.depth;
        int[] stack = task.stack;
        long mark = InstrUnsafe.get(row + ROW_MARK), here = task.epoch + depth;
        long saved = task.children + ((long) depth << DEPTH_SHIFT);
        if (depth >= stack.length) return push(task, row, id, what);
        // When the marks are the same, it is neither running nor on another level than last time.
        if (mark != here) {
            long at = mark - task.epoch;
            if (at >>> 16 != 0) return push(task, row, id, what);
            if (at < depth && stack[(int) at] == id) return saved + AGAIN;
            if (what != CONSTRUCT) InstrUnsafe.put(row + ROW_MARK, here);
        }
        if (what != CONSTRUCT) {
            stack[depth] = id;
            task.depth = (char) (depth + 1);
        }
        return saved;
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static long openSlowly(int id, int what) {
        countSlowly(id, what);
        InstrTask task = fetchTask();
        return task == null ? NO_TASK : push(task, currentRow(id), id, what);
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static long currentRow(int id) {
        long line = findLine(), page = line == 0 ? 0 : page(line, id);
        return page == 0 ? 0 : row(page, id);
    }

    /**
     * Puts a method on the stack, unless it is there: then it is running already. A mark in its row says where.
     * A constructor is put there only when it is initialized, because before that it may end without being seen.
     */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static long push(InstrTask task, long row, int id, int what) {
        int depth = task.depth, at = 0;
        long saved = task.children + (depth << DEPTH_SHIFT);
        try {
            int[] stack = task.stack;
            while (at < depth && stack[at] != id) at++;
            if (at == depth) {
                if (what == CONSTRUCT || depth == DEPTH_MAX) return saved;
                if (depth == stack.length) task.stack = stack = longer(stack);
                stack[depth] = id;
                task.depth = (char) (depth + 1);
            } else {
                saved += AGAIN;
            }
            if (row != 0) InstrUnsafe.put(row + ROW_MARK, task.epoch + at);
        } catch (Throwable nevermind) {
            // No memory: the time of calls inside calls of the same method counts again.
        }
        return saved;
    }

    static int[] longer(int[] stack) {
        int[] longer = new int[stack.length * 2 < DEPTH_MAX ? stack.length * 2 : DEPTH_MAX];
        for (int i = 0; i < stack.length; i++) longer[i] = stack[i];
        return longer;
    }

    /** Leaves a timed method: makes a record of it. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void close(long duration, long saved, int id) {
        long tid = InstrUnsafe.carrierTid();
        if (InstrUnsafe.get(line(tid)) == tid) closeAt(tid, duration, saved, id);
        else closeBeside(duration, saved, id);
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void closeBeside(long duration, long saved, int id) {
        long tid = InstrUnsafe.carrierTid();
        if (InstrUnsafe.get(line(tid ^ 1)) == tid) closeAt(tid ^ 1, duration, saved, id);
        else closeSlowly(duration, saved, id);
    }

    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void closeAt(long tid, long duration, long saved, int id) {
        InstrTask task = TASKS[slot(tid)];
        if (task.tid == InstrUnsafe.getLong(Thread.currentThread(), TID)) {
            pop(task, saved);
            long before = saved & CHILDREN, self = duration - (task.children - before >>> CHILDREN_SHIFT);
            long line = line(tid), position = InstrUnsafe.get(line + POSITION);
            if (((duration | self) & UNUSUAL) == 0 && position != InstrUnsafe.get(line + END)) {
                task.children = before + (duration << CHILDREN_SHIFT);
                put(line, position, duration | saved << AGAIN_SHIFT, self << ID_BITS | id);
                return;
            }
        }
        closeSlowly(duration, saved, id);
    }

    /** Takes from the stack what was put there since, first of all, as it is to happen even when the rest fails. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void pop(InstrTask task, long saved) {
        int depth = (int) saved >>> DEPTH_SHIFT & DEPTH_MAX;
        if (depth < task.depth) task.depth = (char) depth;
    }

    /**
     * The same whatever the numbers are: a frame may have been entered when there was no memory for a task, or
     * as the carrier and left as the virtual thread, and then has no sensible time of children.
     */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void closeSlowly(long duration, long saved, int id) {
        try {
            InstrTask task = fetchTask();
            if (duration < 0) duration = 0;
            if (since != 0 && System.nanoTime() - duration - since < 0) {
                pop(task, saved);
                return;
            }
            long self = leave(task, duration, saved), again = saved & AGAIN;
            long line = findLine();
            if (line == 0
                    || duration >>> TIME_BITS != 0
                    || !append(line, duration | again << AGAIN_SHIFT, self << ID_BITS | id)) {
                InstrNative.record(id, again == 0 ? -1 : -2, duration, self);
            }
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** Gives the self time, rather too little than one that counts twice. */
    static long leave(InstrTask task, long duration, long saved) {
        if (task == null) return saved == NO_TASK ? duration : 0;
        pop(task, saved);
        long before = saved & CHILDREN, children = task.children - before >>> CHILDREN_SHIFT;
        if (children <= duration) {
            task.children = before + (duration << CHILDREN_SHIFT);
            return duration - children;
        }
        boolean negative = task.children - before < 0 || saved == NO_TASK;
        if (negative) task.children += duration << CHILDREN_SHIFT;
        return negative ? duration : 0;
    }

    /** The task of the current thread, made if need be. Null: not now. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static InstrTask task() {
        long tid = InstrUnsafe.carrierTid();
        if (InstrUnsafe.get(line(tid)) == tid) {
            InstrTask task = TASKS[slot(tid)];
            if (task.tid == InstrUnsafe.getLong(Thread.currentThread(), TID)) return task;
        }
        return fetchTask();
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static InstrTask fetchTask() {
        try {
            return fetch();
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, InstrFailure.UNKNOWN);
            return null;
        }
    }

    static InstrTask fetch() throws Throwable {
        Thread thread = Thread.currentThread();
        long tid = InstrUnsafe.getLong(thread, TID), line = findLine();
        int slot = slotOf(line);
        boolean virtual = thread.getClass() == VIRTUAL;
        if (slot >= 0 && TASKS[slot].tid == tid) return TASKS[slot];
        if (slot < 0 && !virtual) crowded = true;
        // Out of memory again each time would be a garbage collection each time.
        long wait = line == 0 ? 0 : InstrUnsafe.get(line + WAIT);
        if (wait != 0) InstrUnsafe.put(line + WAIT, wait - 1);
        if (line == 0 || wait != 0) return null;
        if (virtual || crowded) return fetchLocal(tid, line);
        InstrTask task = OWN[slot];
        if (task == null || task.tid != tid) OWN[slot] = task = newTask(tid, line);
        task.epoch = InstrNative.epoch();
        return TASKS[slot] = task;
    }

    static InstrTask newTask(long tid, long line) throws Throwable {
        InstrUnsafe.put(line + WAIT, 1000);
        InstrTask task = (InstrTask) InstrUnsafe.allocate(InstrTask.class);
        task.tid = tid;
        task.stack = new int[16];
        task.epoch = InstrNative.epoch();
        InstrUnsafe.put(line + WAIT, 0);
        return task;
    }

    /**
     * The task from the thread-local variable. That runs code which may be instrumented, and so comes back here:
     * it gets a task of its own if the thread has a slot, else none.
     */
    static InstrTask fetchLocal(long tid, long line) throws Throwable {
        if (InstrUnsafe.get(line + BUSY) != 0) return null;
        InstrTask interim = newTask(tid, line), task = interim;
        InstrUnsafe.put(line + BUSY, 1);
        try {
            install(interim);
            task = LOCAL.get();
            if (task == null) LOCAL.set(task = interim);
            else task.children += interim.children;
        } catch (UnsupportedOperationException refused) {
            // JDK 19 and 20 know threads that may not have thread-local variables.
            task = interim;
        } finally {
            InstrUnsafe.put(line + BUSY, 0);
        }
        install(task);
        return task;
    }

    /** Makes the task that of the current thread's slot, if it has one. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void install(InstrTask task) {
        int slot = slotOf(findLine());
        if (slot >= 0) TASKS[slot] = task;
        task.epoch = InstrNative.epoch();
    }
}
