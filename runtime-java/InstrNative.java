package instr.runtime;

/**
 * The runtime's native methods, implemented in instr/counters/threads.c and instr/vm/runtime.c. This class is always in the
 * unnamed module of the bootstrap loader: a VM prints a warning to standard output when an agent registers native methods of
 * a class in java.base.
 */
public final class InstrNative {
    private InstrNative() {}

    /** The address of the first line. */
    public static native long lines();

    /** The address of the time of the last tick; see InstrSampling. */
    public static native long tick();

    /** How far each column of numbers is behind the one before; the first has the calls of methods. */
    public static native long distance();

    /**
     * The line of this operating system thread. From now on the line can be found by tid (negative: do not change that)
     * if the thread gets a slot. 0: out of memory.
     */
    public static native long find(long tid);

    /** Creates the page for an id in the block of this thread. 0, with FULL set: the thread gets no more pages. */
    public static native long page(int id);

    /**
     * Makes the current thread, whose Thread.tid is given, the owner of a page for an id, if nobody is or the owner has ended,
     * and there is memory.
     */
    public static native void own(int id, long tid);

    /** The current thread, which owns the page for an id, does not own it any more. */
    public static native void disown(int id);

    /** The address InstrThreads.OWNED. */
    public static native long owned();

    /** The address InstrSamplingLevels.LEARNED. */
    public static native long learned();

    /** InstrThreads.WAYS; 1 where address space is limited: then no page has an owner. */
    public static native long ways();

    /** Empties the record buffer of this thread. There is room afterwards, unless memory is exhausted. */
    public static native void flush();

    /**
     * Adds one record without using the buffer. If `what` is not negative the times are 0; for ALLOCATED they are the
     * number and the bytes of the allocated objects.
     */
    public static native void record(int id, int what, long duration, long self);

    /** Reports that code of the runtime has thrown an exception of the class `name`; see InstrFailure. */
    public static native void failed(int id, String pass, String name);

    /** Prints a line to the JVM's standard error, as the agent does. */
    public static native void say(String line);

    /** An epoch that no task has used yet. */
    public static native long epoch();
}
