package java.lang;

import instr.runtime.InstrRuleNative;
import java.lang.reflect.Field;

/** Finds a field of a class or its superclasses. Its type is loaded only where the JDK has no other way to tell its place. */
final class InstrRuleLook {
    private InstrRuleLook() {}

    /** An offset of -1: there is no such field. */
    static InstrRuleField find(Class<?> type, String name) throws Throwable {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            String descriptor = InstrRuleNative.descriptor(c, name);
            if (descriptor == null) continue;
            try {
                return make(type, c, name, descriptor);
            } catch (LinkageError missing) { // its type, in JDK 8
                break;
            }
        }
        return new InstrRuleField(type, -1, 'L');
    }

    private static InstrRuleField make(Class<?> type, Class<?> declaring, String name, String descriptor) throws Throwable {
        long offset = InstrUnsafe.fieldOffset(declaring, name);
        if (descriptor.length() == 1) return new InstrRuleField(type, offset, descriptor.charAt(0));
        Field flat = InstrRuleFlat.find(declaring, name);
        return flat == null ? new InstrRuleField(type, offset, 'L')
                : new InstrRuleField(type, offset, 'L', flat.getType(), InstrRuleFlat.layout(flat));
    }
}
