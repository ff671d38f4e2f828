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

    /**
     * Enters a method. Code of classes that were given back by their JVM calls this for all there is, so that few
     * constants are added: with ~(4 * id) it is construct, with 1 more in the parentheses initialized, with 2 thrown.
     *
     * <p>C2 may inline this, where it is called often; it is too long for C1 (more than 35 bytes). So it must not
     * depend on what compilers take to be the same all through a method: see InstrThreads.
     */
    public static void enter(int id) {
        try {
            if (id >= 0) InstrThreads.countInlined(id, InstrThreads.CALL);
            else if ((~id & 3) == 0) InstrThreads.countInlined(~id >> 2, InstrThreads.CONSTRUCT);
            else if ((~id & 3) == 1) InstrThreads.countInlined(~id >> 2, InstrThreads.INITIALIZED);
            else thrown(~id >> 2);
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError && (id >= 0 || (~id & 3) == 0)) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id >= 0 ? id : ~id >> 2);
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
            InstrThreads.countConstruct(id);
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
}
