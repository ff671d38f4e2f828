package java.lang;

/** What belongs to a thread of the application, be it platform or virtual, wherever it runs. */
class InstrTask extends InstrPad {
    /** Nanoseconds spent in timed methods that have returned. Only grows. */
    long children;

    /**
     * One bit for each method, from element InstrBlock.HEAD on: it is running, and the outermost call of it will
     * clear the bit. Null or too short: not yet needed.
     */
    long[] running;
}
