/** Nanoseconds per call of a native method, of one in Java that calls it, and of one in Java that does its work. */
public class NativeBench {
    static native int step(int a); // tests/jvm/native/natives.c

    static int calling(int a) {
        return step(a);
    }

    static int plain(int a) {
        return a + 1;
    }

    static int natives(int n) {
        int a = 0;
        for (int i = 0; i < n; i++) a = step(a);
        return a;
    }

    static int callers(int n) {
        int a = 0;
        for (int i = 0; i < n; i++) a = calling(a);
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
        double bestNative = Double.MAX_VALUE, bestCaller = Double.MAX_VALUE, bestMethod = Double.MAX_VALUE;
        for (int round = 0; round < 300; round++) {
            long start = System.nanoTime();
            if (natives(n) != n) throw new AssertionError();
            long second = System.nanoTime();
            if (callers(n) != n) throw new AssertionError();
            long third = System.nanoTime();
            if (methods(n) != n) throw new AssertionError();
            long end = System.nanoTime();
            bestNative = Math.min(bestNative, (second - start) / (double) n);
            bestCaller = Math.min(bestCaller, (third - second) / (double) n);
            bestMethod = Math.min(bestMethod, (end - third) / (double) n);
        }
        System.out.println("native_ns " + bestNative);
        System.out.println("caller_ns " + bestCaller);
        System.out.println("method_ns " + bestMethod);
    }
}
