package java.lang;

/** A class whose objects are made at a site where code does not name it, and the id of the two. The class may go. */
final class InstrKind extends java.lang.ref.WeakReference<Class<?>> {
    final int site, id;

    InstrKind(Class<?> type, int site, int id) {
        super(type);
        this.site = site;
        this.id = id;
    }
}
