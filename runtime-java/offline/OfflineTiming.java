package instr.runtime;

/** Measures times for code that `instr rewrite` gave the timing pass. As InstrTiming. */
public final class OfflineTiming {
    private OfflineTiming() {}

    public static long enter(int id) {
        return open(id, Offline.CALL);
    }

    public static long construct(int id) {
        return open(id, Offline.CONSTRUCT);
    }

    public static void initialized(int id) {
        Offline.count(id, Offline.INITIALIZED);
        try {
            OfflineThread thread = Offline.thread();
            if (thread != null) thread.mark(id, true);
        } catch (Throwable dropped) {
            Offline.drop(dropped); // its time is counted twice where it calls itself
        }
    }

    public static void exit(long start, long saved, int id) {
        close(System.nanoTime() - start, saved, id);
    }

    public static void thrown(long start, long saved, int id) {
        long duration = System.nanoTime() - start;
        Offline.count(id, Offline.THROWN);
        close(duration, saved, id);
    }

    public static void thrownEarly(long start, long saved, int id) {
        close(System.nanoTime() - start, saved, id);
    }

    /** Returns the children's time so far, with AGAIN if the method is already running. */
    private static long open(int id, int what) {
        Offline.count(id, what);
        try {
            OfflineThread thread = Offline.thread();
            // A constructor runs from the moment it is initialized: before, it may end unseen.
            return thread == null ? 0 : thread.mark(id, what != Offline.CONSTRUCT);
        } catch (Throwable dropped) {
            Offline.drop(dropped);
            return 0;
        }
    }

    private static void close(long duration, long saved, int id) {
        try {
            if (duration < 0) duration = 0;
            OfflineThread thread = Offline.thread();
            if (thread == null) Offline.TOTALS.time(id, duration, duration, false);
            else thread.close(duration, saved, id);
        } catch (Throwable dropped) {
            Offline.drop(dropped); // too little stack is left
        }
    }
}
