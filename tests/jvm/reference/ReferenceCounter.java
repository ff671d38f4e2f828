package java.lang;

import java.util.concurrent.atomic.AtomicLongArray;

/** The counters of the reference agent: atomic, slow, and exact. */
public final class ReferenceCounter {
    private static final AtomicLongArray ENTERED = new AtomicLongArray(1 << 17);
    private static final AtomicLongArray LEFT = new AtomicLongArray(1 << 17);

    private ReferenceCounter() {}

    public static void enter(int id) {
        ENTERED.incrementAndGet(id);
    }

    public static void exit(int id) {
        LEFT.incrementAndGet(id);
    }

    public static long count(int id, boolean entered) {
        return entered ? ENTERED.get(id) : LEFT.get(id);
    }
}
