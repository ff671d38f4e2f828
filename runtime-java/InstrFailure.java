package java.lang;

import instr.runtime.InstrNative;

/** What the runtime itself throws: it is told to the agent, which switches the pass off, and never gets any further. */
final class InstrFailure {
    /** Instead of an id: of this pass, or not known. */
    static final int EXCEPTIONS = -1, ALLOC = -2, UNKNOWN = -3;

    private InstrFailure() {}

    /**
     * Takes what an entry of the runtime has caught; `id` is its method's, or site's, or that of a pass as instr/vm/runtime_failures.h
     * has it. What another thread throws into this one, or a debugger, is the application's own, and goes on. No
     * VirtualMachineError comes here: stack or memory that is used up is the application's business, nothing has failed,
     * and without stack this call would throw another one, in place of the exception that the application awaits.
     */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void tell(Throwable thrown, int id) {
        boolean ours = true;
        try {
            ours = isOurs(thrown);
            if (ours) InstrNative.failed(id, thrown.getClass().getName());
        } catch (Throwable nevermind) {
            // Too little stack or memory is left.
        }
        if (!ours) InstrFailure.<RuntimeException>pass(thrown);
    }

    /** Was it made within the runtime? Without a stack trace, yes. */
    private static boolean isOurs(Throwable thrown) {
        StackTraceElement[] frames = thrown.getStackTrace();
        for (StackTraceElement frame : frames) {
            String name = frame.getClassName();
            if (name.startsWith("java.lang.Instr") || name.startsWith("instr.runtime.Instr")) return true;
        }
        return frames.length == 0;
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void pass(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
