import java.util.function.IntSupplier;

/** The stack overflows, in the program or in the runtime: each call that was counted as entered has ended, and was seen to throw. */
final class RuntimeOverflow extends RuntimeBench {
    static int endless(int id) {
        InstrCalls.enter(id);
        try {
            return endless(id) + 1;
        } catch (Throwable t) {
            InstrCalls.thrown(id);
            throw t;
        }
    }

    static int endlessTimed(int id) {
        long saved = InstrTiming.enter(id);
        long start = System.nanoTime();
        int result;
        try {
            result = endlessTimed(id) + 1;
        } catch (Throwable t) {
            InstrTiming.thrown(start, saved, id);
            throw t;
        }
        InstrTiming.exit(start, saved, id);
        return result;
    }

    static int endlessBoth(int counted, int id) {
        InstrCalls.enter(counted);
        long saved = InstrTiming.enter(id);
        long start = System.nanoTime();
        int result;
        try {
            result = endlessBoth(counted, id) + 1;
        } catch (Throwable t) {
            InstrTiming.thrown(start, saved, id);
            InstrCalls.thrown(counted);
            throw t;
        }
        InstrTiming.exit(start, saved, id);
        return result;
    }

    static int endlessPair(int id) {
        long state = InstrSamplingCalls.enter(id);
        int result;
        try {
            result = endlessPair(id) + 1;
        } catch (Throwable t) {
            InstrSamplingCalls.thrown(state, id);
            throw t;
        }
        InstrSampling.exit(state, id);
        return result;
    }

    static int endlessSampled(int id) {
        long state = InstrSampling.enter(id);
        int result;
        try {
            result = endlessSampled(id) + 1;
        } catch (Throwable t) {
            InstrSampling.thrown(state, id);
            throw t;
        }
        InstrSampling.exit(state, id);
        return result;
    }

    static void overflow(IntSupplier body) {
        try {
            body.getAsInt();
        } catch (StackOverflowError expected) {
        }
    }

    static void fiftyTimes() {
        int deep = newId(), deepTimed = newId(), both = newId(), bothTimed = newId();
        for (int i = 0; i < 50; i++) {
            overflow(() -> endless(deep));
            overflow(() -> endlessTimed(deepTimed));
            overflow(() -> endlessBoth(both, bothTimed));
        }
        check("stack overflow, 50 times: calls that are not seen to throw", 0, get(deep, CALLS) - get(deep, THROWN));
        check("stack overflow, 50 times: timed calls that are not seen to end", 0, get(deepTimed, CALLS) - get(deepTimed, TIMED));
        check("stack overflow, 50 times: timed calls that are not seen to throw", 0, get(deepTimed, CALLS) - get(deepTimed, THROWN));
        check("stack overflow, 50 times, counted and timed: not seen to throw", 0, get(both, CALLS) - get(both, THROWN));
        check("stack overflow, 50 times, counted and timed: not timed", 0, get(both, CALLS) - get(bothTimed, TIMED));
    }

    /** The stack overflows: each call that was counted as entered, for either pass, is counted as thrown. */
    static void many(boolean pair) {
        int calls = newPage(), timing = newId();
        for (int i = 0; i < 300; i++) overflow(() -> pair ? endlessPair(timing) : endlessSampled(timing));
        String who = pair ? "300 overflows, pairs: " : "300 overflows: ";
        check(who + "calls that are not seen to throw", 0, get(timing, CALLS) - get(timing, THROWN));
        check(who + "there are many", 1, get(timing, CALLS) > 30_000 ? 1 : 0);
        if (!pair) return;
        check(who + "the same calls for both", get(timing, CALLS), get(calls, CALLS));
        check(who + "the same that throw", get(timing, THROWN), get(calls, THROWN));
    }

    /** Calls a timed method with ever less of the stack left, and none around it. */
    static int brink(int id) {
        int below;
        try {
            below = brink(id);
        } catch (StackOverflowError expected) {
            below = 0;
        }
        try {
            if (below < 100) RuntimeExact.recurse(id, 0);
        } catch (StackOverflowError expected) {
        }
        return below + 1;
    }

    /** An overflow in the runtime itself must not leave a method running for good: its total would not grow again. */
    static void healing() {
        for (int round = 0; round < 8; round++) {
            int id = newId();
            for (int i = 0; i < (round < 4 ? 1 : 5); i++) brink(id);
            long before = get(id, TOTAL);
            for (int i = 0; i < 100; i++) {
                long saved = InstrTiming.enter(id);
                InstrTiming.exit(System.nanoTime() - 10_000_000, saved, id);
            }
            near("after stack overflows in the runtime: total of 100 calls, ms", 1000, (get(id, TOTAL) - before) / 1e6, 0.1);
        }
    }
}
