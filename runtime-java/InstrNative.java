package instr.runtime;

/**
 * The runtime's native methods, whose code is instr/threads.c. This class is in the boot loader's unnamed module
 * wherever the others are: a VM warns on standard output when an agent registers natives of a class that
 * belongs to java.base.
 */
public final class InstrNative {
    private InstrNative() {}

    /**
     * The InstrBlock of this thread of the operating system, to be found under tid from now on (0: do not change
     * that). Null when there is no memory.
     */
    public static native Object find(long tid);

    /** Makes the page for id in the block of this thread. Null, with full set, when it shall have no more. */
    public static native long[] page(int id);

    /** Takes the records of the buffer of this thread, which has room afterwards, unless there is no memory. */
    public static native void flush();

    /** Takes one record without a block. The times are 0 when what is not negative. */
    public static native void record(int id, int what, long duration, long self);
}
