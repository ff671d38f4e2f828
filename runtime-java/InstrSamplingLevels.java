package java.lang;

import instr.runtime.InstrNative;

/**
 * How often the calls of a method are timed by InstrSampling: one of some 4^level, at random. A thread decides by the calls that it
 * has timed itself, or takes what others have found out.
 */
final class InstrSamplingLevels {
    /** In a row, as InstrSampling has them. */
    private static final long NEXT = InstrSampling.NEXT, MEAN = InstrSampling.MEAN, NUMBER = InstrSampling.NUMBER, ENTERED = InstrSampling.ENTERED,
            INNER = InstrSampling.INNER;

    private static final int LEVEL_SHIFT = InstrSampling.LEVEL_SHIFT, LEVEL = InstrSampling.LEVEL, COUNTED = InstrSampling.COUNTED;

    /**
     * The address of what threads have found out about methods, for others, by the method's id; 0: there is none. 0, or the level, where it
     * is not 0; the mean of timed calls, times 16, shifted by LEARNED_MEAN_SHIFT; LEARNED_CALLS_ITSELF; and above LEARNED_NUMBER_SHIFT how
     * many calls were timed. As instr/counters/threads.h has it. Only those of methods that have a page may be written to.
     */
    private static final long LEARNED = InstrNative.learned();

    private static final int LEARNED_MEAN_SHIFT = 3, LEARNED_NUMBER_SHIFT = 32;

    private static final long LEARNED_CALLS_ITSELF = 1L << 27;

    /** A method is judged after so many timed calls. */
    private static final int JUDGED = 64;

    /**
     * Of calls that take less than SHORT ns one of 4^AT_FIRST is timed, of those that take less than a quarter of that one of 4 times as
     * many; and after MANY_TIMED, and 4 times as many, again one of 4 times as many.
     */
    static final int SHORT = 1000, AT_FIRST = 3, MOST = 5, MANY_TIMED = 1024;

    /** Both are shifts: of a method that takes less than such a part of the run, so many times fewer timed calls are enough. */
    private static final int LITTLE_TIME = 8, FEWER = 3;

    private InstrSamplingLevels() {}

    /** Initializes this class, as InstrSamplingEnded.initialize. */
    static void initialize() {}

    /** Calls between a timed one and the next: about 4^level, at random, so that no period of the program meets it. */
    static long gap(int level, long calls) {
        return (1L << 2 * level - 1) + ((calls + InstrUnsafe.get(InstrSampling.TICK)) * InstrSampling.RANDOM >>> 64 - 2 * level);
    }

    /**
     * The same where the level was another one before, since a timed call stands for as many before it as after it. From level 0 on the
     * next call to be timed may be any of 4^level, also of a thread that makes but a few.
     */
    private static long gap(int before, int level, long calls) {
        return gap(level, calls) + ((1L << 2 * before) - (1L << 2 * level) >> 1);
    }

    /** The level in NEXT. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    static int level(long next) {
        return (int) next >>> LEVEL_SHIFT & LEVEL;
    }

    /** The level of a method of which not all calls are timed; in another row than that of the entry it may be missing. */
    static int sampledLevel(long row) {
        int level = row == 0 ? 0 : level(InstrUnsafe.get(row + NEXT));
        return level == 0 ? AT_FIRST : level;
    }

    /** Of calls that take so many ns, and of which so many were timed already. A timed call costs some 160 ns. */
    private static int levelOf(long mean, long timed) {
        int more = timed >= 4 * MANY_TIMED ? 2 : timed >= MANY_TIMED ? 1 : 0;
        if (mean >= 16 * SHORT) return more;
        if (mean >= 4 * SHORT) return 1 + more;
        if (mean >= SHORT) return 2 + more;
        if (more == 2) return MOST;
        return AT_FIRST + (mean < SHORT / 4 ? 1 : 0) + more;
    }

