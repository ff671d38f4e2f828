package instr.runtime;

/** The native methods of InstrTests, implemented in instr/passes/coverage/tests.c. For the package see InstrNative. */
public final class InstrTestsNative {
    private InstrTestsNative() {}

    /** A test begins on the current thread. */
    public static native void begin(int id);

    /** The test has ended. */
    public static native void end(int id);
}
