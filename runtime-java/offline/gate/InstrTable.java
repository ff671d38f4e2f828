package instr.rewritten;

import instr.runtime.Offline;

/**
 * Registers what the ids of a rewritten file mean. The copy of this class in each file has a name of its own,
 * and a class InstrRows beside it that `instr rewrite` has made.
 */
public final class InstrTable {
    /** What the runtime adds to the ids of this file; MIN_VALUE: there is no runtime, and nothing is counted. */
    public static final int BASE = register();

    private InstrTable() {}

    private static int register() {
        try {
            InstrModule.letReadRuntime();
            return Offline.register(InstrRows.rows());
        } catch (LinkageError missing) {
            System.err.println("instr: this program was rewritten, but nothing is measured: give the JVM"
                    + " -Xbootclasspath/a:$(instr runtime-jar)");
        } catch (Throwable failed) {
            System.err.println("instr: this program was rewritten, but nothing is measured: " + failed);
        }
        return Integer.MIN_VALUE;
    }
}
