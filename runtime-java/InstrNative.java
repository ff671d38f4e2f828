package instr.runtime;

/**
 * The runtime's native methods, whose code is instr/counters/threads.c. This class is in the boot loader's unnamed module
 * wherever the others are: a VM warns on standard output when an agent registers natives of a class that
 * belongs to java.base.
 */
public final class InstrNative {
    private InstrNative() {}

    /** The address of the first line. */
    public static native long lines();

    /**
     * The line of this thread of the operating system, to be found under tid from now on (negative: do not change
     * that), if it gets a slot. 0 when there is no memory.
     */
    public static native long find(long tid);

    /** Makes the page for id in the block of this thread. 0, with FULL set, when it shall have no more. */
    public static native long page(int id);

    /** Takes the records of the buffer of this thread, which has room afterwards, unless there is no memory. */
    public static native void flush();

    /**
     * Takes one record without a buffer. The times are 0 when what is not negative, but for ALLOCATED: then they
     * are the number and bytes of what was allocated.
     */
    public static native void record(int id, int what, long duration, long self);

    /** Code of the runtime has thrown an exception of this class; see InstrFailure. */
    public static native void failed(int id, String name);

    /** An epoch that no task has had. */
    public static native long epoch();
}
