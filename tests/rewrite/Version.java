package work;

final class Version {
    static String text() {
        return "base";
    }
}
