package java.lang;

import instr.runtime.InstrNative;

/**
 * Exceptions that the runtime itself throws: they are reported to the agent, which switches the pass off, and
 * dropped.
 */
final class InstrFailure {
    private InstrFailure() {}

    /**
     * Reports what an entry point of the runtime has caught. `id` is that of its method or site. If it is negative,
     * `pass` has failed, or, if that is null, all passes that measure time have. An exception that another thread or a
     * debugger throws into this thread belongs to the application and is rethrown. Callers do not pass a
     * VirtualMachineError: exhausted stack or memory is not a failure of the runtime, and without stack this call would
     * throw another error in place of the exception that the application expects.
     */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void tell(Throwable thrown, int id) {
        tell(thrown, id, null);
    }

    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    static void tell(Throwable thrown, int id, String pass) {
        boolean ours = true;
        try {
            ours = isOurs(thrown);
            if (ours) InstrNative.failed(id, pass, thrown.getClass().getName());
        } catch (Throwable dropped) {
            drop(dropped); // not enough stack or memory is left
        }
        if (!ours) InstrFailure.<RuntimeException>pass(thrown);
    }

    /** Was it thrown within the runtime? Without a stack trace the answer is yes. */
    static boolean isOurs(Throwable thrown) {
        StackTraceElement[] frames = thrown.getStackTrace();
        for (StackTraceElement frame : frames) {
            String name = frame.getClassName();
            if (name.startsWith("java.lang.Instr") || name.startsWith("instr.runtime.Instr")) return true;
        }
        return frames.length == 0;
    }

    /** Throws what stops the thread, which is not ours; all else the application must not see. */
    static void drop(Throwable thrown) {
        if (thrown instanceof ThreadDeath) throw (ThreadDeath) thrown;
    }

    /** Throws it, whatever the compiler thinks that may be thrown here. */
    @SuppressWarnings("unchecked")
    static <T extends Throwable> void pass(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
