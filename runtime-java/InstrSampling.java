package java.lang;

import instr.runtime.InstrNative;

/**
 * Called by code that the timing pass inserted with clock=auto: enter or construct, whose result is the call's `state`; after
 * super() or this() initialized; at the end one of exit, thrown and thrownEarly.
 *
 * <p>Most calls read no clock: their state is the time of the last tick, which a thread of the agent writes to memory each
 * millisecond. A call that sees the same tick when it returns was short and is only counted. One that sees another tick
 * was long, or was there at that moment by chance: its time is estimated so that the sum over many calls is right.
 * Ticks also estimate the rare long calls of short methods that returned before a tick (unseen).
 *
 * <p>Methods that are too small for a clock (rewriters/tiny.h) only count their calls. What they take is time of their callers.
 *
 * <p>Most calls are those of threads that own the counters of the method (InstrThreads.OWNED), which are then found at once.
 *
 * <p>Of the other calls some are timed: all at first; all of long methods; and of others a random one of some 4^level
 * consecutive calls, where the level is such that timing takes some 5 % of the method's time at most (InstrSamplingLevels). Of methods that
 * call themselves these are outermost calls. Their state is negative and holds the time of the entry. Levels are of rows; a thread's
 * new rows get those of other threads (instr/counters/threads.c: take_levels).
 *
 * <p>Self time is what ticks show: each is charged to the innermost method that was running. That method is the first one
 * to leave after the tick.
 */
public final class InstrSampling {
    /**
     * The address of the time of the last tick, as System.nanoTime() has it; behind it is that of the tick before, and for how long
     * the process has run (instr/vm/ticks.h).
     */
    static final long TICK = InstrNative.tick(), RAN = TICK + 16;

    /**
     * The state of a timed call: bits that are flags, and the time of the entry. PUSHED: it is on the task's stack. HELD: it
     * is on the stack, but has no clock.
     */
    static final long TIMED = 1L << 63, PUSHED = 1L << 62, SAMPLED = 1L << 61, AGAIN = 1L << 60, HELD = 1L << 59, TIME = HELD - 1;

    /** As AGAIN, in the first element of a record; below it is the level: see instr/counters/records.h. */
    static final long RECORD_AGAIN = 1L << InstrThreads.AGAIN_SHIFT, RECORD_SAMPLED = 1L << 60, RECORD_ESTIMATED = 1L << 59;

    /** Not of a call: time that is in the total of the method twice. */
    static final long RECORD_TWICE = RECORD_AGAIN | RECORD_SAMPLED;

    static final int RECORD_LEVEL_SHIFT = 56;

    /** A sampled call that does not stand for others, because ticks show what calls as long as it take. */
    static final long RECORD_LONG = RECORD_SAMPLED | RECORD_ESTIMATED;

    /**
     * Offsets from a row (InstrThreads.COLUMN): the number of calls that were only counted, above CALL_SHIFT, with what
     * decides about the next one below: the level, 0 if all calls are timed; and how many more calls come before the next one that
     * is not only counted;
     * the mean of timed calls, times 16, and above MEAN_BITS what unseen says, in units of 2^UNSEEN_SHIFT ns; their number, as a
     * distance from Long.MIN_VALUE if the method calls itself; how many calls there were when one that is running was entered (negative:
     * in another row); and the time of the ticks that calls without a clock have seen, less what these calls were estimated to take.
     *
     * <p>A method that calls itself has in the upper half of its number how many of its outermost calls come before one is
     * timed; and in place of the third how many calls were within others and have no clock (INNER). While an outermost call
     * runs in a row of its owner, its number has RUNNING, calls within it are only counted, and INNER is less by the calls that
     * there were when it began.
     */
    static final long NEXT = InstrThreads.COLUMN, MEAN = 4 * InstrThreads.COLUMN, NUMBER = 5 * InstrThreads.COLUMN,
            ENTERED = 6 * InstrThreads.COLUMN, INNER = ENTERED, TICKED = 7 * InstrThreads.COLUMN;

