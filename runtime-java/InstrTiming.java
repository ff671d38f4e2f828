package java.lang;

/**
 * Called by code that the timing pass inserted, in this order: `timing` to enter, or to construct, whose result is
 * `saved`; to read the clock, which gives `start`; at the end when it exits, or has thrown. Constructors as in InstrCalls.
 */
public final class InstrTiming {
    /** What for: as in rewriters/timing.c. The bits above are those of the id that are above its low 16. */
    public static final int CLOCK = -1, EXIT = 0, ENTER = 1, THROWN = 2, THROWN_EARLY = 3, CONSTRUCT = 4, INITIALIZED = 5;

    static final int WHAT_BITS = 3;

    private InstrTiming() {}

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static long timing(long start, long saved, int low, int what) {
        if (what < 0) return System.nanoTime();
        int id = what >> WHAT_BITS << 16 | low & 0xffff;
        what &= (1 << WHAT_BITS) - 1;
        try {
            if (what == EXIT) {
                InstrThreads.close(System.nanoTime() - start, saved, id);
                return 0;
            }
            if (what == ENTER) return InstrThreads.open(id, InstrThreads.CALL);
            return rarely(start, saved, id, what);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
            return InstrThreads.NO_TASK;
        }
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    private static long rarely(long start, long saved, int id, int what) {
        if (what == CONSTRUCT) return InstrThreads.open(id, InstrThreads.CONSTRUCT);
        if (what == INITIALIZED) return InstrThreads.open(id, InstrThreads.INITIALIZED);
        long duration = System.nanoTime() - start;
        if (what == THROWN) InstrThreads.count(id, InstrThreads.THROWN);
        InstrThreads.close(duration, saved, id);
        return 0;
    }

    // What wrappers of native methods call (InstrNatives).

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
}
