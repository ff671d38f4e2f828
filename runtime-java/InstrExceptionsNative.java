package instr.runtime;

/** The native methods of InstrExceptions, implemented in instr/passes/exceptions/rows.c. None of them throws. */
public final class InstrExceptionsNative {
    private InstrExceptionsNative() {}

    /** Throwable.backtrace, which the JVM records for the stack trace. Null: there is none. */
    public static native Object backtrace(Throwable exception);

    /**
     * Up to `count` topmost frames, without the first `ours`, which are the runtime's: method and location alternate.
     * Null: out of memory.
     */
    public static native long[] stack(int ours, int count);

    /**
     * The row for uncaught exceptions of this class from this place: the site that throws them; if that is negative,
     * the place where the stack trace begins; otherwise the method where the exception was first seen. -1: out of
     * memory, or too many rows.
     */
    public static native int row(Throwable exception, int site, int method);

    /** The row for such exceptions after a handler of the method has caught them. Negative: they left their thread. */
    public static native int caught(int row, Throwable exception, int method);
}
