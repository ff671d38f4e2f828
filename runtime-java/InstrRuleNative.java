package instr.runtime;

import java.lang.reflect.Field;

/**
 * The native methods of rules, implemented in instr/passes/rule/fields.c. Class.getDeclaredField asks the loader of the class
 * for the types of all its fields, one of which may be missing, and does not know all fields of the JDK.
 */
public final class InstrRuleNative {
    private InstrRuleNative() {}

    /** The descriptor of the one field of this name that the class declares itself. Null: there is none, or it is static. */
    public static native String descriptor(Class<?> type, String name);

    /** That field, whose type is loaded. */
    public static native Field field(Class<?> type, String name);
}
