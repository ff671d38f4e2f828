package instr.rewritten;

/** The module of a rewritten file. */
final class InstrModule {
    private InstrModule() {}

    /** A named module must read the boot loader's unnamed one; JDK 8 has neither. */
    static void letReadRuntime() {
        try {
            Object mine = Class.class.getMethod("getModule").invoke(InstrModule.class);
            Class<?> type = Class.forName("java.lang.Module");
            Class<?> runtime = Class.forName("instr.runtime.Offline", false, null);
            Object theirs = Class.class.getMethod("getModule").invoke(runtime);
            type.getMethod("addReads", type).invoke(mine, theirs);
        } catch (Throwable none) {
            // JDK 8, or no runtime: the call that follows will fail then.
        }
    }
}
