package cases;

/** Returns and exceptions that leave try, finally and synchronized blocks. */
public class Exits {
    static final Object LOCK = new Object();
    static int steps;

    //= finallyAround(I)I 4 1
    static int finallyAround(int x) {
        try {
            if (x == 0)
                return 10;
            if (x == 1)
                return 20;
            if (x == 2)
                throw new IllegalStateException("two");
            steps++;
        } finally {
            steps += 100;
        }
        return 30;
    }

    //= swallow(I)I 3 0
    @SuppressWarnings("finally")
    static int swallow(int x) {
        try {
            if (x == 1)
                throw new RuntimeException("lost");
            return x;
        } finally {
            return -x;
        }
    }

    //= nested(I)Ljava/lang/String; 5 3
    static String nested(int x) {
        StringBuilder b = new StringBuilder();
        try {
            try {
                try {
                    b.append(12 / x);
                    if (x == 2)
                        return b.append("r").toString();
                    if (x == 3)
                        throw new Error("three");
                } finally {
                    b.append("a");
                    steps++;
                }
            } catch (ArithmeticException e) {
                b.append("c");
                if (steps > 1000000)
                    return "never";
                throw new IllegalStateException(b.toString());
            } finally {
                b.append("f");
                steps++;
            }
        } finally {
            steps++;
        }
        return b.toString();
    }

    //= inLock(I)J 4 1
    static long inLock(int x) {
        synchronized (LOCK) {
            if (x == 1)
                return 1L << 40;
            synchronized (Exits.class) {
                if (x == 2)
                    throw new IllegalArgumentException("locked");
                if (x == 3)
                    return Thread.holdsLock(LOCK) ? 3 : -3;
            }
        }
        return Thread.holdsLock(LOCK) ? -1 : 0;
    }

    //= wholeLocked(I)D 3 1
    static synchronized double wholeLocked(int x) {
        if (x == 1)
            throw new RuntimeException("held " + Thread.holdsLock(Exits.class));
        return x * 0.5;
    }

    //= loops(I)F 3 0
    static float loops(int n) {
        float sum = 0;
        outer:
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                try {
                    if (j == 3)
                        continue outer;
                    if (i == 4)
                        break outer;
                    if (i == 3 && n == 4)
                        return sum;
                    sum += j;
                } finally {
                    sum += 0.25f;
                }
        }
        return sum;
    }

    static class Resource implements AutoCloseable {
        final String name;

        //= $Resource.<init>(Ljava/lang/String;)V 8 1
        Resource(String name) {
            if (name.equals("bad"))
                throw new IllegalStateException("open");
            this.name = name;
        }

        //= $Resource.close()V 7 2
        @Override
        public void close() {
            System.out.println("close " + name);
            if (name.equals("loud"))
                throw new IllegalStateException("close");
        }
    }

    //= resources(Ljava/lang/String;Ljava/lang/String;Z)I 4 3
    static int resources(String one, String two, boolean fail) {
        try (Resource a = new Resource(one); Resource b = new Resource(two)) {
            if (fail)
                throw new UnsupportedOperationException("body");
            return a.name.length() + b.name.length();
        }
    }

    //= run(Ljava/lang/Runnable;)V 26 0
    static void run(Runnable r) {
        try {
            r.run();
        } catch (Throwable t) {
            System.out.println(t + " " + t.getSuppressed().length);
        }
    }

    //= lambda$main$* 26 9
    //= <clinit>()V 1 0
    public static void main(String[] args) {
        for (int i = 0; i < 4; i++) {
            int x = i;
            run(() -> System.out.println(finallyAround(x)));
            run(() -> System.out.println(inLock(x)));
        }
        for (int i = 0; i < 3; i++) {
            int x = i;
            run(() -> System.out.println(swallow(x)));
            run(() -> System.out.println(wholeLocked(x)));
            run(() -> System.out.println(loops(x + 3)));
        }
        for (int i = 0; i < 5; i++) {
            int x = i == 4 ? 0 : i;
            run(() -> System.out.println(nested(x)));
        }
        run(() -> System.out.println(resources("x", "yy", false)));
        run(() -> System.out.println(resources("x", "loud", true)));
        run(() -> System.out.println(resources("xx", "bad", false)));
        run(() -> System.out.println(resources("loud1", "loud", false)));
        System.out.println(steps);
    }
}
