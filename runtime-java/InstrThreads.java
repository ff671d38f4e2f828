package java.lang;

import instr.runtime.InstrNative;

/**
 * Finds the counters of the current operating system thread and the task of the current application thread, and
 * writes to them.
 *
 * <p>Counters and records are native memory (instr/counters/threads.c): one block for each operating system thread,
 * which alone writes to it. So adding needs no atomic operation and no heap memory. A virtual thread uses the block of
 * its carrier. The counts are exact, because nothing between finding a block and writing to it can make a virtual
 * thread leave its carrier: there are no calls except of native methods, and no monitors.
 *
 * <p>The head of a block is a line of 64 bytes, in one of two places of an array: at the index given by the low bits
 * of the thread's id, or at the index beside it. The cost of inserted code is a few memory accesses that depend on
 * each other. That is why this is an array of lines and not of pointers to lines.
 *
 * <p>Methods that inserted code calls are not inlined (DontInline): otherwise every method of the application would
 * contain them, and compilers would take several times as long. DontInline also makes Thread.currentCarrierThread()
 * correct, which compilers assume to be constant during a method. For the same reason, methods that run foreign code,
 * or that write after it, are separated by DontInline. Everything else on hot paths is inlined into these methods. The
 * only exceptions are entries and exits, which are short enough for C2 to inline where calls are hot.
 */
final class InstrThreads {
    /** Kinds of events: see count, allocated and open. */
    static final int CALL = 0, THROWN = 1, CONSTRUCT = 2, INITIALIZED = 3, ALLOCATED = 4;

    /** The first element of a record of such an event is EVENT + what. In other records it is a duration. */
    static final long EVENT = 1L << 62;

    /** The number of low bits for the id in the second element of a record; the time is above. */
    static final int ID_BITS = 20;

    /** Times of records are below 2^TIME_BITS. */
    static final int TIME_BITS = 43;

    /**
     * Times with any of these bits take the slow path. A higher limit is possible, but this one fits an instruction.
     */
    static final long UNUSUAL = -1L << 31;

    /**
     * The result of open: AGAIN if the method was already running when it was entered, so that its time is part of an
     * outer call's time; the depth of the task's stack, at most DEPTH_MAX; and the children's time, as in the task.
     */
    static final int AGAIN = 1, DEPTH_SHIFT = 3, DEPTH_MAX = 1023;

    /** The result of open when there is no task. No depth is above this one. */
    static final long NO_TASK = DEPTH_MAX << DEPTH_SHIFT;

    /** Times of children are shifted by this, and lose their highest bits. */
    static final int CHILDREN_SHIFT = 13;

    static final long CHILDREN = -1L << CHILDREN_SHIFT;

    /** In the first element of a record, AGAIN is shifted by this. */
    static final int AGAIN_SHIFT = 61;

    static final int SLOT_BITS = 14, SLOTS = 1 << SLOT_BITS, LINE_SHIFT = 6;

    /** Offsets in a line; the thread's id is at 0. */
    static final int PAGES = 8, LIMIT = 16, POSITION = 24, END = 32, FULL = 40, BUSY = 48, WAIT = 56;

    /**
     * The number of methods of a page, as a power of two. It has the numbers of their calls; each other kind has a column of
     * its own, so that what most calls write to lies close together. A row is where the calls of a method are; the following
     * are so far behind it.
     */
    static final int ROW_BITS = 5, ROW_SHIFT = 3;

    static final long COLUMN = InstrNative.distance(), ROW_THROWN = 2 * COLUMN, ROW_MARK = 3 * COLUMN;

    /**
     * The address of the lines, in which all bits of OFFSETS are 0. The offset is combined with a bitwise or: for a
     * sum, compilers would use a register for each of the offsets above.
     */
    static final long LINES = InstrNative.lines(), OFFSETS = (long) (SLOTS - 1) << LINE_SHIFT;

    /**
     * TASKS: the task that a slot's thread runs now, or one that belongs to no thread. OWN: the task of the slot's
     * thread itself, which may be a carrier, or null.
     */
    static final InstrTask[] TASKS = new InstrTask[SLOTS], OWN = new InstrTask[SLOTS];

    /**
     * For the same methods there are WAYS more pages, each for threads with the same low bits of Thread.tid, of which one
     * platform thread at a time owns it, which may be a carrier. Others use the pages of their own blocks. So the owner adds without an
     * atomic operation, as everybody else, and the address of its counters follows from Thread.tid and the method. OWNED is that
     * of the first page; the pages of one way follow each other. The offset of a way is combined with it as in LINES.
     */
    static final int WAY_BITS = 7, WAYS = 1 << WAY_BITS, WAY_SHIFT = ID_BITS + ROW_SHIFT;

