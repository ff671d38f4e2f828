package instr.rewritten;

import instr.runtime.OfflineCalls;

/** What code of a rewritten file calls for the calls pass: gives the ids of this file their place among all. */
public final class InstrCalls {
    private static final int BASE = InstrTable.BASE;
    private static final boolean COUNTS = BASE != Integer.MIN_VALUE;

    private InstrCalls() {}

    public static void enter(int id) {
        if (COUNTS) OfflineCalls.enter(BASE + id);
    }

    public static void thrown(int id) {
        if (COUNTS) OfflineCalls.thrown(BASE + id);
    }

    public static void construct(int id) {
        if (COUNTS) OfflineCalls.construct(BASE + id);
    }

    public static void initialized(int id) {
        if (COUNTS) OfflineCalls.initialized(BASE + id);
    }
}
