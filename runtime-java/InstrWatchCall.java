package java.lang;

/** A call that is under way. */
final class InstrWatchCall {
    final int id;
    final String[] arguments;
    long start;

    InstrWatchCall(int id, String[] arguments) {
        this.id = id;
        this.arguments = arguments;
    }
}
