/** Nanoseconds per call of a native method, and of one in Java that does the same. */
public class NativeBench {
    static native int step(int a); // tests/jvm/native/natives.c

    static int plain(int a) {
        return a + 1;
    }

    static int natives(int n) {
        int a = 0;
        for (int i = 0; i < n; i++) a = step(a);
        return a;
    }

    static int methods(int n) {
        int a = 0;
        for (int i = 0; i < n; i++) a = plain(a);
        return a;
    }

    public static void main(String[] args) {
        System.load(args[0]);
        int n = 100000; // short rounds and many: some find the machine quiet
        double bestNative = Double.MAX_VALUE, bestMethod = Double.MAX_VALUE;
        for (int round = 0; round < 400; round++) {
            long start = System.nanoTime();
            if (natives(n) != n) throw new AssertionError();
            long middle = System.nanoTime();
            if (methods(n) != n) throw new AssertionError();
            long end = System.nanoTime();
            bestNative = Math.min(bestNative, (middle - start) / (double) n);
            bestMethod = Math.min(bestMethod, (end - middle) / (double) n);
        }
        System.out.println("native_ns " + bestNative);
        System.out.println("method_ns " + bestMethod);
    }
}
