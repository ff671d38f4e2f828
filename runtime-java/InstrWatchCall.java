package java.lang;

/** A call that is under way. */
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
