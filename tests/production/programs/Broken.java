/** Loaded classes that the JVM refuses to change: one whose initialization has failed, and one that cannot be linked. */
public class Broken {
    static class Failing {
        static {
            if (true) throw new IllegalStateException();
        }

        static void work() {}
    }

    /** Missing at run time. */
    static class Absent extends Exception {}

    static class Unlinked {
        static void work() throws Absent {
            throw new Absent();
        }
    }

    static class Whole {
        static void work() {}
    }

    static void begin(Class<?> c) {
        try {
            c.getDeclaredMethod("work").invoke(null);
        } catch (Throwable expected) {
            // Expected: it cannot be linked.
        }
    }

    public static void main(String[] args) throws Exception {
        ClassLoader loader = Broken.class.getClassLoader();
        for (String name : new String[] {"Failing", "Unlinked", "Whole"}) {
            Class<?> c = Class.forName("Broken$" + name, false, loader);
            if (!name.equals("Unlinked")) begin(c);
        }
        System.out.println("ready");
        System.in.read();
    }
}
