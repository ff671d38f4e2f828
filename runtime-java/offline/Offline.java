package instr.runtime;

import java.util.ArrayList;
import java.util.HashMap;

/**
 * The runtime of files that `instr rewrite` made: counts in plain Java, without the agent, and writes the results at
 * exit. Each file registers its methods and gets numbers for them that no other file has.
 */
public final class Offline {
    /** What happened: as in InstrThreads. */
    static final int CALL = 0, THROWN = 1, CONSTRUCT = 2, INITIALIZED = 3;

    static final OfflineTotals TOTALS = new OfflineTotals();

    /** Pages of counters that may still be made: 8 MB in pages of 512 bytes. After that threads share the totals. */
    private static int pagesLeft = 16384;

    private static final ThreadLocal<OfflineThread> CURRENT = new ThreadLocal<OfflineThread>();

    /** java.lang.BaseVirtualThread, or null. */
    private static final Class<?> VIRTUAL = findVirtual();

    /** Those with counters of their own. Guarded by itself. */
    private static final ArrayList<OfflineThread> THREADS = new ArrayList<OfflineThread>();

    private static int sweepAt = 64;

    /** What registered, by its identity. Guarded by itself. */
    private static final HashMap<String, OfflineTable> TABLES = new HashMap<String, OfflineTable>();

    private static int nextBase;

    private Offline() {}

    private static Class<?> findVirtual() {
        try {
            return Class.forName("java.lang.BaseVirtualThread", false, null);
        } catch (Throwable none) {
            return null;
        }
    }

    /**
     * Takes the table of a rewritten file, and returns what is to be added to its ids. The same table from another class
     * loader gets the same.
     */
    public static int register(String[] rows) {
        synchronized (TABLES) {
            OfflineTable table = TABLES.get(rows[0]);
            if (table != null) return table.base - table.first;
            table = new OfflineTable(rows, nextBase);
            if (table.length > Integer.MAX_VALUE - nextBase) throw new IllegalStateException("too many methods");
            if (TABLES.isEmpty()) Runtime.getRuntime().addShutdownHook(new OfflineHook(false));
            TABLES.put(rows[0], table);
            nextBase += table.length;
            return table.base - table.first;
        }
    }

    /** Counts an event of the current thread. Throws nothing of its own. */
    static void count(int id, int what) {
        try {
            OfflineThread thread = thread();
            if (thread != null) thread.count(id, what);
            else TOTALS.event(id, what);
        } catch (Throwable dropped) {
            drop(dropped); // too little stack or memory is left
        }
    }

    /** Throws what stops the thread, which is not ours; all else the application must not see. */
    static void drop(Throwable thrown) {
        if (thrown instanceof ThreadDeath) throw (ThreadDeath) thrown;
    }

    /** The state of the current thread; null: it cannot have any. */
    static OfflineThread thread() {
        OfflineThread thread = CURRENT.get();
        return thread != null ? thread : newThread();
    }

    private static OfflineThread newThread() {
        try {
            Thread current = Thread.currentThread();
            boolean isVirtual = VIRTUAL != null && VIRTUAL.isInstance(current);
            OfflineThread thread = new OfflineThread(current, isVirtual);
            CURRENT.set(thread);
            if (!isVirtual) add(thread);
            return thread;
        } catch (UnsupportedOperationException refused) {
            // JDK 19 and 20 have threads that may not have thread-local variables.
            return null;
        }
    }

    private static void add(OfflineThread thread) {
        synchronized (THREADS) {
            if (THREADS.size() >= sweepAt) sweep();
            THREADS.add(thread);
        }
    }

    /** Adds the counters of threads that have ended to the totals. */
    private static void sweep() {
        int alive = 0;
        for (int i = 0; i < THREADS.size(); i++) {
            OfflineThread thread = THREADS.get(i);
            Thread owner = thread.owner.get();
            if (owner == null || !owner.isAlive()) {
                thread.drain();
                pagesLeft += thread.addCounters(TOTALS);
            } else {
                THREADS.set(alive++, thread);
            }
        }
        while (THREADS.size() > alive) THREADS.remove(THREADS.size() - 1);
        sweepAt = Math.max(64, 2 * alive);
    }

    static boolean takePage() {
        synchronized (THREADS) {
            if (pagesLeft == 0) return false;
            pagesLeft--;
            return true;
        }
    }

    static void report() {
        synchronized (THREADS) {
            for (int i = 0; i < THREADS.size(); i++) {
                THREADS.get(i).drain();
                THREADS.get(i).addCounters(TOTALS);
            }
            THREADS.clear();
        }
        synchronized (TABLES) {
            new OfflineReport(TABLES.values()).write();
        }
    }
}
