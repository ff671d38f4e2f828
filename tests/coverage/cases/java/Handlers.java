package caught;

/** Record patterns beside handlers of Throwable that use other variables, as catch and try with resources do. */
public class Handlers {
    record Pair(Object first, Object second) {}

    static int caught(Object o) {
        for (int i = 0; i < 2; i++) {
            try {
                o.hashCode();
            } catch (Throwable t) {
                return i;
            }
        }
        return o instanceof Pair(String a, Integer b) && b > 3 ? a.length() : -1;
    }

    static int closed(Object o, AutoCloseable c) throws Exception {
        try (c) {
            o.hashCode();
        }
        return switch (o) {
            case Pair(var a, var b) when a == b -> 1;
            case Pair p -> 2;
            default -> 3;
        };
    }

    public static void main(String[] args) throws Exception {
        System.out.println(caught(new Pair("a", 5)) + caught("") + closed(new Pair(1, 1), () -> {}));
    }
}
