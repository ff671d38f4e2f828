package java.lang;

/**
 * A lock for a few instructions. With a monitor a virtual thread may leave its carrier (since JDK 24), and HotSpot crashes where one comes back
 * that had nearly exhausted its stack.
 */
final class InstrExceptionsLock {
    private static final long HELD = offset();

    private static final int ABANDONED = 1 << 28;

    /** 1: a thread has it. To write 0, which gives it back, calls nothing that could fail. */
    volatile long held;

    private InstrExceptionsLock() {}

    /** No constructor runs: that of Object may be instrumented. */
    static InstrExceptionsLock make() {
        try {
            return (InstrExceptionsLock) InstrUnsafe.allocate(InstrExceptionsLock.class);
        } catch (Throwable failed) {
            throw new InternalError();
        }
    }

    /** Takes it if it is free. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    boolean take() {
        return held == 0 && InstrUnsafe.compareAndSet(this, HELD, 0, 1);
    }

    /** Waits for it. What other threads throw into its owner may have kept that from giving it back: then it is taken away. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    void await() {
        for (int i = 0; i < ABANDONED && !take(); i++) {}
    }

    private static long offset() {
        try {
            return InstrUnsafe.offset(InstrExceptionsLock.class, "held");
        } catch (Throwable unknown) {
            throw new InternalError();
        }
    }
}
