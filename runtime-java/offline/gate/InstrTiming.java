package instr.rewritten;

import instr.runtime.OfflineTiming;

/** What code of a rewritten file calls for the timing pass: gives the ids of this file their place among all. */
public final class InstrTiming {
    private static final int BASE = InstrTable.BASE;
    private static final boolean COUNTS = BASE != Integer.MIN_VALUE;

    private InstrTiming() {}

    /** As java.lang.InstrTiming. */
    public static long timing(long start, long saved, int low, int what) {
        if (what < 0) return System.nanoTime();
        return COUNTS ? OfflineTiming.timing(start, saved, BASE + (what >> 3 << 16 | low & 0xffff), what & 7) : 0;
    }
}
