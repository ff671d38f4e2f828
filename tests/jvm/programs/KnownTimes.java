import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.atomic.AtomicLong;

/**
 * KnownTimes TURNS THREADS [virtual]: methods that spin for known times, most of them shortly. Prints for each its calls, how
 * many threw an exception, and the nanoseconds that its calls took by the clock that ends them; then how often the kernel has
 * taken a processor from the threads.
 */
public final class KnownTimes {
    private static final String[] NAMES = {"small", "rare", "middle", "recursive", "throwing", "caller", "nested", "own", "late", "made", "weigh"};
    private static final AtomicLong[] CALLS = new AtomicLong[NAMES.length], THROWN = new AtomicLong[NAMES.length],
            TIME = new AtomicLong[NAMES.length];
    private static final AtomicLong SWITCHES = new AtomicLong();
    private static final Exception EXPECTED = new Exception("expected", null, false, false) {};

    private final long[] calls = new long[NAMES.length], thrown = new long[NAMES.length], time = new long[NAMES.length];

    /** Not in scope of the tests: its time is that of its caller. */
    static final class Clock {
        static long spin(long start, long nanoseconds) {
            long now;
            do {
                now = System.nanoTime();
            } while (now - start < nanoseconds);
            return now - start;
        }
    }

    void small() {
        time[0] += Clock.spin(System.nanoTime(), 600);
        calls[0]++;
    }

    /** One of 5,000 calls takes 20,000 times as long as the others. */
    void rare(int turn) {
        time[1] += Clock.spin(System.nanoTime(), turn % 5000 == 4999 ? 10000000 : 500);
        calls[1]++;
    }

    void middle() {
        time[2] += Clock.spin(System.nanoTime(), 5000);
        calls[2]++;
    }

    void recursive(int depth) {
        long start = System.nanoTime();
        Clock.spin(start, 500);
        if (depth > 0) recursive(depth - 1);
        else calls[3] += 8;
        if (depth == 7) time[3] += System.nanoTime() - start;
    }

    /** Half of its time is its own, and comes first. */
    void own() {
        long start = System.nanoTime();
        Clock.spin(start, 3000000);
        later();
        calls[7]++;
        time[7] += System.nanoTime() - start;
    }

    void later() {
        Clock.spin(System.nanoTime(), 3000000);
    }

    /** Short with all its inner calls. */
    void nested(int depth) {
        long start = System.nanoTime();
        Clock.spin(start, 60);
        if (depth > 0) nested(depth - 1);
        else calls[6] += 5;
        if (depth == 4) time[6] += System.nanoTime() - start;
    }

    /** Calls itself only after many calls that do not: then in a tree, through a chain of long calls. */
    void late(int depth) {
        Clock.spin(System.nanoTime(), depth > 0 ? 30000 : 300);
        if (depth > 0) late(depth - 1);
        if (depth > 1) late(depth - 2);
        calls[8]++;
    }

    static class Part {
        Part() {
            Clock.spin(System.nanoTime(), 200);
        }
    }

    /** A constructor that takes part of its time in that of its superclass. */
    static class Made extends Part {
        Made() {
            super();
            Clock.spin(System.nanoTime(), 300);
        }
    }

    /** A long call around many short ones of the same method, after many short ones. */
    void weigh(int leaves) {
        if (leaves == 0) Clock.spin(System.nanoTime(), 2000);
        for (int i = 0; i < leaves; i++) weigh(0);
        calls[10]++;
    }

    void throwing() throws Exception {
        time[4] += Clock.spin(System.nanoTime(), 700);
        if (++calls[4] % 64 != 0) return;
        thrown[4]++;
        throw EXPECTED;
    }

    void caller() {
        long start = System.nanoTime();
        for (int i = 0; i < 20; i++) small();
        calls[5]++;
        time[5] += System.nanoTime() - start;
    }

    static long switches() throws IOException {
        for (String line : Files.readAllLines(Paths.get("/proc/thread-self/status"), StandardCharsets.ISO_8859_1))
            if (line.startsWith("nonvoluntary_ctxt_switches:")) return Long.parseLong(line.substring(27).trim());
        throw new IOException("no switches in /proc/thread-self/status");
    }

    void work(int turns) throws IOException {
        for (int i = 0; i < turns; i++) {
            small();
            rare(i);
            nested(4);
            try {
                throwing();
            } catch (Exception e) {
                if (e != EXPECTED) throw new Error(e);
            }
            if (i % 800 == 0) own();
            long start = System.nanoTime();
            late(0);
            long next = System.nanoTime();
            time[8] += next - start;
            new Made();
            time[9] += System.nanoTime() - next;
            calls[9]++;
            if (i % 10 != 0) continue;
            start = System.nanoTime();
            weigh(0);
            time[10] += System.nanoTime() - start;
            middle();
            recursive(7);
            caller();
        }
        long start = System.nanoTime();
        late(16);
        long next = System.nanoTime();
        time[8] += next - start;
        weigh(50000);
        time[10] += System.nanoTime() - next;
        for (int k = 0; k < NAMES.length; k++) {
            CALLS[k].addAndGet(calls[k]);
            THROWN[k].addAndGet(thrown[k]);
            TIME[k].addAndGet(time[k]);
        }
        SWITCHES.addAndGet(switches());
    }

    public static void main(String[] args) throws Exception {
        final int turns = Integer.parseInt(args[0]);
        Thread[] threads = new Thread[Integer.parseInt(args[1])];
        Method start = args.length > 2 ? Thread.class.getMethod("startVirtualThread", Runnable.class) : null;
        for (int k = 0; k < NAMES.length; k++) {
            CALLS[k] = new AtomicLong();
            THROWN[k] = new AtomicLong();
            TIME[k] = new AtomicLong();
        }
        for (int i = 0; i < threads.length; i++) {
            Runnable work = new Runnable() {
                @Override
                public void run() {
                    try {
                        new KnownTimes().work(turns);
                    } catch (IOException e) {
                        throw new Error(e);
                    }
                }
            };
            threads[i] = start != null ? (Thread) start.invoke(null, work) : new Thread(work);
            if (start == null) threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        for (int k = 0; k < NAMES.length; k++)
            System.out.println(NAMES[k] + " " + CALLS[k] + " " + THROWN[k] + " " + TIME[k]);
        System.out.println("switches " + SWITCHES);
    }
}
