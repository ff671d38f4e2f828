package instr.runtime;

/** The native methods of the pass watch, implemented in instr/passes/watch/watch.c. */
public final class InstrWatchNative {
    private InstrWatchNative() {}

    /** Reports a call. `end`: 0, it returned `result` (null for nothing); 1, it threw `result`. */
    public static native void call(
            int id, int end, long duration, String thread, String[] arguments, String result, String[] stack);

    /** The message of the exception, read from its field: the application may override getMessage(). */
    public static native String message(Throwable exception);

    /** What Throwable.getStackTrace() returns, which the application may override. Null: it failed. */
    public static native StackTraceElement[] stack(Throwable exception);

    /** Reports an error of InstrWatch, which switches the pass off. */
    public static native void failed(String what);
}
