package java.lang;

/** What InstrKitFailure knows of a bridge. The class can be unloaded. */
final class InstrKitNote extends java.lang.ref.WeakReference<Class<?>> {
    final String text;
    InstrKitNote next;

    InstrKitNote(Class<?> bridge, String text) {
        super(bridge);
        this.text = text;
    }
}
