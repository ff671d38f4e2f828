package java.lang;

/** A watched call that has not returned yet. */
final class InstrWatchCall {
    final int id;
    final long watch;
    final String[] arguments;
    long start;

    InstrWatchCall(int id, long watch, String[] arguments) {
        this.id = id;
        this.watch = watch;
        this.arguments = arguments;
    }
}
