package java.lang;

import jdk.internal.misc.Unsafe;

/** What the runtime needs of Unsafe, as JDK 11 and later have it. */
final class InstrUnsafe {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    private InstrUnsafe() {}

    @jdk.internal.vm.annotation.ForceInline
    static long getLong(Object object, long offset) {
        return UNSAFE.getLong(object, offset);
    }

    @jdk.internal.vm.annotation.ForceInline
    static Object getReference(Object object, long offset) {
        return UNSAFE.getReference(object, offset);
    }

    /** The offset of an instance field. Does not initialize the class. */
    static long offset(Class<?> type, String field) throws Throwable {
        return UNSAFE.objectFieldOffset(type, field);
    }

    /** A new object whose constructor has not run. */
    static Object allocate(Class<?> type) throws Throwable {
        return UNSAFE.allocateInstance(type);
    }
}
