import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/** What a call costs, as it is and as the passes leave it. */
final class RuntimeSpeed extends RuntimeBench {
    // ---- methods as the passes leave them

    static long mix(long x) {
        x ^= x << 13;
        x ^= x >>> 7;
        return x ^ x << 17;
    }

    static long plain(long x) {
        return mix(x);
    }

    static long nanos(long x) {
        long start = System.nanoTime();
        x = mix(x);
        return x + (System.nanoTime() - start & 1);
    }

    static final int SPEED_CALLS = 8, SPEED_TIMING = 9, SPEED_SAMPLED = 10;

    static long called(long x) {
        InstrCalls.enter(SPEED_CALLS);
        try {
            return mix(x);
        } catch (Throwable t) {
            InstrCalls.thrown(SPEED_CALLS);
            throw t;
        }
    }

    static long timed(long x) {
        long saved = InstrTiming.enter(SPEED_TIMING);
        long start = System.nanoTime();
        long result;
        try {
            result = mix(x);
        } catch (Throwable t) {
            InstrTiming.thrown(start, saved, SPEED_TIMING);
            throw t;
        }
        InstrTiming.exit(start, saved, SPEED_TIMING);
        return result;
    }

    static long sampled(long x) {
        long state = InstrSampling.enter(SPEED_SAMPLED);
        long result;
        try {
            result = mix(x);
        } catch (Throwable t) {
            InstrSampling.thrown(state, SPEED_SAMPLED);
            throw t;
        }
        InstrSampling.exit(state, SPEED_SAMPLED);
        return result;
    }

    /** As code of classes is that were given back by their JVM. */
    static long recalled(long x) {
        InstrCalls.enter(SPEED_CALLS);
        try {
            return mix(x);
        } catch (Throwable t) {
            InstrCalls.enter(~(4 * SPEED_CALLS + 2));
            throw t;
        }
    }

    static long retimed(long x) {
        long saved = InstrTiming.timing(0, 0, SPEED_TIMING, 0);
        long start = InstrTiming.timing(0, 0, 0, 1);
        long result;
        try {
            result = mix(x);
        } catch (Throwable t) {
            InstrTiming.timing(start, saved, SPEED_TIMING, 3);
            throw t;
        }
        InstrTiming.timing(start, saved, SPEED_TIMING, 2);
        return result;
    }

    // ---- speed

    interface Loop {
        long run(int n, long x);
    }

    static long loopPlain(int n, long x) {
        for (int i = 0; i < n; i++) x = plain(x);
        return x;
    }

    static long loopCalled(int n, long x) {
        for (int i = 0; i < n; i++) x = called(x);
        return x;
    }

    static long loopNanos(int n, long x) {
        for (int i = 0; i < n; i++) x = nanos(x);
        return x;
    }

    static long loopTimed(int n, long x) {
        for (int i = 0; i < n; i++) x = timed(x);
        return x;
    }

    static long loopSampled(int n, long x) {
        for (int i = 0; i < n; i++) x = sampled(x);
        return x;
    }

    static long loopRecalled(int n, long x) {
        for (int i = 0; i < n; i++) x = recalled(x);
        return x;
    }

    static long loopRetimed(int n, long x) {
        for (int i = 0; i < n; i++) x = retimed(x);
        return x;
    }

    static volatile long sink;

    /** Nanoseconds of processor time per iteration: the median of some rounds. */
    static double measure(Loop loop, int n, int threads, boolean virtual) throws Exception {
        int rounds = 15;
        double[] results = new double[rounds];
        for (int r = 0; r < rounds; r++) {
            CountDownLatch ready = new CountDownLatch(threads), go = new CountDownLatch(1), done = new CountDownLatch(threads);
            for (int t = 0; t < threads; t++) {
                long seed = t + 1;
                start(virtual, () -> {
                    ready.countDown();
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        return;
                    }
                    sink += loop.run(n / threads, seed);
                    done.countDown();
                });
            }
            ready.await();
            long start = processorTime();
            go.countDown();
            done.await();
            results[r] = (double) (processorTime() - start) / (n / threads * threads);
        }
        Arrays.sort(results);
        return results[rounds / 2];
    }

    static void speed() throws Exception {
        System.out.println("ns per call, of processor time; calls and timing: what they add to plain and to two nanoTime; again: in classes given back; "
                + "auto: timing with clock=auto, what it adds to plain");
        System.out.printf("%-10s %8s %8s %8s %8s %12s %8s %8s %8s %8s %8s%n", "threads", "plain", "calls", "+", "again", "2 nanoTime", "timing", "+", "again", "auto", "+");
        tick();
        for (int virtual = 0; virtual <= (START_VIRTUAL == null ? 0 : 1); virtual++) {
            for (int threads = 1; threads <= Integer.getInteger("max", 8); threads *= 2) {
                boolean v = virtual == 1;
                double plain = measure(RuntimeSpeed::loopPlain, 8_000_000, threads, v);
                double calls = measure(RuntimeSpeed::loopCalled, 8_000_000, threads, v);
                double nanos = measure(RuntimeSpeed::loopNanos, 2_000_000, threads, v);
                double timing = measure(RuntimeSpeed::loopTimed, 2_000_000, threads, v);
                double retimed = measure(RuntimeSpeed::loopRetimed, 2_000_000, threads, v);
                double recalled = measure(RuntimeSpeed::loopRecalled, 8_000_000, threads, v);
                double sampled = measure(RuntimeSpeed::loopSampled, 8_000_000, threads, v);
                System.out.printf("%d %-8s %8.2f %8.2f %8.2f %8.2f %12.2f %8.2f %8.2f %8.2f %8.2f %8.2f%n", threads, v ? "virtual" : "platform",
                        plain, calls, calls - plain, recalled - plain, nanos, timing, timing - nanos, retimed - nanos, sampled, sampled - plain);
            }
        }
    }
}
