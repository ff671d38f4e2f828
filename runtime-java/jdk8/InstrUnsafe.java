package java.lang;

import sun.misc.Unsafe;

/** What the runtime needs of Unsafe, as JDK 8 has it. */
final class InstrUnsafe {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    private InstrUnsafe() {}

    @java.lang.invoke.ForceInline
    static long getLong(Object object, long offset) {
        return UNSAFE.getLong(object, offset);
    }

    @java.lang.invoke.ForceInline
    static Object getReference(Object object, long offset) {
        return UNSAFE.getObject(object, offset);
    }

    static long offset(Class<?> type, String field) throws Throwable {
        return UNSAFE.objectFieldOffset(type.getDeclaredField(field));
    }

    static Object allocate(Class<?> type) throws Throwable {
        return UNSAFE.allocateInstance(type);
    }
}
