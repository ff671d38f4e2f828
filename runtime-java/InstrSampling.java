package java.lang;

import instr.runtime.InstrNative;

/**
 * Called by code that the timing pass inserted with clock=auto: enter or construct, whose result is the call's `state`; after
 * super() or this() initialized; at the end one of exit, thrown and thrownEarly.
 *
 * <p>Most calls read no clock: their state is the time of the last tick, which a thread of the agent writes to memory each
 * millisecond. A call that sees the same tick when it returns was short and is only counted. One that sees another tick
 * was long, or was there at that moment by chance: its time is estimated so that the sum over many calls is right.
 *
 * <p>Of the other calls some are timed: all at first; all of methods that are not short, or call themselves; and a random
 * one of some 64 consecutive calls of short methods. Their state is negative and holds the time of the entry.
 *
 * <p>Self time is what ticks show: each is charged to the innermost method that was running. That method is the first one
 * to leave after the tick.
 */
public final class InstrSampling {
    /** The address of the time of the last tick, as System.nanoTime() has it; behind it is that of the tick before. */
    static final long TICK = InstrNative.tick();

    /** The state of a timed call: bits that are flags, and the time of the entry. PUSHED: it is on the task's stack. */
    static final long TIMED = 1L << 63, PUSHED = 1L << 62, SAMPLED = 1L << 61, AGAIN = 1L << 60, TIME = AGAIN - 1;

    /** As AGAIN, in the first element of a record: see instr/counters/records.h. */
    static final long RECORD_AGAIN = 1L << InstrThreads.AGAIN_SHIFT, RECORD_SAMPLED = 1L << 60, RECORD_ESTIMATED = 1L << 59;

    /**
     * Offsets in a row. The last part is so far behind the first one (instr/counters/threads.c) and has: the mean of timed
     * calls, times 16; their number; how many calls there were when one that is running was entered; and the time of the
     * ticks that calls without a clock have seen, less what these calls were estimated to take.
     */
    static final int NEXT = 24, MEAN = 1 << InstrThreads.ROW_BITS + InstrThreads.ROW_SHIFT, NUMBER = MEAN + 8, ENTERED = MEAN + 16,
            TICKED = MEAN + 24;

    /** A method is judged after so many timed calls. It is short below the first time, and not any more above the second. */
    static final int JUDGED = 64, SHORT = 1000, NOT_SHORT = 2000;

    /** Longer calls, which ticks see, do not make a method long. */
    static final int USUAL = 1 << 20;

    private InstrSampling() {}

