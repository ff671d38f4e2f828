package java.lang;

import java.lang.reflect.Field;
import jdk.internal.misc.Unsafe;

/** Fields that have the parts of a value object in place of a reference, as JDK 28 and later make them. */
final class InstrRuleFlat {
    private InstrRuleFlat() {}

    /** Not where the JDK has no value classes. */
    static boolean isFlat(Field field) {
        try {
            return Unsafe.getUnsafe().isFlatField(field);
        } catch (LinkageError older) { // no such method, or, in JDK 8, no such class
            return false;
        }
    }

    /** How a flat field is laid out, as get needs it. */
    static int layout(Field field) {
        return Unsafe.getUnsafe().fieldLayout(field);
    }

    /** What a flat field of this type has, as a new object. */
    static Object get(Object holder, long offset, int layout, Class<?> type) {
        return Unsafe.getUnsafe().getFlatValue(holder, offset, layout, type);
    }
}