    /** The mean of timed calls, times 16. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    private static long mean(long both) {
        return both & (1L << InstrSampling.MEAN_BITS) - 1;
    }

    /** A timed call has ended: decides how often the method is timed from now on. */
    static void judge(long row, int id, long state, long duration) {
        boolean again = (state & InstrSampling.AGAIN) != 0;
        long both = InstrUnsafe.get(row + MEAN), mean = mean(both), unseen = both - mean, number = InstrUnsafe.get(row + NUMBER);
        long next = InstrUnsafe.get(row + NEXT), calls = InstrUnsafe.get(row) + (next >>> InstrSampling.CALL_SHIFT);
        long entered = InstrUnsafe.get(row + ENTERED);
        if (number >= 0 && (again || entered >= 0 && calls != entered)) { // it calls itself
            callsItself(row);
            return;
        }
        if (again) return;
        if (duration < InstrSampling.USUAL) {
            mean += (duration << 4) - mean >> 3;
            InstrUnsafe.put(row + MEAN, unseen + mean);
            if (number >= 0 || (int) number < 4 * MANY_TIMED) InstrUnsafe.put(row + NUMBER, ++number);
        }
        if (number < JUDGED) {
            if (number >= 0) learn(row, id);
            return;
        }
        boolean little = (mean >> 4) * calls < InstrUnsafe.get(InstrSampling.RAN) >> LITTLE_TIME;
        int level = levelOf(mean >> 4, little ? number << FEWER : number), before = level(next);
        if (level == before) return;
        InstrUnsafe.put(row + NEXT, next & ~COUNTED | (long) level << LEVEL_SHIFT | (level == 0 ? 0 : gap(before, level, number)));
        teach(row, id);
    }

    /** The level of a method that calls itself, at the entry of an outermost call. */
    static int ofOutermost(long row, int id) {
        long number = InstrUnsafe.get(row + NUMBER);
        if ((int) number < JUDGED && learn(row, id)) number = InstrUnsafe.get(row + NUMBER);
        long next = InstrUnsafe.get(row + NEXT);
        int level = (int) number < JUDGED ? 0 : levelOf(mean(InstrUnsafe.get(row + MEAN)) >> 4, (int) number);
        if (level == level(next)) return level;
        InstrUnsafe.put(row + NEXT, next & ~COUNTED | (long) level << LEVEL_SHIFT);
        teach(row, id);
        return level;
    }

    /** Takes what other threads have found out about a method, of which too few calls were timed in this row. False: they know nothing that fits. */
    private static boolean learn(long row, int id) {
        long known = LEARNED == 0 ? 0 : InstrUnsafe.get(LEARNED + ((long) id << 3)), number = InstrUnsafe.get(row + NUMBER);
        boolean callsItself = (known & LEARNED_CALLS_ITSELF) != 0;
        if (known == 0 || number < 0 && !callsItself) return false;
        if (number >= 0 && callsItself) {
            callsItself(row);
            number = Long.MIN_VALUE;
        }
        long both = InstrUnsafe.get(row + MEAN), level = known & LEVEL, timed = known >>> LEARNED_NUMBER_SHIFT;
        // Calls of this thread may be longer than those of others.
        if (levelOf(mean(both) >> 4, timed << FEWER) < level) return false;
        InstrUnsafe.put(row + MEAN, both - mean(both) + mean(known >>> LEARNED_MEAN_SHIFT));
        long gap = gap(0, (int) level, number);
        if (callsItself && (number >>> InstrSampling.HELD_SHIFT & InstrSampling.LEFT) == 0) number |= gap << InstrSampling.HELD_SHIFT;
        InstrUnsafe.put(row + NUMBER, number >>> 32 << 32 | timed);
        if (callsItself) return true; // ofOutermost decides
        long next = InstrUnsafe.get(row + NEXT);
        InstrUnsafe.put(row + NEXT, next & ~COUNTED | level << LEVEL_SHIFT | gap);
        return true;
    }

    /** Tells other threads what is known of a method, for rows in which few of its calls were timed so far. */
    private static void teach(long row, int id) {
        long number = InstrUnsafe.get(row + NUMBER), level = level(InstrUnsafe.get(row + NEXT)), known = 0;
        if (LEARNED == 0) return;
        if (level != 0) {
            int timed = number < 0 ? (int) number : number < Integer.MAX_VALUE ? (int) number : Integer.MAX_VALUE;
            known = level | mean(InstrUnsafe.get(row + MEAN)) << LEARNED_MEAN_SHIFT | (long) timed << LEARNED_NUMBER_SHIFT;
            if (number < 0) known |= LEARNED_CALLS_ITSELF;
        }
        InstrUnsafe.put(LEARNED + ((long) id << 3), known);
    }

    /** From now on only outermost calls of the method are timed. */
    static void callsItself(long row) {
        long both = InstrUnsafe.get(row + MEAN);
        InstrUnsafe.put(row + NEXT, InstrUnsafe.get(row + NEXT) & ~COUNTED);
        InstrUnsafe.put(row + INNER, 0);
        InstrUnsafe.put(row + MEAN, both - mean(both));
        InstrUnsafe.put(row + NUMBER, Long.MIN_VALUE);
    }
}
