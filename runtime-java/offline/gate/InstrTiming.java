package instr.rewritten;

import instr.runtime.OfflineTiming;

/** What code of a rewritten file calls for the timing pass: gives the ids of this file their place among all. */
public final class InstrTiming {
    private static final int BASE = InstrTable.BASE;
    private static final boolean COUNTS = BASE != Integer.MIN_VALUE;

    private InstrTiming() {}

    public static long enter(int id) {
        return COUNTS ? OfflineTiming.enter(BASE + id) : 0;
    }

    public static long construct(int id) {
        return COUNTS ? OfflineTiming.construct(BASE + id) : 0;
    }

    public static void initialized(int id) {
        if (COUNTS) OfflineTiming.initialized(BASE + id);
    }

    public static void exit(long start, long saved, int id) {
        if (COUNTS) OfflineTiming.exit(start, saved, BASE + id);
    }

    public static void thrown(long start, long saved, int id) {
        if (COUNTS) OfflineTiming.thrown(start, saved, BASE + id);
    }

    public static void thrownEarly(long start, long saved, int id) {
        if (COUNTS) OfflineTiming.thrownEarly(start, saved, BASE + id);
    }
}
