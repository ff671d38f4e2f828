package java.lang;

/**
 * Called by code that the timing pass inserted, in this order: enter or construct, whose result is `saved`;
 * System.nanoTime(), which is `start`; at the end one of exit, thrown and thrownEarly. Constructors as in InstrCalls.
 */
public final class InstrTiming {
    private InstrTiming() {}

    public static long enter(int id) {
        return InstrThreads.open(Thread.currentThread(), id, InstrThreads.CALL);
    }

    /** Enters a constructor that will call super() or this(). */
    public static long construct(int id) {
        return InstrThreads.open(Thread.currentThread(), id, InstrThreads.CONSTRUCT);
    }

    /** That call has returned. */
    public static void initialized(int id) {
        InstrThreads.initialized(Thread.currentThread(), id);
    }

    /** The method returns. */
    public static void exit(long start, long saved, int id) {
        long now = System.nanoTime();
        InstrThreads.close(Thread.currentThread(), now - start, saved, id);
    }

    /** An exception leaves the method. */
    public static void thrown(long start, long saved, int id) {
        long now = System.nanoTime();
        Thread thread = Thread.currentThread();
        InstrThreads.count(thread, id, InstrThreads.THROWN);
        InstrThreads.close(thread, now - start, saved, id);
    }

    /** An exception leaves a constructor that has not called super() or this() yet. */
    public static void thrownEarly(long start, long saved, int id) {
        long now = System.nanoTime();
        InstrThreads.close(Thread.currentThread(), now - start, saved, id);
    }
}