    static final long OWNED = InstrNative.owned(), WAY_OFFSETS = InstrNative.ways() - 1 << WAY_SHIFT;

    /**
     * From a way to the owners of its pages: ~Thread.tid, since 0 is the id of a thread that has not got one yet;
     * 0: nobody has owned the page; FREE: its owner has ended.
     */
    static final long OWNERS = (long) -WAYS << WAY_SHIFT, FREE = 1;

    /**
     * Beside the owners: how many calls of methods of each page others have had since it has its owner, more or less, as they add
     * without atomic operations; and how many the owner has had. Only where a page has had an owner they are writable.
     */
    static final long MISSED = OWNERS + (8L << ID_BITS - ROW_BITS), HAD = MISSED + (8L << ID_BITS - ROW_BITS);

    /**
     * After so many calls of a method a thread owns its page, if nobody does: threads that only start the program, and wait from then
     * on, have fewer. Where an owner has ended, another of its kind is likely to follow.
     */
    private static final int MANY = 1 << 12, MANY_OF_FREE = 1 << 10;

    /** Calls of a thread that does not own the page, before it sees who does. */
    static final int SOME_CALLS = 64;

    /** In place of the id of a carrier that is not known at this moment: neither this nor ~this is in a line or among OWNERS. */
    static final long UNKNOWN = -3;

    /** The tasks of virtual threads, and of threads that had no slot when they needed one. */
    static final ThreadLocal<InstrTask> LOCAL = new ThreadLocal<InstrTask>();

    /** There were platform threads without a slot. */
    static volatile boolean crowded;

