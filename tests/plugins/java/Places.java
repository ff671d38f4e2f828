/** What the plug-in `places` counts. */
@Deprecated
public class Places implements Runnable {
    final int n;

    Places(int n) {
        super();
        if (n < 0) throw new IllegalArgumentException();
        this.n = n;
    }

    Places() {
        this(-1);
    }

    double many(boolean z, byte b, char c, short s, int i, long j, float f, double d, String text, int[] array) {
        if (i == 5) throw new IllegalStateException();
        return i + j;
    }

    static void caller(Places p, int i, String text) {
        try {
            p.many(true, (byte) 2, 'a', (short) 4, i, i == 4 ? 1L << 41 : 100, 6.5f, 7.5, text, i == 2 ? null : new int[1]);
        } catch (IllegalStateException expected) {
            // of i == 5
        }
    }

    @Deprecated
    @Override
    public void run() {}

    static void not() {
        System.out.println("called");
    }

    static long not(long a, int b) {
        return a + b;
    }

    static double not(double d) {
        return d;
    }

    static float not(float f, String s) {
        return f;
    }

    int not(int i, double d, Object o) {
        return i;
    }

    String not(String s) {
        return s;
    }

    static String skips(Places p) {
        not();
        return not(1L, 2) + " " + not(3.5) + " " + not(4.5f, "") + " " + p.not(5, 6.5, null) + " " + p.not("s");
    }

    public static void main(String[] args) throws Exception {
        Places p = new Places(1);
        try {
            new Places();
        } catch (IllegalArgumentException expected) {
            // thrown by the other constructor
        }
        for (int i = 0; i < 6; i++) caller(p, i, i % 2 == 0 ? null : "x");
        p.run();
        System.out.println(skips(p));
        System.out.println("done");
        for (int c = args.length > 0 ? System.in.read() : -1; c > 0; c = System.in.read()) {
            for (int i = 0; i < 6; i++) caller(p, i, i % 2 == 0 ? null : "x");
            System.out.println(skips(p));
        }
    }
}
