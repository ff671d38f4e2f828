package java.lang;

import instr.runtime.InstrPluginNative;

/** Called by code that plug-ins put into methods (instr/plugins/places.c). */
public final class InstrPlugin {
    private InstrPlugin() {}

    /** Adds a number to a histogram; negative ones count as 0. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void observe(long value, int id) {
        try {
            InstrThreads.observe(value, id);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }

    /** Counts an event, and hands it to the agent. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void emit(long value, int id) {
        try {
            InstrThreads.count(id, InstrThreads.CALL);
            InstrPluginNative.emit(value, id);
        } catch (Throwable failed) {
            if (!(failed instanceof VirtualMachineError)) InstrFailure.tell(failed, id);
        }
    }
}
