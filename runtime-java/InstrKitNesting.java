package java.lang;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Which threads are in calls of advice with outermost = true (instr/kit/weaving.h). A thread has a slot while it is in
 * such a call: in each level its hash code selects some slots side by side, and it takes the first free one, in the
 * lowest level that has one. If none has, there will be a larger level, of which there are few: so each search looks at
 * few slots, however many threads there are.
 *
 * <p>Only a new level takes memory. If there is none, the advice is skipped for that call: nothing is thrown into the
 * application, and no call of the advice seems to be nested that is not.
 */
public final class InstrKitNesting {
    private static final int NESTED = 0, OUTERMOST = 1;

    /** Numbers of slots: of those that a hash code selects, of the first level, of the next in proportion, and the most of a level. */
    private static final int SELECTED = 8, FIRST = 1 << 10, GROWTH = 4, MOST = 1 << 24;

    /** Nanoseconds after a failure until memory is asked for again: each time costs a garbage collection. */
    private static final long PAUSE = 1000000000L;

    private static volatile InstrKitNesting first;
    private static boolean failed;
    private static long failedAt;

    static {
        next(null);
    }

    private final AtomicReferenceArray<Thread> threads;

    /** For each slot the advices whose calls its thread is in, as bits. Only that thread uses the element. */
    private final long[] advices;

    private volatile InstrKitNesting larger;

    private InstrKitNesting(int slots) {
        threads = new AtomicReferenceArray<Thread>(slots);
        advices = new long[slots];
    }

    /** What leave needs; 0: the thread is in a call of the advice already, or there is no memory. */
    public static int enter(int advice) {
        Thread thread = Thread.currentThread();
        for (InstrKitNesting level = first; level != null; level = level.larger) {
            int slot = level.find(thread);
            if (slot < 0) continue;
            if ((level.advices[slot] & 1L << advice) != 0) return NESTED;
            level.advices[slot] |= 1L << advice;
            return OUTERMOST;
        }
        InstrKitNesting level = first == null ? next(null) : first;
        while (level != null && !level.take(thread, 1L << advice)) level = level.larger == null ? next(level) : level.larger;
        return level == null ? NESTED : OUTERMOST;
    }

    public static void leave(int advice, int mark) {
        if (mark == NESTED) return;
        Thread thread = Thread.currentThread();
        for (InstrKitNesting level = first; level != null; level = level.larger) {
            int slot = level.find(thread);
            if (slot < 0) continue;
            if ((level.advices[slot] &= ~(1L << advice)) == 0) level.threads.set(slot, null);
            return;
        }
    }

    /** The first of the slots that the thread's hash code selects. */
    private int select(Thread thread) {
        return System.identityHashCode(thread) * SELECTED & advices.length - 1;
    }

    private int find(Thread thread) {
        int from = select(thread);
        for (int i = from; i < from + SELECTED; i++) if (threads.get(i) == thread) return i;
        return -1;
    }

    /** Takes a free slot, or that of a thread that has ended within a call (Thread.stop). */
    private boolean take(Thread thread, long advice) {
        int from = select(thread);
        for (int i = from; i < from + SELECTED; i++) {
            Thread there = threads.get(i);
            if (there != null && there.isAlive() || !threads.compareAndSet(i, there, thread)) continue;
            advices[i] = advice;
            return true;
        }
        return false;
    }

    /** The level after this one, or the first one, made if there is none yet. Null: no memory, or it would be too large. */
    private static synchronized InstrKitNesting next(InstrKitNesting level) {
        InstrKitNesting next = level == null ? first : level.larger;
        int slots = level == null ? FIRST : level.advices.length * GROWTH;
        if (next != null || slots > MOST || failed && System.nanoTime() - failedAt < PAUSE) return next;
        try {
            next = new InstrKitNesting(slots);
        } catch (VirtualMachineError full) {
            failed = true;
            failedAt = System.nanoTime();
            return null;
        }
        if (level == null) first = next;
        else level.larger = next;
        return next;
    }
}
