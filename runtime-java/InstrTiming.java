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

    // What code of classes that were given back by their JVM calls instead: one name, so that few constants are added.

    /** enter; for ~(2 * id) construct, and for ~(2 * id + 1) initialized, whose result says nothing. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static long timing(int id) {
        try {
            if (id >= 0) return InstrThreads.open(id, InstrThreads.CALL);
            if ((id & 1) != 0) return InstrThreads.open(~id >> 1, InstrThreads.CONSTRUCT);
            return InstrThreads.open(~id >> 1, InstrThreads.INITIALIZED);
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError && (id >= 0 || (id & 1) != 0)) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id >= 0 ? id : ~id >> 1);
            return InstrThreads.NO_TASK;
        }
    }

    /** System.nanoTime(). */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    public static long timing() {
        return System.nanoTime();
    }

    /** exit, or thrownEarly; for ~id thrown. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void timing(long start, long saved, int id) {
        if (id < 0) {
            thrown(start, saved, ~id);
            return;
        }
        try {
            InstrThreads.close(System.nanoTime() - start, saved, id);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }
}
