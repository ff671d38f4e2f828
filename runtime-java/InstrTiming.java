package java.lang;

/**
 * Called by code that the timing pass inserted, in this order: enter or construct, whose result is `saved`;
 * System.nanoTime(), which is `start`; at the end one of exit, thrown and thrownEarly. Constructors, and
 * entries without stack, as in InstrCalls.
 */
public final class InstrTiming {
    private InstrTiming() {}

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static long enter(int id) {
        try {
            return InstrThreads.open(id, InstrThreads.CALL);
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
            return InstrThreads.NO_TASK;
        }
    }

    /** Enters a constructor that will call super() or this(). */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static long construct(int id) {
        try {
            InstrThreads.moreRoom();
            return InstrThreads.open(id, InstrThreads.CONSTRUCT);
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
            return InstrThreads.NO_TASK;
        }
    }

    /** That call has returned. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void initialized(int id) {
        try {
            InstrThreads.open(id, InstrThreads.INITIALIZED);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** The method returns. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void exit(long start, long saved, int id) {
        try {
            InstrThreads.close(System.nanoTime() - start, saved, id);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** An exception leaves the method. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void thrown(long start, long saved, int id) {
        try {
            long duration = System.nanoTime() - start;
            InstrThreads.count(id, InstrThreads.THROWN);
            InstrThreads.close(duration, saved, id);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** An exception leaves a constructor that has not called super() or this() yet. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void thrownEarly(long start, long saved, int id) {
        try {
            InstrThreads.close(System.nanoTime() - start, saved, id);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    // What code of classes that were given back by their JVM calls instead, so that few constants are added.

    static final int ENTER = 0, NOW = 1, EXIT = 2, THROWN = 3, CONSTRUCT = 4, INITIALIZED = 5;

    /**
     * One of the above, also thrownEarly, which is the same as exit; or, as NOW, the clock. 0 where they give nothing.
     * What was not asked for is gone when this is compiled, since `what` is a constant then.
     */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    public static long timing(long start, long saved, int id, int what) {
        if (what == NOW) return System.nanoTime();
        if (what == ENTER) return enter(id);
        if (what == CONSTRUCT) return construct(id);
        if (what == EXIT) exit(start, saved, id);
        else if (what == THROWN) thrown(start, saved, id);
        else initialized(id);
        return 0;
    }
}
