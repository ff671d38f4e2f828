package java.lang;

/** The state of an application thread, platform or virtual, whichever carrier it runs on. */
final class InstrTask {
    /** Thread.tid. */
    long tid;

    /** Nanoseconds spent in timed methods that have returned, shifted by InstrThreads.CHILDREN_SHIFT. */
    long children;

    /**
     * Changes whenever the task may have run elsewhere: marks with another epoch are invalid. The low 16 bits are 0.
     */
    long epoch;

    /** The times that methods have been charged with, and how much of the array is used: see InstrSampling.charge. */
    long[] spans;

    int spanEnd;

    /** Long calls that have ended, and how much of the array is used: see InstrSamplingEnded. */
    long[] ended;

    int endedEnd;

    /** InstrThreads.since when the stack was used last: see InstrThreads.renew. */
    long since;

    /** The number of entries on the stack. A char is never negative, which saves a check. */
    char depth;

    /**
     * Ids of the methods that are running, each once, for its outermost call. The entry of a frame is removed when that
     * frame or an enclosing one is left. So frames that could not report their end because of a stack overflow do no
     * harm.
     */
    int[] stack;

    /** The exceptions in flight; null: there were none so far. */
    InstrFlight flight;
}
