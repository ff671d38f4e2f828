package java.lang;

/** What belongs to a thread of the application, be it platform or virtual, wherever it runs. */
class InstrTask extends InstrPad {
    /** Nanoseconds spent in timed methods that have returned. Only grows. */
    long children;
}