    static final int LEVEL_SHIFT = 11, LEVEL = 7, LEFT = (1 << LEVEL_SHIFT) - 1, CALL_SHIFT = 14, COUNTED = (1 << CALL_SHIFT) - 1;

    /** A page that others use so many times as much as its owner, and a little more, should have another owner. */
    private static final int FAR_MORE = 16, LITTLE = 1024;

    /** In the number of a method that calls itself. */
    static final int HELD_SHIFT = 32;

    static final long RUNNING = 1L << 48;

    /** Calls within a running one that are counted before the next comes to enterAny, in case that the exit of the running one was lost. */
    private static final int SOME_INNER = 255;

    /** In the mean; as instr/counters/threads.h has them. */
    static final int MEAN_BITS = 24, UNSEEN_SHIFT = 10;

    /**
     * Sampled calls of 2^longBits(level) ns begin to be long, and all are that take twice as long: see unseen. Those of which one
     * in 4 or 16 is timed never are.
     */
    static final int LONG_BITS = 17, NEVER_LONG = 50;

    /** The high bits of the product with this look random. */
    static final long RANDOM = 0x9E3779B97F4A7C15L;

    /** In nanoseconds, three ticks: for how long a call may have been there at ticks to stand for others. Longer ones are always seen. */
    private static final int SOME_TICKS = 3000000;

    private static final int AT_FIRST = InstrSamplingLevels.AT_FIRST;

    /** Nanoseconds without a tick. */
    static final int LATE = 2000000;

    /** Longer calls, which ticks see, say nothing about whether the others are short. 16 times as much is below 2^MEAN_BITS. */
    static final int USUAL = 1 << MEAN_BITS - 4;

    /** Numbers of a span, and how many spans a task has at most. */
    private static final int SPAN = 3, SPANS = 64;

    static {
        InstrSamplingEnded.initialize();
        InstrSamplingLevels.initialize();
    }

    /**
     * How long before their first tick the calls began that several ticks saw, on average of the sampled ones of late, in ns: half a
     * tick where calls are long, and nearly nothing where threads lose their processor at ticks. It begins between these. A write of one
     * thread may be lost to that of another.
     */
    private static long lead = LATE / 5;

    private InstrSampling() {}

