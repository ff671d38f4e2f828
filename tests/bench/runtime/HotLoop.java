/** Threads that all run the same few branches of one class, over and over: they share its probes. Prints nanoseconds per turn. */
public final class HotLoop {
    private static final int TURNS = 20_000_000;

    private HotLoop() {}

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

    static int work(int seed) {
        int x = seed;
        for (int i = 0; i < TURNS; i++) {
            x = step(x + i);
            if (x < 0) x = -x;
        }
        return x;
    }

    static long round(int threads) throws InterruptedException {
        Thread[] all = new Thread[threads];
        int[] results = new int[threads * 64];
        long start = System.nanoTime();
        for (int i = 0; i < threads; i++) {
            int number = i;
            all[i] = new Thread(() -> results[number * 64] = work(number));
            all[i].start();
        }
        for (Thread thread : all) thread.join();
        return System.nanoTime() - start;
    }

    public static void main(String[] args) throws InterruptedException {
        int threads = Integer.parseInt(args[0]);
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) best = Math.min(best, round(threads));
        System.out.println("turn " + best / (double) TURNS / threads);
    }
}
