package java.lang;

/** The class of objects from a site, the id of both, and the size of the objects unless they are arrays. The class can be unloaded. */
final class InstrKind extends java.lang.ref.WeakReference<Class<?>> {
    final int site, id;

    final long size;

    InstrKind(Class<?> type, int site, int id, long size) {
        super(type);
        this.site = site;
        this.id = id;
        this.size = size;
    }
}
