package instr.woven;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/** What InstrKitSlot needs, in rewritten files: Unsafe is out of reach there, and the JDK is not advised. */
final class InstrUnsafe {
    private static final AtomicLongFieldUpdater<InstrKitSlot> ADVICE = AtomicLongFieldUpdater.newUpdater(InstrKitSlot.class, "advice");

    private InstrUnsafe() {}

    static long offset(Class<?> type, String field) {
        return 0;
    }

    static boolean compareAndSet(Object slot, long offset, long expected, long value) {
        return ADVICE.compareAndSet((InstrKitSlot) slot, expected, value);
    }
}
