package work;

final class Version {
    static String text() {
        return "newer " + more();
    }

    private static int more() {
        return 9;
    }
}
