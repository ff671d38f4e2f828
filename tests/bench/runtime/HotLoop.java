/**
 * Threads in loops of few instructions, over and over: `step` all in the same few branches of one class, `calls` in a method that
 * calls itself, `own` each in a loop of a class of its own. Prints nanoseconds per turn of each.
 */
public final class HotLoop {
    private static final int TURNS = 20_000_000;
    private static final int DEPTH = 34; // 18,454,929 calls

    private HotLoop() {}

    interface Work {
        int run(int seed);
    }

    static int step(int x) {
        if ((x & 1) == 0) return x >> 1;
        switch (x & 6) {
            case 0:
                return x * 3 + 1;
            case 2:
                return x * 5 - 1;
            default:
                return x + 7;
        }
    }

    static int steps(int seed) {
        int x = seed;
        for (int i = 0; i < TURNS; i++) {
            x = step(x + i);
            if (x < 0) x = -x;
        }
        return x;
    }

    /** A probe for each call and each return: nothing that a compiler could take out of a loop. */
    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static final class A implements Work {
        @Override
        public int run(int seed) {
            int x = seed;
            for (int i = 0; i < TURNS; i++) {
                if ((x & 1) == 0) x += i;
                else x ^= seed;
            }
            return x;
        }
    }

    static final class B implements Work {
        @Override
        public int run(int seed) {
            int x = seed;
            for (int i = 0; i < TURNS; i++) {
                if ((x & 1) == 0) x += i;
                else x ^= seed;
            }
            return x;
        }
    }

    static final class C implements Work {
        @Override
        public int run(int seed) {
            int x = seed;
            for (int i = 0; i < TURNS; i++) {
                if ((x & 1) == 0) x += i;
                else x ^= seed;
            }
            return x;
        }
    }

    static final class D implements Work {
        @Override
        public int run(int seed) {
            int x = seed;
            for (int i = 0; i < TURNS; i++) {
                if ((x & 1) == 0) x += i;
                else x ^= seed;
            }
            return x;
        }
    }

    private static final Work[] OWN = {new A(), new B(), new C(), new D()};

    static int work(String kind, int number) {
        if (kind.equals("step")) return steps(number);
        if (kind.equals("calls")) return fib(DEPTH);
        return OWN[number % OWN.length].run(number);
    }

    static long round(String kind, int threads) throws InterruptedException {
        Thread[] all = new Thread[threads];
        int[] results = new int[threads * 64];
        long start = System.nanoTime();
        for (int i = 0; i < threads; i++) {
            int number = i;
            all[i] = new Thread(() -> results[number * 64] = work(kind, number));
            all[i].start();
        }
        for (Thread thread : all) thread.join();
        return System.nanoTime() - start;
    }

    public static void main(String[] args) throws InterruptedException {
        int threads = Integer.parseInt(args[0]);
        for (String kind : new String[] {"step", "calls", "own"}) {
            long best = Long.MAX_VALUE;
            for (int i = 0; i < 4; i++) best = Math.min(best, round(kind, threads));
            System.out.println(kind + " " + best / (double) TURNS / threads);
        }
    }
}
