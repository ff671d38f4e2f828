/** What an author calls by hand. */
final class Nothing {
    private Nothing() {}

    static void enter() {}

    static void exit() {}
}
