package java.lang;

import java.lang.ref.WeakReference;

/** Where objects of a class have a field: its offset, or -1, and the first letter of its descriptor. */
final class InstrRuleField {
    final WeakReference<Class<?>> type;
    final long offset;
    final char kind;

    InstrRuleField(Class<?> type, long offset, char kind) {
        this.type = new WeakReference<Class<?>>(type);
        this.offset = offset;
        this.kind = kind;
    }
}
