package instr.runtime;

/** The native methods of InstrAlloc, whose code is instr/passes/alloc/sizes.c; beside InstrNative for the same reason. */
public final class InstrAllocNative {
    private InstrAllocNative() {}

    /** The address of the table of sizes. */
    public static native long sizes();

    /** Bytes before the first element of an array, by the logarithm of an element's bytes; 4: of references. */
    public static native long base(int shift);

    /** The logarithm of the bytes of a reference in an array. */
    public static native int referenceShift();

    /** What all sizes are multiples of. */
    public static native long alignment();

    /** Whether this JVM has no value classes. */
    public static native boolean plain();

    /** The size of an array; when the VM does not tell, that given. */
    public static native long size(Object array, long otherwise);

    /**
     * Finds the size of the objects that the site makes, and puts it into the table; negative: it cannot be known, as
     * when the class is null, where code cannot name it.
     */
    public static native long learn(Class<?> type, int id);

    /** The id of the site for objects of the class; negative: there is none left. */
    public static native int kind(Class<?> type, int site);

    /** Whether the class has clone() from Object: 1 or -1. Puts it into the table, for the site. */
    public static native long inherits(Class<?> named, int site);

    /** Counts an object where it was instantiated. */
    public static native void constructed(Object object);
}
