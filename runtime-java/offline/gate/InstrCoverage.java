package instr.rewritten;

import instr.runtime.OfflineCoverage;

/** Makes the arrays of InstrProbes, a class that `instr rewrite` has made, and registers them. */
public final class InstrCoverage {
    private static boolean said;

    private InstrCoverage() {}

    /** The probes of this number: 32,768 of them. */
    public static boolean[] array(int number) {
        boolean[] probes = new boolean[32768];
        try {
            InstrModule.letReadRuntime();
            OfflineCoverage.add(InstrCovered.rows(), number, probes);
        } catch (LinkageError missing) {
            say("give the JVM -Xbootclasspath/a:$(instr runtime-jar)");
        } catch (Throwable failed) {
            say(String.valueOf(failed));
        }
        return probes;
    }

    private static void say(String why) {
        if (!said) System.err.println("instr: this program was rewritten, but nothing is measured: " + why);
        said = true;
    }
}
