package instr.runtime;

/** The natives of the pass watch, whose code is instr/passes/watch/watch.c. */
public final class InstrWatchNative {
    private InstrWatchNative() {}

    /**
     * Hands a call over: how it ended is 0 (it returned `result`, null for nothing) or 1 (`result` was thrown). False:
     * no more are wanted.
     */
    public static native boolean call(
            int id, int end, long duration, String thread, String[] arguments, String result, String[] stack);

    /** The message that it was made with, read from its field: getMessage() may be the application's. */
    public static native String message(Throwable exception);

    /** Something went wrong here, and is not to happen again. */
    public static native void failed(String what);
}
