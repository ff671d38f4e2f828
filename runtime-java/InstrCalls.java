package java.lang;

/**
 * Called by code that the calls pass inserted. An id stands for a method.
 *
 * <p>A constructor that calls super() or this() counts as failed until that call has returned: no handler may cover
 * the call, so this is how exceptions thrown out of it are counted.
 *
 * <p>If the stack overflows on entry to a method, the method throws StackOverflowError as usual. It is counted neither
 * as called nor as left by an exception.
 */
public final class InstrCalls {
    private InstrCalls() {}

    /**
     * Enters a method. Code of classes that were retransformed calls only this method, so that few constants are added:
     * ~(4 * id) means construct, ~(4 * id + 1) initialized, ~(4 * id + 2) thrown.
     *
     * <p>Most calls are those of threads that own the counters of the method, or whose carriers do (InstrThreads.OWNED).
     *
     * <p>C2 may inline this method where it is called often; for C1 it is too long (more than 35 bytes). So it must
     * not use anything that compilers assume to be constant during a method: see InstrThreads. build.py raises its max_stack
     * by more than the timing pass behind this one needs: when the stack is exhausted,
     * a call that was counted as entered must also be counted as thrown.
     */
    public static void enter(int id) {
        try {
            if (id >= 0) {
                InstrThreads.mostRoom(0);
                long tid = InstrUnsafe.carrierTidInlined(), way = InstrThreads.way(tid);
                if (InstrThreads.owner(way, id) == ~tid) InstrThreads.add(InstrThreads.ownedRow(way, id), InstrThreads.CALL);
                else InstrThreads.countAny(id, InstrThreads.CALL);
            } else if ((~id & 3) == 0) construct(~id >> 2);
            else if ((~id & 3) == 1) initialized(~id >> 2);
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

    /** Enters a constructor that will call super() or this(). For compilers as enter. */
    public static void construct(int id) {
        try {
            InstrThreads.mostRoom(0);
            long tid = InstrUnsafe.carrierTidInlined(), way = InstrThreads.way(tid);
            if (InstrThreads.owner(way, id) == ~tid) InstrThreads.add(InstrThreads.ownedRow(way, id), InstrThreads.CONSTRUCT);
            else InstrThreads.countAny(id, InstrThreads.CONSTRUCT);
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** The call of super() or this() has returned. For compilers as enter. */
    public static void initialized(int id) {
        try {
            long tid = InstrUnsafe.carrierTidInlined(), way = InstrThreads.way(tid);
            if (InstrThreads.owner(way, id) == ~tid) InstrThreads.add(InstrThreads.ownedRow(way, id), InstrThreads.INITIALIZED);
            else InstrThreads.countAny(id, InstrThreads.INITIALIZED);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }
}
