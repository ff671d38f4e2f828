package java.lang;

import instr.runtime.InstrRuleNative;
import java.lang.reflect.Field;
import jdk.internal.misc.Unsafe;

/** Fields that have the parts of a value object in place of a reference, as JDK 28 and later make them. */
final class InstrRuleFlat {
    private InstrRuleFlat() {}

    /** False: the JDK has no flat fields. */
    private static final boolean THERE_ARE = areThere();

    private static boolean areThere() {
        try {
            Unsafe.getUnsafe().isFlatField(InstrRuleField.class.getDeclaredField("offset"));
            return true;
        } catch (LinkageError older) { // no such method, or, in JDK 8, no such class
            return false;
        } catch (NoSuchFieldException never) {
            return false;
        }
    }

    /** The field if it is flat, else null. A flat one has a type that is loaded; the loader is asked for those of others. */
    static Field find(Class<?> declaring, String name) throws Throwable {
        if (!THERE_ARE) return null;
        try {
            Field field = InstrRuleNative.field(declaring, name);
            return Unsafe.getUnsafe().isFlatField(field) ? field : null;
        } catch (LinkageError missing) { // the type
            return null;
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
