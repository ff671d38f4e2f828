package java.lang;

/**
 * Called by code that the calls pass inserted. An id stands for a method.
 *
 * <p>A constructor that calls super() or this() is presumed to have failed until that call has returned: no
 * handler may cover it, so this is how exceptions that come out of it are counted.
 *
 * <p>A method for whose entry the stack does not suffice is not entered: it ends as if it had needed that stack itself,
 * and is not counted, neither as called nor, outside, as left by an exception.
 */
public final class InstrCalls {
    private InstrCalls() {}

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void enter(int id) {
        try {
            InstrThreads.count(id, InstrThreads.CALL);
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** An exception left the method. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void thrown(int id) {
        try {
            InstrThreads.count(id, InstrThreads.THROWN);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** Enters a constructor that will call super() or this(). */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void construct(int id) {
        try {
            InstrThreads.count(id, InstrThreads.CONSTRUCT);
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** That call has returned. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void initialized(int id) {
        try {
            InstrThreads.count(id, InstrThreads.INITIALIZED);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /**
     * What code of classes that were given back by their JVM calls instead, so that few constants are added: enter; for
     * ~(4 * id) construct, with 1 more in the parentheses initialized, with 2 thrown.
     */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void calls(int id) {
        try {
            if (id >= 0) InstrThreads.count(id, InstrThreads.CALL);
            else if ((~id & 3) == 0) InstrThreads.count(~id >> 2, InstrThreads.CONSTRUCT);
            else if ((~id & 3) == 1) InstrThreads.count(~id >> 2, InstrThreads.INITIALIZED);
            else InstrThreads.count(~id >> 2, InstrThreads.THROWN);
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError && (id >= 0 || (~id & 3) == 0)) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id >= 0 ? id : ~id >> 2);
        }
    }
}