    /** Enters a method. C2 may inline this where it is called often; for C1 it is too long, as InstrCalls.enter. */
    public static long enter(int id) {
        long row = 0;
        try {
            row = InstrThreads.rowInlined(id);
            if (row != 0) {
                long calls = InstrUnsafe.get(row) + 1;
                if (calls < InstrUnsafe.get(row + NEXT)) {
                    long tick = InstrUnsafe.get(TICK);
                    InstrUnsafe.put(row, calls);
                    return tick;
                }
            }
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
        return enterTimed(id, InstrThreads.CALL);
    }

    /** Enters a constructor that will call super() or this(). */
    public static long construct(int id) {
        try {
            long row = InstrThreads.rowInlined(id);
            if (row != 0) {
                long calls = InstrUnsafe.get(row) + 1;
                if (calls < InstrUnsafe.get(row + NEXT)) {
                    long tick = InstrUnsafe.get(TICK);
                    InstrUnsafe.put(row, calls);
                    InstrThreads.addThrown(row, 1);
                    return tick;
                }
            }
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
        return enterTimed(id, InstrThreads.CONSTRUCT);
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static long enterTimed(int id, int what) {
        try {
            if (what == InstrThreads.CONSTRUCT) InstrThreads.moreRoom();
            InstrThreads.room();
            InstrThreads.countSlowly(id, what);
            return open(id, what) | System.nanoTime();
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
            return 0;
        }
    }

    /** The call of super() or this() has returned. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void initialized(int id) {
        InstrCalls.initialized(id);
        try {
            long row = InstrThreads.currentRow(id);
            if (row == 0 || InstrUnsafe.get(row + NEXT) != 0) return;
            InstrTask task = InstrThreads.task();
            if (task != null) InstrThreads.push(task, row, id, InstrThreads.INITIALIZED);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** An exception leaves a constructor that has not called super() or this() yet. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void thrownEarly(long state, int id) {
        if (state != InstrUnsafe.get(TICK)) left(System.nanoTime(), state < 0 ? state & ~PUSHED : state, id, true);
    }

    /** The method returns. The clock is read here, where compilers look first. */
    public static void exit(long state, int id) {
        if (state != InstrUnsafe.get(TICK)) left(System.nanoTime(), state, id, true);
    }

    /** An exception leaves the method. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void thrown(long state, int id) {
        if (state != InstrUnsafe.get(TICK)) left(System.nanoTime(), state, id, true);
        InstrCalls.thrown(id);
    }

    /** The method returns; it is timed for another owner, too, whose call encloses this one and is charged as well. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void exitInner(long state, int id) {
        if (state != InstrUnsafe.get(TICK)) left(System.nanoTime(), state, id, false);
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void thrownInner(long state, int id) {
        if (state != InstrUnsafe.get(TICK)) left(System.nanoTime(), state, id, false);
        InstrCalls.thrown(id);
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void left(long now, long state, int id, boolean outer) {
        try {
            if (state != 0) close(now, state, id, outer);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** The flags of a timed call. A constructor is put on the stack by initialized. */
    private static long open(int id, int what) {
        long row = InstrThreads.currentRow(id), state = TIMED;
        InstrTask task = InstrThreads.task();
        if (row == 0 || task == null) return state;
        int depth = task.depth;
        if ((InstrThreads.push(task, row, id, what) & InstrThreads.AGAIN) != 0) state |= AGAIN;
        if (task.depth > depth || what == InstrThreads.CONSTRUCT) state |= PUSHED;
        long calls = InstrUnsafe.get(row);
        if ((state & AGAIN) == 0) InstrUnsafe.put(row + ENTERED, calls);
        if (InstrUnsafe.get(row + NEXT) == 0) return state;
        InstrUnsafe.put(row + NEXT, calls + gap(calls));
        return state | SAMPLED;
    }

    /** From a timed call to the next: 32 to 95 calls, at random, so that no period of the program meets it. */
    private static long gap(long calls) {
        return 32 + ((calls + InstrUnsafe.get(TICK)) * 0x9E3779B97F4A7C15L >>> 58);
    }

    private static void close(long now, long state, int id, boolean outer) {
        InstrTask task = InstrThreads.task();
        long last = InstrUnsafe.get(TICK), before = InstrUnsafe.get(TICK + 8), kind, from, duration;
        if (state < 0) {
            long start = state & TIME;
            duration = now - start;
            from = last <= start ? last : start > before ? before : start - (last - before >> 1);
            kind = (state & AGAIN) != 0 ? RECORD_AGAIN : (state & SAMPLED) != 0 && last <= start ? RECORD_SAMPLED : 0;
            if (task != null && (state & PUSHED) != 0) pop(task, id);
            judge(id, state, duration);
        } else {
            // It was there at one tick: on average it took twice as long as from then on. At several: at the first of them
            // it had begun half a tick ago on average; but threads also lose their processor at ticks, just after it began.
            long most = now - state, tick = last - before;
            duration = state == before ? now - last << 1 : most - tick + (tick >> 2);
            if (duration > most) duration = most;
            from = state;
            kind = RECORD_ESTIMATED;
            long row = InstrThreads.currentRow(id);
            if (row != 0) InstrUnsafe.put(row + TICKED, InstrUnsafe.get(row + TICKED) + last - from - duration);
        }
        long self = charge(task, from, last, outer);
        // A short call that is timed takes longer by that: a tick then says nothing.
        if (state < 0 && (state & SAMPLED) != 0 && duration < USUAL) self = 0;
        InstrThreads.record(duration, self, kind, id);
    }

    /** The time of the ticks from one to another that no other method of this thread has been charged with. */
    private static long charge(InstrTask task, long from, long to, boolean outer) {
        if (task == null) return 0;
        if (task.seen > from) from = task.seen;
        if (to <= from) return 0;
        if (outer) task.seen = to;
        return to - from;
    }

    /** Removes the innermost call of a method from the stack, with all that is above it. */
    private static void pop(InstrTask task, int id) {
        int[] stack = task.stack;
        int at = task.depth;
        while (at > 0 && stack[at - 1] != id) at--;
        if (at > 0) task.depth = (char) (at - 1);
    }

    /** Decides how often a method is timed from now on. */
    private static void judge(int id, long state, long duration) {
        long row = InstrThreads.currentRow(id);
        if (row == 0) return;
        if ((state & AGAIN) != 0 || InstrUnsafe.get(row) != InstrUnsafe.get(row + ENTERED)) {
            InstrUnsafe.put(row + NEXT, 0); // it calls itself
            InstrUnsafe.put(row + NUMBER, Long.MIN_VALUE);
            return;
        }
        long mean = InstrUnsafe.get(row + MEAN), number = InstrUnsafe.get(row + NUMBER) + 1;
        if (duration < USUAL) mean += (duration << 4) - mean >> 3;
        InstrUnsafe.put(row + MEAN, mean);
        InstrUnsafe.put(row + NUMBER, number);
        if (number < JUDGED) return;
        boolean sampled = InstrUnsafe.get(row + NEXT) != 0;
        if (!sampled && mean < SHORT << 4) InstrUnsafe.put(row + NEXT, InstrUnsafe.get(row) + gap(number));
        if (!sampled || mean <= NOT_SHORT << 4) return;
        InstrUnsafe.put(row + NEXT, 0);
        InstrUnsafe.put(row + NUMBER, 0);
    }

    // Code of classes that were retransformed calls the following instead, so that few constants are added.

    static final int ENTER = 0, EXIT = 1, THROWN = 2, CONSTRUCT = 3, INITIALIZED = 4, EXIT_INNER = 5, THROWN_INNER = 6,
            THROWN_EARLY = 7;

    /** Does one of the above; returns 0 for methods without a result. See InstrTiming.timing. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    public static long sampling(long state, int id, int what) {
        if (what == ENTER) return enter(id);
        if (what == CONSTRUCT) return construct(id);
        if (what == EXIT) exit(state, id);
        else if (what == THROWN) thrown(state, id);
        else if (what == EXIT_INNER) exitInner(state, id);
        else if (what == THROWN_INNER) thrownInner(state, id);
        else if (what == THROWN_EARLY) thrownEarly(state, id);
        else initialized(id);
        return 0;
    }
}
