package java.lang;

import instr.runtime.InstrTestsNative;

/** Called by code that the coverage pass inserted into methods whose run is one test. An id stands for a method. */
public final class InstrTests {
    private InstrTests() {}

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void begin(int id) {
        try {
            InstrTestsNative.begin(id);
        } catch (Throwable failed) {
            InstrFailure.tell(failed, id); // the test is not told apart
        }
    }

    /** The method returned, or an exception left it. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void end(int id) {
        try {
            InstrTestsNative.end(id);
        } catch (Throwable failed) {
            InstrFailure.tell(failed, id); // the test is not told apart
        }
    }
}
