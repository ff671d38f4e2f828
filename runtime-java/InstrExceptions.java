package java.lang;

import instr.runtime.InstrExceptionsNative;

/**
 * Called by code that the exceptions pass inserted, with the exception and the ids of the site and the method.
 *
 * <p>A row counts exceptions of one class, from one place, that ended in one way. An exception first counts in the
 * row of uncaught exceptions, and moves to another row when it is caught. Each thread has counters of its own
 * (InstrThreads): the column calls counts exceptions added to the row, the column thrown those removed from it.
 *
 * <p>This class calls no method of the application or of the exception. Errors of its own, for lack of stack or memory,
 * do not leave it; exceptions that other threads throw into this one do, and inserted code lets these
 * through where Thread.stop() works.
 */
public final class InstrExceptions {
    /** Flag in a method's id: code also jumps to its handler, with any exception. */
    private static final int JOINED = 1 << 24;

    private static final int LEFT_THREAD = -1;

    /** Kinds of keys. */
    private static final int THROWN_AT = 1, TRACED = 2, SEEN_IN = 3, CAUGHT_IN = 4;

    /** Numbers of frames that are recorded, of callers that are compared, and of the runtime's frames on top, at most. */
    private static final int FRAMES = 32, CALLERS = 4, OWN_FRAMES = 12;

    /**
     * Number of frames of a StackOverflowError that are left out, since the stack hardly suffices there; twice as many when it does not
     * suffice behind them either, from then on. Each failure costs a walk over the whole stack.
     */
    private static final int LEFT_OUT = 1 << 8, MOST_LEFT_OUT = 1 << 16;

    /** Number of errors that may be untold at the same time. */
    private static final int MOST_UNTOLD = 16;

    private static final int FIRST = 1 << 10, MOST = 1 << 17;

    /**
     * A note, from its highest bit on: the low bits of the exception's hash code; whether the JVM reuses the exception;
     * the row that counts it while it is uncaught; the row that counts it now, or ROW_MASK: the same one. 0: no note.
     * FAILED: the handler could not be reported.
     */
    private static final int HASH_SHIFT = 2 * InstrThreads.ID_BITS + 1, ROW_MASK = (1 << InstrThreads.ID_BITS) - 1;

    private static final long REUSED = 1L << 2 * InstrThreads.ID_BITS, FAILED = 1;

    /**
     * Rows by key: elements 2i are keys, elements 2i + 1 are rows, plus 1. A thread may miss an entry that another
     * thread has just added, and then adds it again.
     */
    private static long[] known = new long[FIRST];

    private static int count;

    /** Frames that `current`, on the thread `exhausted`, still leaves without a report, of `enough`. Others that overflow at the same time try in vain. */
    private static int leftOut, enough = LEFT_OUT;

    private static Thread exhausted;

    private static Throwable current;

    /** A report of it has failed, so that handlers which rethrow it leave it out, too: else what they need of the stack is there, see room. */
    private static boolean insufficient;

    /**
     * Errors of one thread that were left out so far, each with the method in which it was seen first. When the thread reports another
     * exception, those that it has not reported were caught by code without instrumentation.
     */
    private static final Throwable[] untold = new Throwable[MOST_UNTOLD];

    private static final int[] untoldIn = new int[MOST_UNTOLD];

    /** For what is untold, and for `known`. */
    private static final InstrExceptionsLock lock = InstrExceptionsLock.make();

    private static int untoldCount;

    private static Thread untoldBy;

    /** Never true, which compilers do not know. */
    private static boolean calls;

    private InstrExceptions() {}

    /**
     * Called first by methods with a handler that may catch a StackOverflowError: what reports there has more of the stack
     * then than findRoom asks for. build.py raises max_stack and max_locals, as there.
     */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void room() {
        if (calls) InstrThreads.findLine();
    }

