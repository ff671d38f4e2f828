package instr.runtime;

/** The native method for events of plug-ins, implemented in instr/passes/plugin/events.c. */
public final class InstrPluginNative {
    private InstrPluginNative() {}

    /** Puts an event into the ring, or counts it as lost: it never waits. */
    public static native void emit(long value, int id);
}
