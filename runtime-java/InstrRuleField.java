package java.lang;

import java.lang.ref.WeakReference;

/** Where objects of a class have a field: its offset, or -1, and the first letter of its descriptor. */
final class InstrRuleField {
    final WeakReference<Class<?>> type;
    final long offset;
    final char kind;

    /** The type of a flat field, which has no reference that could be read, and its layout; null: the field is not flat. */
    private final WeakReference<Class<?>> flat;

    private final int layout;

    InstrRuleField(Class<?> type, long offset, char kind) {
        this(type, offset, kind, null, 0);
    }

    InstrRuleField(Class<?> type, long offset, char kind, Class<?> flat, int layout) {
        this.type = new WeakReference<Class<?>>(type);
        this.offset = offset;
        this.kind = kind;
        this.flat = flat == null ? null : new WeakReference<Class<?>>(flat);
        this.layout = layout;
    }

    Object getObject(Object holder) {
        if (flat == null) return InstrUnsafe.getObject(holder, offset);
        Class<?> of = flat.get();
        return of == null ? null : InstrRuleFlat.get(holder, offset, layout, of);
    }
}
