/**
 * What counting an allocation costs: the same loops in a class that is instrumented and in one that is not, in turn.
 * What is made escapes, so that no compiler leaves it out. Prints nanoseconds per allocation, medians.
 *
 * <p>`AllocBench work`: allocates in many ways for some seconds, to be run as a whole.
 */
public final class AllocBench {
    static final int LOOPS = 20_000_000, ROUNDS = 9;
    static final java.lang.management.ThreadMXBean THREADS = java.lang.management.ManagementFactory.getThreadMXBean();
    static final String[] TEXTS = new String[4];
    static Object sink;

    static final class Small {
        int a, b;
    }

    interface Loops {
        void objects(int n);

        void bytes(int n);

        void references(int n);

        void clones(int n);
    }

    public static final class Plain implements Loops {
        public void objects(int n) {
            for (int i = 0; i < n; i++) sink = new Small();
        }

        public void bytes(int n) {
            for (int i = 0; i < n; i++) sink = new byte[32];
        }

        public void references(int n) {
            for (int i = 0; i < n; i++) sink = new Object[4];
        }

        public void clones(int n) {
            for (int i = 0; i < n; i++) sink = TEXTS.clone();
        }
    }

    public static final class Counted implements Loops {
        public void objects(int n) {
            for (int i = 0; i < n; i++) sink = new Small();
        }

        public void bytes(int n) {
            for (int i = 0; i < n; i++) sink = new byte[32];
        }

        public void references(int n) {
            for (int i = 0; i < n; i++) sink = new Object[4];
        }

        public void clones(int n) {
            for (int i = 0; i < n; i++) sink = TEXTS.clone();
        }
    }

    static double time(Loops loops, int what) {
        // The processor's time: what others do on the machine is not part of it.
        long start = THREADS.getCurrentThreadCpuTime();
        if (what == 0) loops.objects(LOOPS);
        else if (what == 1) loops.bytes(LOOPS);
        else if (what == 2) loops.references(LOOPS);
        else loops.clones(LOOPS);
        return (THREADS.getCurrentThreadCpuTime() - start) / (double) LOOPS;
    }

    static double median(double[] times) {
        java.util.Arrays.sort(times);
        return times[times.length / 2];
    }

    static int work(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            java.util.Map<Object, Object> map = new java.util.HashMap<>();
            for (int k = 0; k < 100; k++) map.put("key " + k, new int[k]);
            for (Object key : map.keySet()) sum += key.toString().length();
        }
        return sum;
    }

    public static void main(String[] args) {
        if (args.length > 0) {
            System.out.println(work(600_000));
            return;
        }
        String[] names = {"object", "bytes", "references", "clones"};
        Loops plain = new Plain(), counted = new Counted();
        for (int what = 0; what < names.length; what++) {
            double[] without = new double[ROUNDS], with = new double[ROUNDS];
            for (int round = -2; round < ROUNDS; round++) {
                double a = time(plain, what), b = time(counted, what);
                if (round < 0) continue;
                without[round] = a;
                with[round] = b;
            }
            System.out.printf(java.util.Locale.ROOT, "%s_plain %.2f%n%s_counted %.2f%n", names[what], median(without), names[what],
                    median(with));
        }
    }
}
