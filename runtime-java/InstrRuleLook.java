package java.lang;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.security.PrivilegedAction;

/** Finds a field of a class or its superclasses, also where a security manager does not let the application do so. */
final class InstrRuleLook implements PrivilegedAction<InstrRuleField> {
    private final Class<?> type;
    private final String name;

    InstrRuleLook(Class<?> type, String name) {
        this.type = type;
        this.name = name;
    }

    /** An offset of -1: there is no such field. */
    @Override
    public InstrRuleField run() {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            try {
                Field field = c.getDeclaredField(name);
                if (Modifier.isStatic(field.getModifiers())) continue;
                Class<?> of = field.getType();
                long offset = InstrUnsafe.offset(c, name);
                if (of.isPrimitive()) return new InstrRuleField(type, offset, letter(of));
                if (!InstrRuleFlat.isFlat(field)) return new InstrRuleField(type, offset, 'L');
                return new InstrRuleField(type, offset, 'L', of, InstrRuleFlat.layout(field));
            } catch (Throwable missing) {
                if (missing instanceof ThreadDeath) throw (ThreadDeath) missing;
            }
        }
        return new InstrRuleField(type, -1, 'L');
    }

    private static char letter(Class<?> type) {
        return type == boolean.class ? 'Z' : type == byte.class ? 'B' : type == char.class ? 'C' : type == short.class ? 'S'
                : type == int.class ? 'I' : type == long.class ? 'J' : type == float.class ? 'F' : 'D';
    }
}