    /** System.nanoTime() when the counters were last released: calls that began before are not recorded. */
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
            // Not initialized, because that would start its scheduler.
            virtual = Class.forName("java.lang.VirtualThread", false, null);
            carrier = InstrUnsafe.offset(virtual, "carrierThread");
        } catch (Throwable unknown) {
            // This VM has no virtual threads, or other ones. The ids of threads are required, though.
            if (tid == 0) throw new InternalError();
        }
        try {
            InstrTask none = (InstrTask) InstrUnsafe.allocate(InstrTask.class);
            none.tid = -1;
            TASKS[0] = none;
            for (int i = 1; i < SLOTS; i *= 2) System.arraycopy(TASKS, 0, TASKS, i, i);
        } catch (Throwable failed) {
            throw new InternalError();
        }
        VIRTUAL = virtual;
        TID = tid;
        CARRIER = carrier;
    }

    private InstrThreads() {}

    /** The line of the first slot for a thread's id; with the lowest bit flipped, of the second one. */
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

    /** The page for a method in the block with this line; 0: there is none. */
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

    /** The slot of a line; -1: it is not in a slot. */
    static int slotOf(long line) {
        long distance = line - LINES >> LINE_SHIFT;
        return distance >= 0 && distance < SLOTS ? (int) distance : -1;
    }

    /** The line of the current thread, in a slot or not; 0: out of memory. */
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
     * Fails if the stack does not suffice for what the runtime does from the entry of a method to its exit. Called first by methods
     * that enter, for the time in which they are interpreted: interpreted code checks at its entry only that its own frame
     * fits on the stack. So build.py raises max_locals of this method. Inlined into compiled code it has no effect: there max_stack
     * of the caller is raised.
     *
     * <p>This method may be compiled while the caller is interpreted. Compiled code, too, looks for the room that build.py
     * asks for if it may call. Where it is inlined, compilers see that `never` is 0, and that it calls nothing.
     */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void room(int never) {
        if (never != 0) findLine();
    }

    /** As room, with more, for the calls pass: a call that is counted there must also enter the timing pass behind it. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void mostRoom(int never) {
        if (never != 0) findLine();
    }

    /**
     * As room, before a call is counted by a method that calls others after that: an entry that was counted must not fail. Also the
     * exit must not: it may be interpreted while the entry is compiled, and without it the method would seem to be running
     * forever, and all its later calls would seem to be inner calls.
     *
     * <p>The caller's own max_stack is no use there, because C1 makes the caller's frame as large. So build.py raises that of this
     * method. At its entry compiled code checks that the frames of the interpreter would also fit on the stack (HotSpot, since
     * JDK 8u20), page by page. It has no reference: see InstrExceptions.findRoom.
     */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void findRoom(int never) {
        if (never != 0) findLine();
    }

    /** As findRoom, with more, for the calls pass: see mostRoom. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void findMostRoom(int never) {
        if (never != 0) findLine();
    }

    /** The row of a method, 0: there is none; for methods that count. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static long rowInlined(int id) {
        long tid = InstrUnsafe.carrierTidInlined(), line = line(tid), page = InstrUnsafe.get(line) == tid ? page(line, id) : 0;
        return page == 0 ? 0 : row(page, id);
    }

    /** The counters that a thread may own. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static long way(long tid) {
        return OWNED | tid << WAY_SHIFT & WAY_OFFSETS;
    }

    /** The address of OWNERS, MISSED or HAD for a method. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static long fact(long way, int id, long fact) {
        return way + (fact + ((long) (id >>> ROW_BITS) << 3));
    }

    /** Who owns the page of a method, see OWNERS. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static long owner(long way, int id) {
        return InstrUnsafe.get(fact(way, id, OWNERS));
    }

    /** The row of a method in a page that this thread owns; 0: it does not own it. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static long ownRow(int id) {
        long tid = InstrUnsafe.tid(), way = way(tid);
        return owner(way, id) == ~tid ? ownedRow(way, id) : 0;
    }

    /** The row of a method in a page that has an owner. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static long ownedRow(long way, int id) {
        return way + ((long) id << ROW_SHIFT);
    }

    /** Counts an event of a thread that does not own the page. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void countAny(int id, int what) {
        if (what != INITIALIZED) findMostRoom(0);
        long tid = InstrUnsafe.carrierTid(), line = line(tid), page = InstrUnsafe.get(line) == tid ? page(line, id) : 0;
        if (page == 0) {
            countSlowly(id, what);
            return;
        }
        long row = row(page, id);
        add(row, what);
        if (what != INITIALIZED && InstrUnsafe.get(row) % SOME_CALLS == 0) own(id, InstrUnsafe.get(row));
    }

    /** Owns the page of a method from now on, of which the thread has had so many calls, if nobody does. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void own(int id, long calls) {
        try {
            if (WAY_OFFSETS == 0) return; // address space is limited
            long tid = InstrUnsafe.carrierTid(), owner = owner(way(tid), id);
            if (tid > 0 && (owner == 0 && calls >= MANY || owner == FREE && calls >= MANY_OF_FREE)) InstrNative.own(id, tid);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
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

    /** Appends a record. False: out of memory for buffers. */
    static boolean append(long line, long first, long second) {
        if (InstrUnsafe.get(line + POSITION) == InstrUnsafe.get(line + END)) InstrNative.flush();
        long position = InstrUnsafe.get(line + POSITION);
        if (position == InstrUnsafe.get(line + END)) return false;
        put(line, position, first, second);
        return true;
    }

    /** Writes a record. Elements are complemented, so that 0 means not written yet. */
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
        long tid = InstrUnsafe.carrierTid();
        return InstrUnsafe.get(line(tid)) == tid ? openAt(tid, id, what) : openBeside(id, what);
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static long openBeside(int id, int what) {
        long tid = InstrUnsafe.carrierTid();
        return InstrUnsafe.get(line(tid ^ 1)) == tid ? openAt(tid ^ 1, id, what) : openSlowly(id, what);
    }

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
        // If the marks are equal, the method is not running, and its level is the same as last time.
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
     * Puts a method on the stack unless it is there, which means that it is running already. A mark in its row holds
     * the position, unless it is of another task, or 0. A constructor is put on the stack only after super() or this() has
     * returned: before, it may end without a call of the runtime.
     */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static long push(InstrTask task, long row, int id, int what) {
        renew(task);
        int depth = task.depth, at = 0;
        long saved = task.children + (depth << DEPTH_SHIFT);
        try {
            int[] stack = task.stack;
            long mark = row == 0 ? -1 : InstrUnsafe.get(row + ROW_MARK) - task.epoch;
            // A virtual thread may come back to a carrier that has never forgotten its task.
            if (mark >>> 16 != 0 || isVirtual()) while (at < depth && stack[at] != id) at++;
            else at = mark < depth && stack[(int) mark] == id ? (int) mark : depth;
            if (at == depth) {
                if (what == CONSTRUCT || depth == DEPTH_MAX) return saved;
                if (depth == stack.length) task.stack = stack = longer(stack);
                stack[depth] = id;
                task.depth = (char) (depth + 1);
            } else {
                saved += AGAIN;
            }
            if (row != 0) InstrUnsafe.put(row + ROW_MARK, task.epoch + at);
        } catch (VirtualMachineError nevermind) {
            // Out of memory: the time of recursive calls counts twice.
        }
        return saved;
    }

    /** After a release the ids on the stack may be those of other methods. Calls that began before it are not recorded. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void renew(InstrTask task) {
        if (task.since == since) return;
        task.since = since;
        task.depth = 0;
        task.spanEnd = task.endedEnd = 0;
    }

    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static boolean isVirtual() {
        return VIRTUAL != null && Thread.currentThread().getClass() == VIRTUAL;
    }

    static int[] longer(int[] stack) {
        int[] longer = new int[stack.length * 2 < DEPTH_MAX ? stack.length * 2 : DEPTH_MAX];
        for (int i = 0; i < stack.length; i++) longer[i] = stack[i];
        return longer;
    }

    /** Leaves a timed method: writes a record. */
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

    /** Writes the record of a call with clock=auto; kind: flags of its first element. False: the counters were released meanwhile. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static boolean record(long duration, long self, long kind, int id) {
        if (duration < 0) duration = 0;
        if (since != 0 && System.nanoTime() - duration - since < 0) return false;
        long line = findLine();
        if (line == 0 || duration >>> TIME_BITS != 0 || !append(line, duration | kind, self << ID_BITS | id)) {
            int event = kind == InstrSampling.RECORD_TWICE ? -3 : (kind & InstrSampling.RECORD_AGAIN) != 0 ? -2 : -1;
            InstrNative.record(id, event, duration, self);
        }
        return true;
    }

    /**
     * As close, where the method is timed for another owner, too: that one's call encloses this one. What the method
     * spent in other methods stays the children's time; this call adds nothing to it.
     */
    static void closeInner(long duration, long saved, int id) {
        InstrTask task = task();
        long children = task == null ? 0 : task.children;
        close(duration, saved, id);
        if (task != null) task.children = children;
    }

    /** Counts, and writes a record of a number that no task has spent. */
    static void observe(long value, int id) {
        if (value < 0) value = 0;
        countSlowly(id, CALL);
        long line = findLine();
        if (line == 0 || value >>> TIME_BITS != 0 || !append(line, value, value << ID_BITS | id)) {
            InstrNative.record(id, -1, value, value);
        }
    }

    /**
     * Removes everything from the stack that was put there since. Called first, so that it happens even if the rest
     * fails.
     */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static void pop(InstrTask task, long saved) {
        int depth = (int) saved >>> DEPTH_SHIFT & DEPTH_MAX;
        if (depth < task.depth) task.depth = (char) depth;
    }

    /**
     * As closeAt, for any values. A frame may have been entered without memory for a task, or on the carrier and left
     * on the virtual thread; then its time of children is meaningless.
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

    /** Returns the self time. In doubt it returns too little, so that no time counts twice. */
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

    /** The task of the current thread, created if necessary. Null: unavailable now. */
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
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, -1);
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
        // Each failed allocation costs a garbage collection, so the next attempts are skipped.
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
        InstrTask task = InstrSpareTasks.make(tid);
        task.epoch = InstrNative.epoch();
        InstrUnsafe.put(line + WAIT, 0);
        return task;
    }

    /**
     * The task from the thread-local variable. Reading it runs code that may be instrumented and then calls this class
     * again: it gets a task of its own if the thread has a slot, otherwise none. A virtual thread may leave its carrier
     * meanwhile, also for the initialization of a class (since JDK 26). So BUSY says which thread is here, and is no
     * obstacle to others.
     */
    static InstrTask fetchLocal(long tid, long line) throws Throwable {
        if (InstrUnsafe.get(line + BUSY) == tid) return null;
        InstrTask interim = newTask(tid, line), task = interim;
        InstrUnsafe.put(line + BUSY, tid);
        try {
            install(interim);
            task = LOCAL.get();
            if (task == null) LOCAL.set(task = interim);
            else task.children += interim.children;
        } catch (UnsupportedOperationException refused) {
            // JDK 19 and 20 have threads that do not support thread-local variables.
            task = interim;
        } finally {
            notBusy(line, tid);
        }
        install(task);
        return task;
    }

    /** Separate, because the thread may have another carrier than before. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void notBusy(long line, long tid) {
        if (InstrUnsafe.get(line + BUSY) == tid) InstrUnsafe.put(line + BUSY, 0);
    }

    /** Installs the task in the current thread's slot, if it has one. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void install(InstrTask task) {
        int slot = slotOf(findLine());
        if (slot >= 0) TASKS[slot] = task;
        task.epoch = InstrNative.epoch();
    }
}
