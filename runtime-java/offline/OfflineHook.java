package instr.runtime;

/** Writes the results when the JVM shuts down. */
final class OfflineHook extends Thread {
    private final boolean coverage;

    OfflineHook(boolean coverage) {
        super("instr results");
        this.coverage = coverage;
    }

    @Override
    public void run() {
        if (coverage) OfflineCoverage.report();
        else Offline.report();
    }
}
