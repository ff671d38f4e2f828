package java.lang;

/**
 * Called by code of methods that the calls pass counts and the timing pass times with clock=auto: as InstrSampling, and each call also
 * counts for the calls pass. The id is that of the timing pass; that of the calls pass is the one before it, in the same page
 * (rewriters/pair.h). So the owner of one row owns the other.
 *
 * <p>Each method that enters asks for more of the stack than those of InstrSampling, since it counts before it calls them.
 *
 * <p>The entries repeat those of InstrSampling: if both called what they share, they would be short enough for C1 to inline, which would
 * then compile it into each method.
 */
public final class InstrSamplingCalls {
    /** From the row of the calls pass to that of the timing pass. */
    private static final long BEFORE = 1 << InstrThreads.ROW_SHIFT;

    private InstrSamplingCalls() {}

    /** Enters a method. For compilers as InstrSampling.enter. */
    public static long enter(int id) {
        try {
            InstrThreads.mostRoom(0);
            long tid = InstrUnsafe.tid(), way = InstrThreads.way(tid);
            if (InstrThreads.owner(way, id) == ~tid) {
                long row = InstrThreads.ownedRow(way, id), calls = InstrUnsafe.get(row + InstrSampling.NEXT);
                if (((int) calls & InstrSampling.LEFT) != 0) {
                    InstrUnsafe.put(row + InstrSampling.NEXT, calls + InstrSampling.COUNTED);
                    InstrThreads.add(row - BEFORE, InstrThreads.CALL);
                    return InstrUnsafe.get(InstrSampling.TICK);
                }
            }
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
        return enterAny(id, InstrThreads.CALL);
    }

    /** Enters a constructor that will call super() or this(). */
    public static long construct(int id) {
        try {
            InstrThreads.mostRoom(0);
            long tid = InstrUnsafe.tid(), way = InstrThreads.way(tid);
            if (InstrThreads.owner(way, id) == ~tid) {
                long row = InstrThreads.ownedRow(way, id), calls = InstrUnsafe.get(row + InstrSampling.NEXT);
                if (((int) calls & InstrSampling.LEFT) != 0) {
                    InstrUnsafe.put(row + InstrSampling.NEXT, calls + InstrSampling.COUNTED);
                    InstrThreads.addThrown(row, 1);
                    InstrThreads.add(row - BEFORE, InstrThreads.CONSTRUCT);
                    return InstrUnsafe.get(InstrSampling.TICK);
                }
            }
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
        return enterAny(id, InstrThreads.CONSTRUCT);
    }

    /** A call that is timed, or of a thread that does not own the page. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    private static long enterAny(int id, int what) {
        InstrThreads.findMostRoom(0);
        countCall(id, what);
        return InstrSampling.enterAny(id, what);
    }

    /** Counts a call for the calls pass. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    private static void countCall(int id, int what) {
        try {
            InstrThreads.countAny(id - 1, what);
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id - 1);
        }
    }

    /** Counts a call that is never timed. */
    public static void count(int id) {
        try {
            InstrThreads.mostRoom(0);
            long tid = InstrUnsafe.tid(), way = InstrThreads.way(tid);
            if (InstrThreads.owner(way, id) == ~tid) {
                long row = InstrThreads.ownedRow(way, id);
                InstrThreads.add(row, InstrThreads.CALL);
                InstrThreads.add(row - BEFORE, InstrThreads.CALL);
                return;
            }
        } catch (Throwable failed) {
            if (failed instanceof StackOverflowError) throw (StackOverflowError) failed;
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
        countAny(id);
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    private static void countAny(int id) {
        InstrThreads.findMostRoom(0);
        countCall(id, InstrThreads.CALL);
        InstrSampling.countAny(id);
    }

    /** The call of super() or this() has returned. For C1 this is too long, as enter. */
    public static void initialized(long state, int id) {
        long row = InstrThreads.ownRow(id);
        if (row != 0 && !InstrSampling.isPushed(state)) {
            InstrThreads.addThrown(row, -1);
            InstrThreads.addThrown(row - BEFORE, -1);
        } else {
            initializedAny(state, id);
        }
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    private static void initializedAny(long state, int id) {
        InstrCalls.initialized(id - 1);
        InstrSampling.initialized(state, id);
    }

    /** An exception leaves the method. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void thrown(long state, int id) {
        InstrCalls.thrown(id - 1);
        InstrSampling.thrown(state, id);
    }

    /** An exception leaves a method that is counted only. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void countThrown(int id) {
        InstrCalls.thrown(id);
        InstrCalls.thrown(id - 1);
    }
}