    /** An athrow is about to throw the exception. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void thrown(Throwable exception, int site) {
        try {
            InstrFlight flight = flight();
            if (exception == null || flight == null) return;
            start(flight, exception, site);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, site);
        }
    }

    /** As thrown, unless the exception is the one that passing has noted: then a handler passes it on. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void rethrown(Throwable exception, int site, long note) {
        if (note == FAILED) return;
        try {
            InstrFlight flight = flight();
            if (exception == null || flight == null) return;
            int hash = System.identityHashCode(exception);
            if (note == 0 || (note ^ (long) hash << HASH_SHIFT) >>> HASH_SHIFT != 0) {
                start(flight, exception, site);
                return;
            }
            int caught = (int) note & ROW_MASK, row = (int) (note >>> InstrThreads.ID_BITS) & ROW_MASK;
            if (caught != ROW_MASK) {
                subtract(caught);
                add(row);
            }
            flight.begin(hash, row, (note & REUSED) != 0);
            if (exception instanceof StackOverflowError) noteTold(exception);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, site);
        }
    }

    /** A handler has caught the exception. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void caught(Throwable exception, int method) {
        try {
            InstrFlight flight = flight();
            if (exception != null && flight != null) end(flight, exception, method, false);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, method & ~JOINED);
        }
    }

    /**
     * A handler that may rethrow the exception has caught it: finally, synchronized. Returns the note for rethrown. Some
     * frames are left out, as in left. What can be noted can also be told by rethrown: pass finds more room on the stack
     * than that needs, even where it is interpreted and this is compiled. Otherwise one flight would be counted twice.
     */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static long passing(Throwable exception, int method) {
        Thread thread = exception instanceof VirtualMachineError ? Thread.currentThread() : null;
        if (thread != null && insufficient && exception == current && thread == exhausted && leftOut > 0) {
            leftOut--;
            return FAILED;
        }
        try {
            return pass(exception, method);
        } catch (Throwable failed) {
            if (failed instanceof VirtualMachineError) {
                if (thread != null) leaveOutMore(exception, thread, failed);
                return FAILED;
            }
            InstrFailure.tell(failed, method & ~JOINED);
        }
        return 0;
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    private static long pass(Throwable exception, int method) {
        findRoom();
        InstrFlight flight = flight();
        return exception == null || flight == null ? 0 : end(flight, exception, method, true);
    }

    /**
     * The exception leaves the method. While the stack is exhausted, reporting that fails in frame after frame, and each
     * time HotSpot walks the whole stack. So the first frames are left out. Those that follow have more room. With a full heap
     * there is an OutOfMemoryError in place of the StackOverflowError, and each failure costs a garbage collection: some frames are
     * left out after one.
     */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void left(Throwable exception, int method) {
        Thread thread = exception instanceof VirtualMachineError ? Thread.currentThread() : null;
        if (thread != null && isLeftOut(exception, method, thread)) return;
        try {
            leave(exception, method);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, method & ~JOINED);
            else if (thread != null) leaveOutMore(exception, thread, failed);
        }
    }

    /** Is this frame of an error of the JVM left out? A new StackOverflowError is noted. What this needs of the stack fails in one frame or two. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    private static boolean isLeftOut(Throwable exception, int method, Thread thread) {
        if (exception == current && thread == exhausted) {
            if (leftOut == 0) return false;
            leftOut--;
            return true;
        }
        if (!(exception instanceof StackOverflowError) || !lock.take()) return false;
        try { // it calls nothing
            int n = untoldCount;
            boolean mine = n == 0 || untoldBy == thread;
            if (!mine || n == MOST_UNTOLD || (exhausted != null && exhausted != thread)) return false;
            if (n == 0 || untold[n - 1] != exception) {
                untoldBy = thread;
                untold[n] = exception;
                untoldIn[n] = method;
                untoldCount = n + 1;
            }
            exhausted = thread;
            current = exception;
            leftOut = enough - 1;
            insufficient = false;
        } finally {
            lock.held = 0;
        }
        return true;
    }

    /** Reporting has failed: more frames are left out. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    private static void leaveOutMore(Throwable exception, Thread thread, Throwable failed) {
        // Else no frame was left out yet: another thread has overflowed before, and other code has caught that.
        boolean more = exception == current && thread == exhausted && leftOut == 0;
        exhausted = thread;
        current = exception;
        leftOut = enough;
        insufficient = true;
        if (more && failed instanceof StackOverflowError && enough < MOST_LEFT_OUT) enough *= 2;
    }

    /** The StackOverflowError is counted: the frames that it leaves have nothing to report. */
    private static void noteTold(Throwable exception) {
        exhausted = Thread.currentThread();
        current = exception;
        leftOut = Integer.MAX_VALUE;
        insufficient = false;
    }

