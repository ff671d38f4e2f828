import java.lang.reflect.Method;

/**
 * Plays inserted code: measures what the runtime costs (RuntimeSpeed), and checks that it counts exactly
 * (RuntimeExact). Here are the way in and what both share.
 *
 * <p>Arguments: speed, exact, tight (exact with many live threads and a small page budget), full (exact with a full heap), bounded (10,000 threads, 20,000 methods), hello.
 */
public class RuntimeBench {
    static native long[] counts();

    static native double startMicros();

    static native long lost();

    static native long budget();

    static native long allocated();

    static native long processorTime();

    /** There are ticks from now on, as InstrSampling needs them. */
    static native void tick();

    /** The method of InstrSampling, which only its package may call. */
    static native long unseen(Class<?> sampling, long tick, long beyond, int longBits);

    static native void attachAgain(Runnable task, int threads, int times);

    static final int CALLS = 0, THROWN = 1, TIMED = 2, TOTAL = 3, SELF = 4, MIN = 5, MAX = 6, P50 = 7, P90 = 8, P99 = 9;
    static final Method START_VIRTUAL = startVirtual();
    static int nextId = 40;
    static boolean failed;

    static Method startVirtual() {
        try {
            return Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException none) {
            return null;
        }
    }

    static Thread start(boolean virtual, Runnable task) throws Exception {
        if (virtual) return (Thread) START_VIRTUAL.invoke(null, task);
        Thread thread = new Thread(task);
        thread.start();
        return thread;
    }

    static synchronized int newId() {
        return nextId++;
    }

    /** The first id of a page: for those that must lie together. */
    static int newPage() {
        int id = newId();
        while (id % 32 != 0) id = newId();
        return id;
    }

    static long get(int id, int what) {
        long[] counts = counts();
        return id * 10 + what < counts.length ? counts[id * 10 + what] : 0;
    }

    static void check(String what, long expected, long actual) {
        boolean right = expected == actual;
        failed |= !right;
        System.out.printf("%-72s %14d %s%n", what, actual, right ? "ok" : "WRONG, expected " + expected);
    }

    static void near(String what, double expected, double actual, double tolerance) {
        boolean right = Math.abs(actual - expected) <= tolerance * expected;
        failed |= !right;
        System.out.printf("%-72s %14.0f %s%n", what, actual, right ? "ok" : "WRONG, expected " + (long) expected);
    }

    public static void main(String[] args) throws Exception {
        System.out.printf("%s, runtime started in %.0f us%n", System.getProperty("java.version"), startMicros());
        for (String arg : args) {
            if (arg.equals("speed")) RuntimeSpeed.speed();
            if (arg.equals("exact")) RuntimeExact.exact(START_VIRTUAL != null);
            if (arg.equals("tight")) RuntimeExact.tight();
            if (arg.equals("full")) RuntimeExact.full();
            if (arg.equals("bounded")) RuntimeExact.bounded();
            if (arg.equals("healing")) RuntimeOverflow.healing();
            if (arg.equals("recursion")) RuntimeExact.recursion();
            if (arg.equals("hello")) {
                InstrCalls.enter(1);
                check("one call", 1, get(1, CALLS));
            }
        }
        if (failed) System.exit(1);
    }
}
