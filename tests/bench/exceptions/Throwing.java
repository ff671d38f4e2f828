/** Nanoseconds per exception that is thrown and caught, and per call of code that could throw but does not. */
public class Throwing {
    static class Light extends RuntimeException {
        Light() {
            super("light", null, false, false);
        }
    }

    static final Light FIXED = new Light();
    static int sink;

    static void fixed(int i) {
        if (i >= 0) throw FIXED;
    }

    static void made(int i) {
        if (i >= 0) throw new IllegalStateException();
    }

    static int byTheVm(int[] array) {
        return array.length;
    }

    static int passes(int i) {
        try {
            made(i);
            return 1;
        } finally {
            sink++;
        }
    }

    static int quiet(int i, int[] array) {
        try {
            if (i < 0) throw new IllegalStateException();
            synchronized (Throwing.class) {
                return array[i & 15] + i;
            }
        } catch (RuntimeException e) {
            return 0;
        } finally {
            sink++;
        }
    }

    interface Body {
        int run(int i);
    }

    static double measure(Body body, int n) {
        double best = 1e9;
        for (int round = 0; round < 12; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < n; i++) sink += body.run(i);
            best = Math.min(best, (double) (System.nanoTime() - start) / n);
        }
        return best;
    }

    static double threads(Body body, int n, int count) throws InterruptedException {
        Thread[] threads = new Thread[count];
        long start = System.nanoTime();
        for (int t = 0; t < count; t++) {
            threads[t] = new Thread(() -> {
                int sum = 0;
                for (int i = 0; i < n; i++) sum += body.run(i);
                sink += sum;
            });
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
        return (double) (System.nanoTime() - start) / n / count;
    }

    static void print(String name, double nanoseconds) {
        System.out.println(name + " " + Math.round(nanoseconds * 100) / 100.0);
    }

    public static void main(String[] args) throws Exception {
        int[] array = new int[16];
        Body fixed = i -> {
            try {
                fixed(i);
                return 0;
            } catch (Light e) {
                return 1;
            }
        };
        Body made = i -> {
            try {
                made(i);
                return 0;
            } catch (IllegalStateException e) {
                return 1;
            }
        };
        Body passes = i -> {
            try {
                return passes(i);
            } catch (IllegalStateException e) {
                return 1;
            }
        };
        Body vm = i -> {
            try {
                return byTheVm(null);
            } catch (NullPointerException e) {
                return 1;
            }
        };
        print("fixed", measure(fixed, 200000));
        print("made", measure(made, 200000));
        print("passes", measure(passes, 200000));
        print("vm", measure(vm, 50000));
        print("threads", threads(made, 50000, 16));
        print("quiet", measure(i -> quiet(i, array), 5000000));
    }
}
