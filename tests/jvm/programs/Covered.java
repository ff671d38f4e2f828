import java.io.File;
import java.io.RandomAccessFile;

/** A program for the pass coverage: tests, loops in many threads, and ways to end. */
public class Covered {
    static int small(int n) {
        return n > 3 ? 1 : 2;
    }

    static int large(int n) {
        return n > 3 ? 1 : 2;
    }

    static void testSmall() {
        small(1);
    }

    static void testLarge() {
        large(5);
        throw new IllegalStateException("a test that fails");
    }

    static void testBoth() {
        small(5);
        large(1);
    }

    /** Hits each of its probes a known number of times. */
    static int loop(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += i;
        return sum;
    }

    static void suite() {
        testSmall();
        try {
            testLarge();
        } catch (IllegalStateException expected) {
            small(1);
        }
        testBoth();
    }

    static void threads() throws InterruptedException {
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(new Runnable() {
                @Override
                public void run() {
                    for (int k = 0; k < 1000; k++) loop(100);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
    }

    private static void kill() throws Exception {
        String pid = new File("/proc/self").getCanonicalFile().getName();
        new ProcessBuilder("sh", "-c", "kill -9 " + pid).start().waitFor();
        Thread.sleep(60000);
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("tests")) suite();
        if (args[0].equals("threads")) threads();
        small(1);
        if (args[0].equals("halt")) Runtime.getRuntime().halt(0);
        if (args[0].equals("kill late")) Thread.sleep(1000);
        if (args[0].startsWith("kill")) kill();
        if (args[0].startsWith("truncate ")) {
            for (File file : new File(args[0].substring(9)).listFiles()) {
                if (!file.getName().endsWith(".map")) continue;
                try (RandomAccessFile map = new RandomAccessFile(file, "rw")) {
                    map.setLength(0);
                }
            }
            Thread.sleep(500); // five times what lies between two copies
        }
        large(1);
        if (args.length > 1) {
            Thread.sleep(1000);
            kill();
        }
    }
}
