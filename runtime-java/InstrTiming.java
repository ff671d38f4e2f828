package java.lang;

/**
 * Called by code that the timing pass inserted, in this order: enter or construct, whose result is `saved`;
 * System.nanoTime(), whose result is `start`; at the end one of exit, thrown and thrownEarly. For constructors and
 * stack overflow see InstrCalls.
 */
public final class InstrTiming {
    private InstrTiming() {}

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static long enter(int id) {
        try {
            InstrThreads.findRoom(0);
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
            InstrThreads.findRoom(0);
            return InstrThreads.open(id, InstrThreads.CONSTRUCT);
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
            return InstrThreads.NO_TASK;
        }
    }

    /** The call of super() or this() has returned. */
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

    /** An exception leaves the wrapper of a native method. The call of enter has resolved this class, not InstrNatives. */
    public static void thrown(Throwable thrown, long start, long saved, int id) {
        InstrNatives.thrown(thrown, start, saved, id);
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

    // For code within that of another owner of the pass, see InstrThreads.closeInner.

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void exitInner(long start, long saved, int id) {
        try {
            InstrThreads.closeInner(System.nanoTime() - start, saved, id);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void thrownInner(long start, long saved, int id) {
        try {
            long duration = System.nanoTime() - start;
            InstrThreads.count(id, InstrThreads.THROWN);
            InstrThreads.closeInner(duration, saved, id);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    // Code of classes that were retransformed calls the following instead, so that few constants are added.

    static final int ENTER = 0, NOW = 1, EXIT = 2, THROWN = 3, CONSTRUCT = 4, INITIALIZED = 5,
            EXIT_INNER = 6, THROWN_INNER = 7;

    /**
     * Does one of the above, or returns the clock for NOW. exit also serves as thrownEarly. Returns 0 for methods
     * without a result. Compilers remove the other cases, because `what` is a constant where this is inlined.
     */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    public static long timing(long start, long saved, int id, int what) {
        if (what == NOW) return System.nanoTime();
        if (what == ENTER) return enter(id);
        if (what == CONSTRUCT) return construct(id);
        if (what == EXIT) exit(start, saved, id);
        else if (what == THROWN) thrown(start, saved, id);
        else if (what == EXIT_INNER) exitInner(start, saved, id);
        else if (what == THROWN_INNER) thrownInner(start, saved, id);
        else initialized(id);
        return 0;
    }
}
