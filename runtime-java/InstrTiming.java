package java.lang;

/**
 * Called by code that the timing pass inserted, in this order: enter or construct, whose result is `saved`;
 * System.nanoTime(), which is `start`; at the end one of exit, thrown and thrownEarly. Constructors as in InstrCalls.
 */
public final class InstrTiming {
    private InstrTiming() {}

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static long enter(int id) {
        try {
            return InstrThreads.open(id, InstrThreads.CALL);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
            return InstrThreads.NO_TASK;
        }
    }

    /** Enters a constructor that will call super() or this(). */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static long construct(int id) {
        try {
            return InstrThreads.open(id, InstrThreads.CONSTRUCT);
        } catch (Throwable failed) {
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
}
