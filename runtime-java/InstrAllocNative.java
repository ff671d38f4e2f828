package instr.runtime;

/** The native methods of InstrAlloc, implemented in instr/passes/alloc/sizes.c. For the package see InstrNative. */
public final class InstrAllocNative {
    private InstrAllocNative() {}

    /** The address of the table of sizes. */
    public static native long sizes();

    /** Bytes before the first element of an array, by the binary logarithm of the element size; 4: of references. */
    public static native long base(int shift);

    /** The binary logarithm of the size of a reference in an array. */
    public static native int referenceShift();

    /** All sizes are multiples of this. */
    public static native long alignment();

    /** Whether this JVM has no value classes. */
    public static native boolean plain();

    /** The size of an array; if the VM does not report it, `otherwise`. */
    public static native long size(Object array, long otherwise);

    /**
     * The size of the objects of the class that the site allocates; null: the code cannot name it, so it is found by its name.
     * Negative: unknown.
     */
    public static native long learn(Class<?> type, int id);

    /** The id for objects of the class at this site; negative: no id is left. */
    public static native int kind(Class<?> type, int site);

    /**
     * Whether the class inherits clone() from Object: 1 or -1; null: the superclass of the one that calls. Puts the result into the
     * table, for the site.
     */
    public static native long inherits(Class<?> named, int site);

    /** Counts an object where it was instantiated. */
    public static native void constructed(Object object);
}
