package java.lang;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Which threads are in a call of an advice with outermost = true (instr/kit/weaving.h). A thread has a slot by its hash
 * code; if another one is there, it goes to a list.
 */
public final class InstrKitNesting {
    private static final int NESTED = 0, IN_SLOT = 1, IN_LIST = 2, SLOTS = 1024, ADVICES = 64;

    private static final InstrKitNesting[] OF = new InstrKitNesting[ADVICES];

    static {
        for (int i = 0; i < ADVICES; i++) OF[i] = new InstrKitNesting();
    }

    private volatile AtomicReferenceArray<Thread> slots;
    private volatile Thread[] list = new Thread[0];

    private InstrKitNesting() {}

    /** What leave needs; 0: the thread is in a call of the advice already. */
    public static int enter(int advice) {
        return OF[advice].enter(Thread.currentThread());
    }

    public static void leave(int advice, int mark) {
        if (mark != NESTED) OF[advice].leave(Thread.currentThread(), mark);
    }

    private int enter(Thread thread) {
        AtomicReferenceArray<Thread> slots = this.slots == null ? make() : this.slots;
        int slot = System.identityHashCode(thread) & SLOTS - 1;
        Thread there = slots.get(slot);
        if (there == thread) return NESTED;
        for (Thread other : list) if (other == thread) return NESTED;
        if (there == null && slots.compareAndSet(slot, null, thread)) return IN_SLOT;
        add(thread);
        return IN_LIST;
    }

    private void leave(Thread thread, int mark) {
        if (mark == IN_SLOT) slots.set(System.identityHashCode(thread) & SLOTS - 1, null);
        else remove(thread);
    }

    private synchronized AtomicReferenceArray<Thread> make() {
        if (slots == null) slots = new AtomicReferenceArray<Thread>(SLOTS);
        return slots;
    }

    private synchronized void add(Thread thread) {
        Thread[] longer = new Thread[list.length + 1];
        System.arraycopy(list, 0, longer, 1, list.length);
        longer[0] = thread;
        list = longer;
    }

    private synchronized void remove(Thread thread) {
        Thread[] shorter = new Thread[list.length - 1];
        int n = 0;
        for (Thread other : list) if (other != thread) shorter[n++] = other;
        list = shorter;
    }
}
