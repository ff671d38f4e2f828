package java.lang;

import jdk.internal.misc.Unsafe;

/** Access to memory and fields, for JDK 11 and later. Calls native methods only: others may be instrumented. */
final class InstrUnsafe {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    private InstrUnsafe() {}

    @jdk.internal.vm.annotation.ForceInline
    static long getLong(Object object, long offset) {
        return UNSAFE.getLong(object, offset);
    }

    @jdk.internal.vm.annotation.ForceInline
    static long get(long address) {
        return UNSAFE.getLong(null, address);
    }

    @jdk.internal.vm.annotation.ForceInline
    static void put(long address, long value) {
        UNSAFE.putLong(null, address, value);
    }

    /** Sets a byte to 1. Called by the probe array classes of the coverage pass. */
    @jdk.internal.vm.annotation.ForceInline
    static void mark(long address) {
        UNSAFE.putByte(null, address, (byte) 1);
    }

    /**
     * The Thread.tid of the platform thread that runs this; UNKNOWN: unknown at this moment. Does not use
     * Thread.currentCarrierThread(), which only java.lang may call.
     */
    @jdk.internal.vm.annotation.ForceInline
    static long carrierTid() {
        Object carrier = Thread.currentThread();
        if (InstrThreads.VIRTUAL != null && carrier.getClass() == InstrThreads.VIRTUAL) {
            if (InstrThreads.CARRIER == 0) return InstrThreads.UNKNOWN;
            carrier = UNSAFE.getReference(carrier, InstrThreads.CARRIER);
            if (carrier == null) return InstrThreads.UNKNOWN;
        }
        return UNSAFE.getLong(carrier, InstrThreads.TID);
    }

    /** As carrierTid, but may be inlined into the application. */
    @jdk.internal.vm.annotation.ForceInline
    static long carrierTidInlined() {
        return carrierTid();
    }

    /** Thread.tid of the thread that runs this, platform or virtual. */
    @jdk.internal.vm.annotation.ForceInline
    static long tid() {
        return UNSAFE.getLong(Thread.currentThread(), InstrThreads.TID);
    }

    /** The offset of an instance field. Does not initialize the class. */
    static long offset(Class<?> type, String field) throws Throwable {
        return UNSAFE.objectFieldOffset(type, field);
    }

    /** The same for a class of the application, some of whose fields may have types that are missing. */
    static long fieldOffset(Class<?> type, String field) throws Throwable {
        return offset(type, field);
    }

    static boolean compareAndSet(Object object, long offset, long expected, long value) {
        return UNSAFE.compareAndSetLong(object, offset, expected, value);
    }

    /** A new object whose constructor has not run. */
    static Object allocate(Class<?> type) throws Throwable {
        return UNSAFE.allocateInstance(type);
    }

    /** JDK 11 calls it getObject. */
    private static boolean old;

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
        if (old) return UNSAFE.getObject(object, offset);
        try {
            return UNSAFE.getReference(object, offset);
        } catch (NoSuchMethodError renamed) {
            old = true;
            return UNSAFE.getObject(object, offset);
        }
    }
}
