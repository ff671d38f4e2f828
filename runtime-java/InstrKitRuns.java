package java.lang;

/** Counts the runs of advice for `kit.file=` (instr/kit/applied.h). It uses no collection, which could be advised itself. */
public final class InstrKitRuns {
    private static long[] runs = new long[64];

    private InstrKitRuns() {}

    /** `mark` 0: a nested call, for which the advice does not run. */
    public static synchronized void ran(int number, int mark) {
        if (mark == 0) return;
        if (number >= runs.length) {
            long[] longer = new long[2 * number];
            System.arraycopy(runs, 0, longer, 0, runs.length);
            runs = longer;
        }
        runs[number]++;
    }

    static synchronized long of(int number) {
        return number < runs.length ? runs[number] : 0;
    }
}
