package java.lang;

/** What belongs to a thread of the application, be it platform or virtual, wherever it runs. */
final class InstrTask {
    /** Thread.tid. */
    long tid;

    /** Nanoseconds spent in timed methods that have returned, shifted by InstrThreads.CHILDREN_SHIFT. */
    long children;

    /** Changes whenever the task may have run elsewhere: marks with another one are void. Low 16 bits 0. */
    long epoch;

    /** How much of the stack is in use. A char is never negative, which saves a check. */
    char depth;

    /**
     * Ids of the methods that are running, each once: of the outermost call. What a frame put here is taken away
     * when it is left, or an enclosing one: frames that a stack overflow kept from telling do no harm.
     */
    int[] stack;

    /** The exceptions under way; null: there has been none. */
    InstrFlight flight;
}
