package java.lang;

import instr.runtime.InstrRuleNative;
import sun.misc.Unsafe;

/** What the runtime needs of the VM, as JDK 8 has it: natives only, as others may be instrumented. */
final class InstrUnsafe {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    private InstrUnsafe() {}

    @java.lang.invoke.ForceInline
    static long getLong(Object object, long offset) {
        return UNSAFE.getLong(object, offset);
    }

    @java.lang.invoke.ForceInline
    static long get(long address) {
        return UNSAFE.getLong(null, address);
    }

    @java.lang.invoke.ForceInline
    static void put(long address, long value) {
        UNSAFE.putLong(null, address, value);
    }

    /** A byte becomes 1. Called by the holders of the coverage pass. */
    @java.lang.invoke.ForceInline
    static void mark(long address) {
        UNSAFE.putByte(null, address, (byte) 1);
    }

    @java.lang.invoke.ForceInline
    static long carrierTid() {
        return UNSAFE.getLong(Thread.currentThread(), InstrThreads.TID);
    }

    @java.lang.invoke.ForceInline
    static long carrierTidInlined() {
        return carrierTid();
    }

    /** Thread.tid of the thread that runs this, platform or virtual. */
    @java.lang.invoke.ForceInline
    static long tid() {
        return UNSAFE.getLong(Thread.currentThread(), InstrThreads.TID);
    }

    static long offset(Class<?> type, String field) throws Throwable {
        return UNSAFE.objectFieldOffset(type.getDeclaredField(field));
    }

    /** The same for a class of the application, some of whose fields may have types that are missing. */
    static long fieldOffset(Class<?> type, String field) throws Throwable {
        return UNSAFE.objectFieldOffset(InstrRuleNative.field(type, field));
    }

    static boolean compareAndSet(Object object, long offset, long expected, long value) {
        return UNSAFE.compareAndSwapLong(object, offset, expected, value);
    }

    static Object allocate(Class<?> type) throws Throwable {
        return UNSAFE.allocateInstance(type);
    }

    static int getInt(Object object, long offset) {
        return UNSAFE.getInt(object, offset);
    }

    static short getShort(Object object, long offset) {
        return UNSAFE.getShort(object, offset);
    }

    static byte getByte(Object object, long offset) {
        return UNSAFE.getByte(object, offset);
    }

    static Object getObject(Object object, long offset) {
        return UNSAFE.getObject(object, offset);
    }
}
