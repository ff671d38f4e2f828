package instr.runtime;

/** Counts for code that `instr rewrite` gave the calls pass. As InstrCalls. */
public final class OfflineCalls {
    private OfflineCalls() {}

    public static void enter(int id) {
        Offline.count(id, Offline.CALL);
    }

    public static void thrown(int id) {
        Offline.count(id, Offline.THROWN);
    }

    public static void construct(int id) {
        Offline.count(id, Offline.CONSTRUCT);
    }

    public static void initialized(int id) {
        Offline.count(id, Offline.INITIALIZED);
    }
}
