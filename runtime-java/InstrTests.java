package java.lang;

import instr.runtime.InstrTestsNative;

/** Called by code that the coverage pass inserted into test methods. An id stands for a method. */
public final class InstrTests {
    private InstrTests() {}

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void begin(int id) {
        try {
            InstrTestsNative.begin(id);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** The method returned, or an exception left it. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void end(int id) {
        try {
            InstrTestsNative.end(id);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }
}
