/** Tests that reach many classes, one after the other: CLASSES TESTS [exit]. */
public class Sessions {
    private static Runnable[] copies;

    static void test(boolean exit) {
        for (Runnable copy : copies) copy.run();
        if (exit) System.exit(0);
    }

    public static void main(String[] args) throws Exception {
        copies = FullDisk.load(Integer.parseInt(args[0]));
        int tests = Integer.parseInt(args[1]);
        for (int i = 1; i <= tests; i++) test(i == tests && args.length > 2);
    }
}
