package java.lang;

/**
 * Which threads are in calls of advice with outermost = true (instr/kit/weaving.h). Each such call has a slot: in each
 * level the thread and the advice select some slots side by side, and the call takes the first free one, in the lowest
 * level that has one. If none has, there will be a larger level, of which there are few: so each search looks at few
 * slots, however many threads there are.
 *
 * <p>Methods of the JDK can be advised themselves, and would come back to here. Only native ones are called, but where
 * a level is made or looked through for threads that have ended.
 *
 * <p>Only a new level takes memory. If there is none, the advice is skipped for that call: nothing is thrown into the
 * application, and no call of the advice seems to be nested that is not.
 */
public final class InstrKitNesting {
    private static final int NESTED = 0, OUTERMOST = 1;

    /** Numbers of slots: of those that are selected, of the first level, of the next in proportion, and the most of a level. */
    private static final int SELECTED = 8, FIRST = 1 << 10, GROWTH = 4, MOST = 1 << 24;

    /** Nanoseconds after a failure until memory is asked for again: each time costs a garbage collection. */
    private static final long PAUSE = 1000000000L;

    private static volatile InstrKitNesting first;
    private static boolean failed;
    private static long failedAt;

    /** The thread that looks for threads that have ended. */
    private static volatile Thread asking;

    static {
        next(null);
    }

    private final InstrKitSlot[] slots;

    private volatile InstrKitNesting larger;

    private InstrKitNesting(int count) {
        slots = new InstrKitSlot[count];
        for (int i = 0; i < count; i++) slots[i] = new InstrKitSlot();
    }

    /**
     * What leave needs; 0: the thread is in a call of the advice already, or there is no memory. `advice` is not 0, and is
     * never given to another advice: calls of one that has ended may still be running.
     */
    public static int enter(long advice) {
        Thread thread = Thread.currentThread();
        if (asking == thread || find(thread, advice) != null) return NESTED;
        if (take(thread, advice)) return OUTERMOST;
        freeEnded(thread, advice);
        InstrKitNesting level = first == null ? next(null) : first;
        while (level != null && !level.takeHere(thread, advice)) level = level.larger == null ? next(level) : level.larger;
        return level == null ? NESTED : OUTERMOST;
    }

    public static void leave(long advice, int mark) {
        if (mark == NESTED) return;
        InstrKitSlot slot = find(Thread.currentThread(), advice);
        if (slot != null) slot.free();
    }

    /** The first of the slots that are selected. */
    private int select(Thread thread, long advice) {
        return (System.identityHashCode(thread) + (int) advice * 31) * SELECTED & slots.length - 1;
    }

    private static InstrKitSlot find(Thread thread, long advice) {
        for (InstrKitNesting level = first; level != null; level = level.larger) {
            int from = level.select(thread, advice);
            for (int i = from; i < from + SELECTED; i++) {
                InstrKitSlot slot = level.slots[i];
                if (slot.isOf(thread, advice)) return slot;
            }
        }
        return null;
    }

    private static boolean take(Thread thread, long advice) {
        for (InstrKitNesting level = first; level != null; level = level.larger) if (level.takeHere(thread, advice)) return true;
        return false;
    }

    private boolean takeHere(Thread thread, long advice) {
        int from = select(thread, advice);
        for (int i = from; i < from + SELECTED; i++) if (slots[i].take(thread, advice)) return true;
        return false;
    }

    /** Frees those of the selected slots whose threads have ended within a call (Thread.stop). */
    private static void freeEnded(Thread thread, long advice) {
        if (!ask(thread)) return;
        try {
            for (InstrKitNesting level = first; level != null; level = level.larger) {
                int from = level.select(thread, advice);
                for (int i = from; i < from + SELECTED; i++) level.slots[i].freeIfEnded();
            }
        } catch (Throwable ofAdvice) {
            // isAlive may be advised.
        } finally {
            asking = null;
        }
    }

    /** One thread at a time asks: another one could have a slot by now that was of the ended thread. */
    private static synchronized boolean ask(Thread thread) {
        if (asking != null) return false;
        asking = thread;
        return true;
    }

    /** The level after this one, or the first one, made if there is none yet. Null: no memory, or it would be too large. */
    private static InstrKitNesting next(InstrKitNesting level) {
        int count = level == null ? FIRST : level.slots.length * GROWTH;
        if (count > MOST || !mayMake()) return after(level);
        try {
            return add(level, new InstrKitNesting(count));
        } catch (VirtualMachineError full) {
            noteFailure();
            return after(level);
        }
    }

    private static InstrKitNesting after(InstrKitNesting level) {
        return level == null ? first : level.larger;
    }

    private static synchronized boolean mayMake() {
        return !failed || System.nanoTime() - failedAt >= PAUSE;
    }

    private static synchronized void noteFailure() {
        failed = true;
        failedAt = System.nanoTime();
    }

    /** It is made outside: the constructor of Object may be advised, and advice may wait for other threads. */
    private static synchronized InstrKitNesting add(InstrKitNesting level, InstrKitNesting made) {
        InstrKitNesting there = after(level);
        if (there != null) return there;
        if (level == null) first = made;
        else level.larger = made;
        return made;
    }
}
