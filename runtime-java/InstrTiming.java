package java.lang;

/**
 * Called by code that the timing pass inserted, in this order: enter or construct, whose result is `saved`;
 * System.nanoTime(), which is `start`; at the end one of exit, thrown and thrownEarly. Constructors as in InstrCalls.
 */
public final class InstrTiming {
    private InstrTiming() {}

    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    public static long enter(int id) {
        return InstrThreads.open(id, InstrThreads.CALL);
    }

    /** Enters a constructor that will call super() or this(). */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    public static long construct(int id) {
        return InstrThreads.open(id, InstrThreads.CONSTRUCT);
    }

    /** That call has returned. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    public static void initialized(int id) {
        InstrThreads.count(
                InstrThreads.block(Thread.currentThread()), id, InstrThreads.INITIALIZED);
    }

    /** The method returns. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    public static void exit(long start, long saved, int id) {
        long now = System.nanoTime();
        Thread thread = Thread.currentThread();
        InstrThreads.close(thread, InstrThreads.block(thread), now - start, saved, id);
    }

    /** An exception leaves the method. */
    public static void thrown(long start, long saved, int id) {
        long now = System.nanoTime();
        Thread thread = Thread.currentThread();
        InstrBlock block = InstrThreads.block(thread);
        InstrThreads.count(block, id, InstrThreads.THROWN);
        InstrThreads.close(thread, block, now - start, saved, id);
    }

    /** An exception leaves a constructor that has not called super() or this() yet. */
    public static void thrownEarly(long start, long saved, int id) {
        long now = System.nanoTime();
        Thread thread = Thread.currentThread();
        InstrThreads.close(thread, InstrThreads.block(thread), now - start, saved, id);
    }
}
