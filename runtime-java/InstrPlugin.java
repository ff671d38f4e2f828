package java.lang;

import instr.runtime.InstrNative;
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

    /** The threads that are in helpers: a recursion of two that share a slot may go unnoticed once. */
    private static final Thread[] BUSY = new Thread[1024];

    private static int failures;

    /** A bridge is entered (instr/plugins/helpers.c). Returns a slot; -1: this thread is in a helper already. */
    public static int begin() {
        Thread thread = Thread.currentThread();
        int slot = System.identityHashCode(thread) & BUSY.length - 1;
        if (BUSY[slot] == thread) return -1;
        BUSY[slot] = thread;
        return slot;
    }

    public static void end(int slot) {
        if (slot >= 0) BUSY[slot] = null;
    }

    /** Says what a helper has thrown, some times. Returns 1 if it goes on to the caller, else 0. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static int failed(Throwable thrown, String method, int slot) {
        try {
            // By its name: newer JDKs do not have the class.
            if (thrown.getClass().getName().equals("java.lang.ThreadDeath")) return 1;
            if (failures++ < 5) InstrNative.say("helper " + method + " has thrown an exception, which is dropped: " + thrown);
            return 0;
        } finally {
            end(slot);
        }
    }
}
