package java.lang;

/** A slot of InstrKitNesting: a thread in a call of an advice. */
final class InstrKitSlot {
    private static final long ADVICE = offset();

    /** Set by the thread itself, and compared with it: what other threads see of it does not matter. */
    private Thread thread;

    /** 0: the slot is free. */
    volatile long advice;

    boolean isOf(Thread thread, long advice) {
        return this.thread == thread && this.advice == advice;
    }

    boolean take(Thread thread, long advice) {
        if (this.advice != 0 || !InstrUnsafe.compareAndSet(this, ADVICE, 0, advice)) return false;
        this.thread = thread;
        return true;
    }

    void free() {
        thread = null;
        advice = 0;
    }

    /** The thread has freed the slot itself, and another one may have it, unless it is there still when it has ended. */
    void freeIfEnded() {
        Thread there = thread;
        if (there != null && !there.isAlive() && thread == there) free();
    }

    private static long offset() {
        try {
            return InstrUnsafe.offset(InstrKitSlot.class, "advice");
        } catch (Throwable unknown) {
            throw new InternalError();
        }
    }
}
