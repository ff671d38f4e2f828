package instr.runtime;

/** The native methods of InstrTests, whose code is instr/passes/coverage/tests.c; beside InstrNative for the same reason. */
public final class InstrTestsNative {
    private InstrTestsNative() {}

    /** A test begins on the current thread. */
    public static native void begin(int id);

    /** It has ended. */
    public static native void end(int id);
}
