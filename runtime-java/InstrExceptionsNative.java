package instr.runtime;

/** What InstrExceptions needs of the JVM; the code is instr/passes/exceptions/rows.c. None of these throws. */
public final class InstrExceptionsNative {
    private InstrExceptionsNative() {}

    /** Throwable.backtrace, which is what the JVM has noted for the stack trace. Null: nothing. */
    public static native Object backtrace(Throwable exception);

    /**
     * The topmost frames, without so many of ours, and `count` at most: the method and the place in it, one after the other.
     * Null: no memory.
     */
    public static native long[] stack(int ours, int count);

    /**
     * The row for exceptions of this class from this place, as long as nobody has caught them: thrown at the site, or,
     * when that is negative, where the exception's stack trace begins, or else seen first in the method. -1: no memory,
     * or too many.
     */
    public static native int row(Throwable exception, int site, int method);

    /** The row for such exceptions that a handler of the method has caught. Negative: they left their thread. */
    public static native int caught(int row, Throwable exception, int method);
}
