package java.lang;

/** The class of objects from a site whose code does not name it, and the id of both. The class can be unloaded. */
final class InstrKind extends java.lang.ref.WeakReference<Class<?>> {
    final int site, id;

    InstrKind(Class<?> type, int site, int id) {
        super(type);
        this.site = site;
        this.id = id;
    }
}