    /** Counts what is untold, but this exception, if it is of this thread, or of one that has ended; or with `any` of whatever thread. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    private static void tell(InstrFlight flight, Throwable but, boolean any) {
        for (int i = 0; i < MOST_UNTOLD; i++) {
            Throwable error;
            int method;
            Thread by = untoldBy;
            if (by == null || (!any && by != Thread.currentThread() && by.isAlive())) return;
            lock.await();
            try {
                if (by != untoldBy) continue;
                method = untoldIn[--untoldCount];
                error = untold[untoldCount];
                untold[untoldCount] = null;
                if (untoldCount == 0) untoldBy = null;
            } finally {
                lock.held = 0;
            }
            if (error == but || flight.has(System.identityHashCode(error))) continue;
            int row = find(flight, error, method);
            if (row >= 0) add(row);
        }
    }

    /** Called by native code before the results are read. ends: no exceptions are reported any more. */
    static void tellRest(boolean ends) {
        InstrFlight flight = untoldCount == 0 ? null : flight();
        if (flight != null) tell(flight, null, ends);
        if (!ends) return;
        exhausted = null; // it would keep a class loader alive
        current = null;
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    private static void leave(Throwable exception, int method) {
        findRoom();
        InstrFlight flight = flight();
        if (exception == null || flight == null) return;
        if (untoldCount != 0) tell(flight, exception, false);
        if (!isKnown(flight, exception, 3)) {
            int row = find(flight, exception, method);
            flight.suspend();
            if (row < 0) return;
            add(row);
            flight.begin(System.identityHashCode(exception), row, isReused(exception));
        }
        if (flight.reused && flight.frames == null && flight.mayNote()) note(flight, 2);
        if (exception instanceof StackOverflowError) noteTold(exception);
    }

    /** The exception has left its thread: Thread.dispatchUncaughtException has it. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void uncaught(Throwable exception) {
        try {
            InstrFlight flight = flight();
            if (exception != null && flight != null) end(flight, exception, LEFT_THREAD, false);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, -1, "exceptions");
        }
    }

    /**
     * Fails if the stack does not suffice for what reports an exception. build.py raises max_locals, which the interpreter
     * finds unused, and max_stack, which compiled code finds unused at its entry because it may call. It has no reference
     * while it calls: C1 of JDK 8 cannot describe one in so large a frame, and does not compile the method then.
     */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    private static void findRoom() {
        if (calls) InstrThreads.findLine();
    }

    /** The exceptions in flight on the current thread. Null: unavailable now. */
    private static InstrFlight flight() {
        InstrTask task = InstrThreads.task();
        return task == null ? null : flight(task);
    }

    private static InstrFlight flight(InstrTask task) {
        InstrFlight flight = task.flight;
        if (flight == null) task.flight = flight = newFlight();
        return flight == null || flight.busy ? null : flight;
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    private static InstrFlight newFlight() {
        try {
            return InstrSpareTasks.makeFlight();
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, -1, "exceptions");
            return null;
        }
    }

    private static void add(int row) {
        InstrThreads.count(row, InstrThreads.CALL);
    }

    private static void subtract(int row) {
        InstrThreads.count(row, InstrThreads.THROWN);
    }

    /** An exception is thrown. */
    private static void start(InstrFlight flight, Throwable exception, int site) {
        if (untoldCount != 0) tell(flight, null, false);
        flight.suspend();
        long key = key(THROWN_AT, System.identityHashCode(exception.getClass()), site);
        int row = lookUp(key);
        if (row < 0) row = learnRow(flight, key, exception, site, 0);
        if (row < 0) return;
        add(row);
        flight.begin(System.identityHashCode(exception), row, isThrownByVm(exception));
        if (exception instanceof StackOverflowError) noteTold(exception);
    }

    /** Does HotSpot throw this object again and again? A StackOverflowError is always a new one. */
    private static boolean isReused(Throwable exception) {
        return !(exception instanceof StackOverflowError) && InstrExceptionsNative.backtrace(exception) == null;
    }

    /** The same for an exception that the application throws: only those of a few classes are HotSpot's. */
    private static boolean isThrownByVm(Throwable exception) {
        Class<?> type = exception.getClass();
        boolean may = type == NullPointerException.class || type == ArrayIndexOutOfBoundsException.class
                || type == ClassCastException.class || type == ArithmeticException.class
                || type == ArrayStoreException.class;
        return may && isReused(exception);
    }

    /** A handler has the exception. Returns a note of what is counted; 0: nothing. */
    private static long end(InstrFlight flight, Throwable exception, int method, boolean mayGoOn) {
        boolean joined = method >= 0 && (method & JOINED) != 0;
        if (joined) method &= ~JOINED;
        if (untoldCount != 0) tell(flight, exception, false);
        boolean known = isKnown(flight, exception, mayGoOn ? 4 : 3);
        if (joined && !known) return 0;
        boolean ended = exception instanceof StackOverflowError || exception == current && !mayGoOn;
        if (ended && exhausted == Thread.currentThread()) {
            exhausted = null;
            current = null;
        }
        int row = known ? flight.row : find(flight, exception, method);
        if (!known) flight.suspend();
        flight.end();
        if (row < 0) return 0;
        long key = key(CAUGHT_IN, row, method);
        int caught = lookUp(key);
        if (caught < 0) caught = learnCaught(flight, key, row, exception, method);
        if (known && caught >= 0) subtract(row);
        if (caught >= 0) add(caught);
        else if (!known) add(row);
        if (!mayGoOn) return 0;
        boolean reused = known ? flight.reused : isReused(exception);
        long note = (long) System.identityHashCode(exception) << HASH_SHIFT | (long) row << InstrThreads.ID_BITS;
        return note | (reused ? REUSED : 0) | caught & ROW_MASK;
    }

    /** Is the exception in flight already, and not thrown a second time? */
    private static boolean isKnown(InstrFlight flight, Throwable exception, int ours) {
        int hash = System.identityHashCode(exception);
        if (flight.hash == hash && flight.frames == null) {
            flight.at = 0;
            return true;
        }
        boolean compares = flight.hasFrames(hash);
        long[] now = compares ? InstrExceptionsNative.stack(ours, CALLERS) : null;
        if (flight.hash == hash && compares && now == null) { // no memory
            flight.forgetFrames();
            return true;
        }
        if (flight.hash == hash) {
            int at = InstrFlight.find(flight.frames, flight.at, now);
            flight.at = at;
            if (at > FRAMES / 2) note(flight, ours);
            if (at >= 0) return true;
            flight.hash = 0;
            flight.frames = null;
        }
        return flight.top != 0 && flight.resume(hash, now);
    }

    /** The frames that the exception may come to. Without memory for them its hash code must suffice. */
    private static void note(InstrFlight flight, int ours) {
        flight.frames = InstrExceptionsNative.stack(ours + 1, FRAMES);
        flight.at = 0;
        if (flight.frames == null) flight.forgetFrames();
    }

    /** The row of an exception whose throw was not seen. */
    private static int find(InstrFlight flight, Throwable exception, int method) {
        int type = System.identityHashCode(exception.getClass());
        long place = place(InstrExceptionsNative.backtrace(exception), exception instanceof StackOverflowError);
        long key = place != 0 ? key(TRACED, type, place) : key(SEEN_IN, type, method);
        int row = lookUp(key);
        return row >= 0 ? row : learnRow(flight, key, exception, -1, method);
    }

    /**
     * The place where a stack trace begins, as HotSpot records it: arrays of the methods' indexes in their classes, of
     * the instructions, and of the classes. 0: unknown.
     */
    private static long place(Object backtrace, boolean overflow) {
        if (!(backtrace instanceof Object[])) return 0;
        Object[] parts = (Object[]) backtrace;
        if (parts.length < 3 || !(parts[0] instanceof short[]) || !(parts[1] instanceof int[])) return 0;
        if (!(parts[2] instanceof Object[])) return 0;
        short[] methods = (short[]) parts[0];
        int[] instructions = (int[]) parts[1];
        Object[] types = (Object[]) parts[2];
        int at = 0;
        for (int i = 0; overflow && i < OWN_FRAMES && i < types.length; i++) if (isOurs(types[i])) at = i + 1;
        if (at >= methods.length || at >= instructions.length || at >= types.length || types[at] == null) return 0;
        return mix(mix(System.identityHashCode(types[at]), methods[at]), instructions[at]);
    }

    /** Is it a class of the runtime? It overflows the stack on behalf of the method that calls it. */
    private static boolean isOurs(Object type) {
        String name = type instanceof Class ? ((Class<?>) type).getName() : "";
        return name.startsWith("java.lang.Instr") || name.startsWith("instr.runtime.");
    }

    private static long mix(long a, long b) {
        long h = (a ^ b * 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        h = (h ^ h >>> 29) * 0x94D049BB133111EBL;
        return h ^ h >>> 32;
    }

    private static long key(int kind, int type, long place) {
        long key = mix(mix(kind + 1, type), place + 1);
        return key == 0 ? 1 : key;
    }

    private static int lookUp(long key) {
        long[] table = known;
        int mask = table.length / 2 - 1;
        for (int i = (int) key & mask; ; i = i + 1 & mask) {
            long found = table[2 * i];
            if (found == key) return (int) table[2 * i + 1] - 1;
            if (found == 0) return -1;
        }
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    private static int learnRow(InstrFlight flight, long key, Throwable exception, int site, int method) {
        flight.busy = true;
        try {
            return learn(key, InstrExceptionsNative.row(exception, site, method));
        } finally {
            flight.busy = false;
        }
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    private static int learnCaught(InstrFlight flight, long key, int row, Throwable exception, int method) {
        flight.busy = true;
        try {
            return learn(key, InstrExceptionsNative.caught(row, exception, method));
        } finally {
            flight.busy = false;
        }
    }

    /** Where this fails, or another thread does it, the row is looked up again next time. */
    private static int learn(long key, int row) {
        if (row < 0 || !lock.take()) return row;
        try {
            remember(key, row);
        } catch (VirtualMachineError nevermind) {
        } finally {
            lock.held = 0;
        }
        return row;
    }

    /**
     * Forgets all rows: their ids are assigned anew from now on. The thread that runs this, the main thread if the agent
     * starts with the JVM, can count exceptions even if the heap is full when it throws the first one; so can some others, see InstrSpareTasks.
     */
    static void forget() throws Throwable {
        InstrSpareTasks.prepare();
        flight();
        long[] first = new long[FIRST];
        lock.await();
        try {
            known = first;
            count = 0;
            for (int i = 0; i < untoldCount; i++) untold[i] = null; // they would keep class loaders alive
            untoldCount = 0;
            untoldBy = null;
        } finally {
            lock.held = 0;
        }
        exhausted = null;
        current = null;
    }

    /** Adds an entry. The table is never full: it grows, and is cleared when it has its maximum size. */
    private static void remember(long key, int row) {
        if (count >= known.length / 4) {
            long[] old = known, larger = new long[old.length < MOST ? old.length * 2 : FIRST];
            count = 0;
            if (larger.length > old.length)
                for (int i = 0; i < old.length; i += 2) if (old[i] != 0) put(larger, old[i], old[i + 1]);
            known = larger;
        }
        put(known, key, row + 1);
    }

    private static void put(long[] table, long key, long value) {
        int mask = table.length / 2 - 1, i = (int) key & mask;
        while (table[2 * i] != 0 && table[2 * i] != key) i = i + 1 & mask;
        if (table[2 * i] == 0) count++;
        table[2 * i + 1] = value;
        table[2 * i] = key;
    }
}