    /** Enters a method. C2 may inline this where it is called often; for C1 it is too long, as InstrCalls.enter. */
    public static long enter(int id) {
        try {
            InstrThreads.room(0);
            long tid = InstrUnsafe.tid(), way = InstrThreads.way(tid);
            if (InstrThreads.owner(way, id) == ~tid) {
                long row = InstrThreads.ownedRow(way, id), calls = InstrUnsafe.get(row + NEXT);
                if (((int) calls & LEFT) != 0) {
                    InstrUnsafe.put(row + NEXT, calls + COUNTED);
                    return InstrUnsafe.get(TICK);
                }
            }
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
        return enterAny(id, InstrThreads.CALL);
    }

    /** Enters a constructor that will call super() or this(). */
    public static long construct(int id) {
        try {
            InstrThreads.room(0);
            long tid = InstrUnsafe.tid(), way = InstrThreads.way(tid);
            if (InstrThreads.owner(way, id) == ~tid) {
                long row = InstrThreads.ownedRow(way, id), calls = InstrUnsafe.get(row + NEXT);
                if (((int) calls & LEFT) != 0) {
                    InstrUnsafe.put(row + NEXT, calls + COUNTED);
                    InstrThreads.addThrown(row, 1);
                    return InstrUnsafe.get(TICK);
                }
            }
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
        return enterAny(id, InstrThreads.CONSTRUCT);
    }

    /** A call that is timed, or of a thread that does not own the page. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static long enterAny(int id, int what) {
        try {
            InstrThreads.findRoom(0);
            long own = InstrThreads.ownRow(id), row = own != 0 ? own : InstrThreads.rowInlined(id);
            if (row == 0) row = InstrThreads.currentRow(id);
            if (row == 0) {
                InstrThreads.countSlowly(id, what);
                row = InstrThreads.currentRow(id);
                if (row == 0) return openWithoutRow(id, what);
                // Other threads may have shown that the method is short.
                if (((int) InstrUnsafe.get(row + NEXT) & LEFT) != 0) return InstrUnsafe.get(TICK);
                return open(id, row, what);
            }
            long calls = InstrUnsafe.get(row + NEXT);
            if (((int) calls & LEFT) == 0) {
                InstrThreads.add(row, what);
                // Others are balanced where they are only counted, or measured.
                if (own == 0 && InstrUnsafe.get(row + NUMBER) < 0 && InstrUnsafe.get(row) % InstrThreads.SOME_CALLS == 0) {
                    balance(id, InstrThreads.SOME_CALLS);
                    row = currentRow(id);
                }
                return open(id, row, what);
            }
            InstrUnsafe.put(row + NEXT, calls + COUNTED);
            if (own == 0 && (calls >>> CALL_SHIFT) % InstrThreads.SOME_CALLS == 0) balance(id, InstrThreads.SOME_CALLS);
            if (what == InstrThreads.CONSTRUCT) InstrThreads.addThrown(row, 1);
            return InstrUnsafe.get(TICK);
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
            return 0;
        }
    }

    /** Counts a call that is never timed: the method is too small for a clock, and its time is that of its caller. */
    public static void count(int id) {
        try {
            InstrThreads.room(0);
            long tid = InstrUnsafe.tid(), way = InstrThreads.way(tid);
            if (InstrThreads.owner(way, id) == ~tid) {
                InstrThreads.add(InstrThreads.ownedRow(way, id), InstrThreads.CALL);
                return;
            }
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
        countAny(id);
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void countAny(int id) {
        try {
            InstrThreads.findRoom(0);
            long row = InstrThreads.rowInlined(id);
            if (row == 0) {
                InstrThreads.countSlowly(id, InstrThreads.CALL);
                return;
            }
            long calls = InstrUnsafe.get(row) + 1;
            InstrUnsafe.put(row, calls);
            if (calls % InstrThreads.SOME_CALLS == 0) balance(id, 0); // owners do not count theirs either
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** An exception leaves a method that is counted only. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void countThrown(int id) {
        InstrCalls.thrown(id);
    }

    /** The row of a method, 0: there is none. */
    private static long currentRow(int id) {
        long row = InstrThreads.ownRow(id);
        return row != 0 ? row : InstrThreads.currentRow(id);
    }

    /** The call of super() or this() has returned. For C1 this is too long, as enter. */
    public static void initialized(long state, int id) {
        long row = InstrThreads.ownRow(id);
        if (row != 0 && !isPushed(state)) InstrThreads.addThrown(row, -1);
        else initializedAny(state, id);
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void initializedAny(long state, int id) {
        InstrCalls.initialized(id);
        try {
            InstrTask task = isPushed(state) ? InstrThreads.task() : null;
            if (task == null) return;
            InstrThreads.push(task, currentRow(id), id, InstrThreads.INITIALIZED);
            long row = InstrThreads.ownRow(id);
            if (row != 0 && InstrUnsafe.get(row + NUMBER) < 0) run(row);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** Is the call on the task's stack, or will it be there when super() or this() has returned? */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static boolean isPushed(long state) {
        return (state & (state < 0 ? PUSHED : HELD)) != 0;
    }

    /** An exception leaves a constructor that has not called super() or this() yet, and so is not on the stack. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void thrownEarly(long state, int id) {
        exit(state, id);
    }

    /**
     * The method returns. ~id: it is timed for another owner, too, whose call encloses this one and is charged as well. For C1 this
     * is too long (more than 35 bytes), and for C2 where the method seldom returns.
     */
    public static void exit(long state, int id) {
        if (state == InstrUnsafe.get(TICK)) return;
        int method = id ^ id >> 31;
        if (id == method) left(state, method, true);
        else left(state, method, false);
    }

    /** An exception leaves the method. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void thrown(long state, int id) {
        InstrCalls.thrown(id); // first: with little stack left the other may fail
        exit(state, id);
    }

    /** The method returns; it is timed for another owner, too, whose call encloses this one and is charged as well. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void exitInner(long state, int id) {
        exit(state, ~id);
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void thrownInner(long state, int id) {
        InstrCalls.thrown(id);
        exitInner(state, id);
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void left(long state, int id, boolean outer) {
        try {
            long now = (state ^ HELD) == InstrUnsafe.get(TICK) ? 0 : System.nanoTime();
            if (state != 0) close(now, state, id, outer);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** The state of a call that is not one of a short method. A constructor is put on the stack by initialized. */
    private static long open(int id, long row, int what) {
        long state = TIMED;
        InstrTask task = InstrThreads.task();
        if (task == null) return state | System.nanoTime();
        InstrThreads.renew(task);
        if (row != 0 && InstrUnsafe.get(row + NUMBER) < 0) return openRecursive(task, row, id, what);
        int depth = task.depth;
        if ((InstrThreads.push(task, row, id, what) & InstrThreads.AGAIN) != 0) state |= AGAIN;
        if (task.depth > depth || what == InstrThreads.CONSTRUCT && (state & AGAIN) == 0) state |= PUSHED;
        if (row == 0) return state | System.nanoTime();
        long next = InstrUnsafe.get(row + NEXT), calls = InstrUnsafe.get(row) + (next >>> CALL_SHIFT);
        // Other virtual threads count in the same row while this one waits.
        if ((state & AGAIN) == 0) InstrUnsafe.put(row + ENTERED, InstrThreads.isVirtual() ? -1 : calls);
        int level = InstrSamplingLevels.level(next);
        if (level != 0) {
            InstrUnsafe.put(row + NEXT, next | InstrSamplingLevels.gap(level, calls));
            state |= SAMPLED;
        }
        return state | System.nanoTime();
    }

    /** The same where there is no memory for another row: one of 4^AT_FIRST calls is timed, of each method. */
    private static long openWithoutRow(int id, int what) {
        long line = InstrThreads.findLine(), tick = InstrUnsafe.get(TICK);
        if (line == 0) return open(id, 0, what);
        // The buffer has just got this call.
        boolean chosen = (InstrUnsafe.get(line + InstrThreads.POSITION) + tick) * RANDOM >>> 64 - 2 * AT_FIRST == 0;
        return chosen ? open(id, 0, what) | SAMPLED : tick;
    }

    /** The same of a method that calls itself: only outermost calls are timed. Those of constructors are on the stack later. */
    private static long openRecursive(InstrTask task, long row, int id, int what) {
        int depth = task.depth;
        long at = InstrUnsafe.get(row + InstrThreads.ROW_MARK) - task.epoch;
        boolean again = at >>> 16 == 0 && at < depth && task.stack[(int) at] == id;
        if (again || (InstrThreads.push(task, row, id, what) & InstrThreads.AGAIN) != 0) {
            if ((InstrUnsafe.get(row + NUMBER) & RUNNING) != 0) InstrUnsafe.put(row + NEXT, InstrUnsafe.get(row + NEXT) | SOME_INNER);
            else InstrUnsafe.put(row + INNER, InstrUnsafe.get(row + INNER) + 1);
            return InstrUnsafe.get(TICK);
        }
        if (task.depth == depth && what == InstrThreads.CALL) return TIMED | System.nanoTime(); // the stack is full
        int before = InstrSamplingLevels.level(InstrUnsafe.get(row + NEXT)), level = InstrSamplingLevels.ofOutermost(row, id);
        long number = InstrUnsafe.get(row + NUMBER), left = number >>> HELD_SHIFT & LEFT;
        if (what == InstrThreads.CALL && row == InstrThreads.ownRow(id)) {
            run(row);
            number |= RUNNING;
        }
        if (level == 0) return TIMED | PUSHED | System.nanoTime();
        if (level < before) left = 0;
        long then = left == 0 ? InstrSamplingLevels.gap(level, InstrUnsafe.get(row)) : left - 1;
        InstrUnsafe.put(row + NUMBER, number & ~((long) LEFT << HELD_SHIFT) | then << HELD_SHIFT);
        return left != 0 ? HELD | InstrUnsafe.get(TICK) : TIMED | PUSHED | SAMPLED | System.nanoTime();
    }

    /** An outermost call of a method that calls itself is on the stack now: all that follow it are within it. */
    private static void run(long row) {
        settle(row); // a call whose exit was lost
        long next = InstrUnsafe.get(row + NEXT);
        InstrUnsafe.put(row + NUMBER, InstrUnsafe.get(row + NUMBER) | RUNNING);
        InstrUnsafe.put(row + INNER, InstrUnsafe.get(row + INNER) - calls(row, next));
        InstrUnsafe.put(row + NEXT, next | SOME_INNER);
    }

    /** The calls of a row. */
    private static long calls(long row, long next) {
        return InstrUnsafe.get(row) + (next >>> CALL_SHIFT);
    }

    /** The outermost call of a method that calls itself has ended: all that followed it was within it. */
    private static void settle(long row) {
        long number = InstrUnsafe.get(row + NUMBER), next = InstrUnsafe.get(row + NEXT);
        if (number >= 0 || (number & RUNNING) == 0) return;
        InstrUnsafe.put(row + NUMBER, number & ~RUNNING);
        InstrUnsafe.put(row + INNER, InstrUnsafe.get(row + INNER) + calls(row, next));
        InstrUnsafe.put(row + NEXT, next & ~LEFT);
    }

    private static int longBits(int level) {
        return level < AT_FIRST ? NEVER_LONG : LONG_BITS - (level - AT_FIRST);
    }

    private static void close(long now, long state, int id, boolean outer) {
        InstrTask task = InstrThreads.task();
        if (isPushed(state)) {
            if (task != null) pop(task, id);
            long row = InstrThreads.ownRow(id);
            if (row != 0) settle(row);
        }
        // From before a release the row is another method's by now.
        if (now == 0 || InstrThreads.since != 0 && (state & TIME) - InstrThreads.since < 0) return;
        if (state < 0) closeTimed(task, now, state, id, outer);
        else closeEstimated(task, now, state & TIME, id, outer);
    }

    private static void closeTimed(InstrTask task, long now, long state, int id, boolean outer) {
        long last = InstrUnsafe.get(TICK), before = InstrUnsafe.get(TICK + 8), start = state & TIME, duration = now - start;
        long from = last <= start ? last : start > before ? before : start - (last - before >> 1);
        if (duration > LATE && now - last > LATE) {
            // The thread that ticks has had no processor for a while, or the process was idle.
            InstrUnsafe.put(TICK + 8, last);
            InstrUnsafe.put(TICK, now);
            if (last <= start) from = start;
            last = now;
        }
        long row = currentRow(id), self = charge(task, from, last, outer), kind = 0;
        int level = row == 0 ? AT_FIRST : InstrSamplingLevels.level(InstrUnsafe.get(row + NEXT)), longBits = longBits(level);
        boolean sampled = (state & SAMPLED) != 0 && level != 0; // else the thread has got another row meanwhile
        if (row != 0) InstrSamplingLevels.judge(row, id, state, duration);
        // A short call that is timed takes longer by that: a tick then says nothing.
        if (sampled && level >= AT_FIRST && duration < USUAL) self = 0;
        if (sampled && before > start && last > before) learnLead(last - start, last - before);
        long twice = 0;
        if ((state & AGAIN) != 0) kind = RECORD_AGAIN;
        else if (last > start) {
            // As of calls without a clock, so that ticks tell of all calls.
            long ticked = sampled && level < AT_FIRST ? last - from - duration : 0;
            if (ticked != 0) InstrUnsafe.put(row + TICKED, InstrUnsafe.get(row + TICKED) + ticked);
            twice = within(task, row, id, start, now, duration, ticked);
        } else if (sampled) {
            kind = RECORD_SAMPLED | (long) level << RECORD_LEVEL_SHIFT;
            if (duration - (1L << longBits) > (now * RANDOM >>> 64 - longBits)) kind |= RECORD_LONG;
        }
        record(duration, self, kind, twice, id);
        if (sampled && row != 0 && row == InstrThreads.ownRow(id)) balance(id, 1 << 2 * level);
    }

    /**
     * If the call was there at one tick: on average it took twice as long as from then on. If at several, `lead` tells when it began.
     */
    private static void closeEstimated(InstrTask task, long now, long start, int id, boolean outer) {
        long last = InstrUnsafe.get(TICK), tick = last - InstrUnsafe.get(TICK + 8), most = now - start;
        long duration = start == last - tick ? now - last << 1 : most - tick + lead, row = currentRow(id);
        if (duration > most) duration = most;
        boolean inner = row != 0 && InstrUnsafe.get(row + NUMBER) < 0 && isRunning(task, id);
        long twice = 0;
        if (inner) InstrUnsafe.put(row + INNER, InstrUnsafe.get(row + INNER) - 1);
        else {
            if (row != 0) InstrUnsafe.put(row + TICKED, InstrUnsafe.get(row + TICKED) + last - start - duration);
            if (row != 0 && last - start <= SOME_TICKS) {
                long unseen = unseen(tick, now - last, longBits(InstrSamplingLevels.sampledLevel(row))) >> UNSEEN_SHIFT;
                InstrUnsafe.put(row + MEAN, InstrUnsafe.get(row + MEAN) + (unseen << MEAN_BITS));
            }
            twice = within(task, row, id, start, now, duration, row == 0 ? 0 : last - start - duration);
        }
        record(duration, charge(task, start, last, outer), inner ? RECORD_ESTIMATED | RECORD_AGAIN : RECORD_ESTIMATED, twice, id);
    }

    /** Where a call began just before a tick, its ticks may seem to lie a little closer. */
    private static void learnLead(long untilLast, long tick) {
        long before = untilLast % tick;
        lead += (before > tick - (tick >> 4) ? 0 : before) - lead >> 4;
    }

    private static void record(long duration, long self, long kind, long twice, int id) {
        if (InstrThreads.record(duration, self, kind, id) && twice > 0) InstrThreads.record(twice, 0, RECORD_TWICE, id);
    }

    /**
     * A tick has seen this call, and `ticked` was added to the row's TICKED. Returns the time of calls within it that is in the total of
     * the method twice: then the method calls itself, which is found only now.
     */
    private static long within(InstrTask task, long row, int id, long start, long now, long duration, long ticked) {
        long twice = task == null ? 0 : InstrSamplingEnded.end(task, id, start, now, duration + ticked);
        if (twice == 0) return 0;
        if (row != 0 && InstrUnsafe.get(row + NUMBER) >= 0) InstrSamplingLevels.callsItself(row);
        return twice < duration ? twice : duration;
    }

    /**
     * The time of the long calls that returned before a tick, for which a call stands that was there at a tick and returned
     * `beyond` later. A sampled call of d ns is long with the probability p(d), which rises from 0 at 2^longBits to 1 at twice that.
     * A call of d ns is seen with the probability d / tick, and then `beyond` is any time below d. So it has to stand for the
     * derivative of p(d) d (1 - d / tick), times tick: on average over all such calls, seen or not, that is p(d) d (1 - d / tick).
     */
    static long unseen(long tick, long beyond, int longBits) {
        long from = 1L << longBits;
        if (beyond < from || tick < 4 * from || tick > LATE) return 0;
        if (beyond > tick) beyond = tick;
        if (beyond >= 2 * from) return tick - 2 * beyond;
        return (2 * beyond - from) * (tick - beyond) - (beyond - from) * beyond >> longBits;
    }

    private static boolean isRunning(InstrTask task, int id) {
        int at = task == null ? 0 : task.depth;
        while (at > 0 && task.stack[at - 1] != id) at--;
        return at > 0;
    }

    /**
     * The time of the ticks from one to another that no method within this one has been charged with. Spans of a task that
     * have been charged are kept, each with its beginning, its end, and how much of it was charged; those within another
     * one end there. Of many the two oldest become one, whose methods ended longest ago.
     */
    private static long charge(InstrTask task, long from, long to, boolean outer) {
        if (task == null || to <= from) return 0;
        long[] spans = task.spans;
        if (spans == null) task.spans = spans = InstrSamplingEnded.array(SPAN * SPANS);
        if (spans == null) return 0;
        int end = task.spanEnd;
        long inside = 0;
        while (end > 0 && spans[end - SPAN] >= from) {
            inside += spans[end - 1];
            end -= SPAN;
        }
        long beside = end > 0 ? spans[end - 2] - from : 0;
        if (beside > 0) inside += beside;
        if (outer) {
            if (end == spans.length) {
                spans[1] = spans[SPAN + 1];
                spans[2] += spans[SPAN + 2];
                end -= SPAN;
                for (int k = SPAN; k < end; k++) spans[k] = spans[k + SPAN];
            }
            spans[end] = beside > 0 ? from + beside : from;
            spans[end + 1] = to;
            spans[end + 2] = to - spans[end];
            task.spanEnd = end + SPAN;
        }
        return inside < to - from ? to - from - inside : 0;
    }

    /** Removes the innermost call of a method from the stack, with all that is above it. */
    private static void pop(InstrTask task, int id) {
        int[] stack = task.stack;
        int at = task.depth;
        while (at > 0 && stack[at - 1] != id) at--;
        if (at > 0) task.depth = (char) (at - 1);
    }

    /**
     * Called after so many calls of a method. The thread takes the page if it has no owner or the owner has ended, and gives it
     * up where others have far more calls.
     */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    private static void balance(int id, int calls) {
        if (InstrThreads.isVirtual()) return;
        long tid = InstrUnsafe.tid(), way = InstrThreads.way(tid), owner = InstrThreads.owner(way, id);
        if (owner == 0 || owner == InstrThreads.FREE) {
            long row = InstrThreads.currentRow(id);
            if (row != 0) InstrThreads.own(id, calls(row, InstrUnsafe.get(row + NEXT)));
        } else if (owner != ~tid) {
            add(InstrThreads.fact(way, id, InstrThreads.MISSED), calls);
        } else {
            long had = add(InstrThreads.fact(way, id, InstrThreads.HAD), calls);
            if (InstrUnsafe.get(InstrThreads.fact(way, id, InstrThreads.MISSED)) > FAR_MORE * had + LITTLE) InstrNative.disown(id);
        }
    }

    private static long add(long address, int n) {
        long sum = InstrUnsafe.get(address) + n;
        InstrUnsafe.put(address, sum);
        return sum;
    }

    // Code of classes that were retransformed calls the following instead, so that few constants are added.

    static final int ENTER = 0, EXIT = 1, THROWN = 2, CONSTRUCT = 3, INITIALIZED = 4, EXIT_INNER = 5, THROWN_INNER = 6,
            THROWN_EARLY = 7, COUNT = 8, COUNT_THROWN = 9;

    /** Added to these for a method that calls counts, too: InstrSamplingCalls. */
    static final int WITH_CALLS = 16;

    /** Does one of the above; returns 0 for methods without a result. See InstrTiming.timing. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    public static long sampling(long state, int id, int what) {
        if (what == ENTER) return enter(id);
        if (what == CONSTRUCT) return construct(id);
        if (what >= WITH_CALLS) return withCalls(state, id, what - WITH_CALLS);
        if (what == COUNT) count(id);
        else if (what == EXIT) exit(state, id);
        else if (what == THROWN) thrown(state, id);
        else if (what == EXIT_INNER) exitInner(state, id);
        else if (what == THROWN_INNER) thrownInner(state, id);
        else if (what == THROWN_EARLY) thrownEarly(state, id);
        else if (what == COUNT_THROWN) countThrown(id);
        else initialized(state, id);
        return 0;
    }

    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    private static long withCalls(long state, int id, int what) {
        if (what == ENTER) return InstrSamplingCalls.enter(id);
        if (what == CONSTRUCT) return InstrSamplingCalls.construct(id);
        if (what == COUNT) InstrSamplingCalls.count(id);
        else if (what == THROWN) InstrSamplingCalls.thrown(state, id);
        else if (what == COUNT_THROWN) InstrSamplingCalls.countThrown(id);
        else InstrSamplingCalls.initialized(state, id);
        return 0;
    }
}
