import java.io.FileWriter;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that define the same classes in loaders of their own, run them and drop them, in rounds. Arguments: threads,
 * loaders per thread and round, rounds (or 0), seconds (if no rounds). Prints a checksum per round. With -Drss=FILE
 * a line per round goes there: round, resident KB of the process, classes loaded, and the number in the file -Dlive.
 */
public class ManyLoaders {
    public interface Piece {
        int run(int x);
    }

    public static class Thrower implements Piece {
        public int run(int x) {
            return 12 / (x - 3);
        }
    }

    public static class Initialised implements Piece {
        static final long[] TABLE = new long[20];
        static int times;

        public int run(int x) {
            return (int) TABLE[x] + x + times++;
        }
    }

    public static class Catcher implements Piece {
        static int fail(int x) {
            throw new IllegalArgumentException("x" + x);
        }

        public int run(int x) {
            try {
                return fail(x);
            } catch (IllegalArgumentException e) {
                return e.getMessage().length();
            } finally {
                x++;
            }
        }
    }

    public static class Closure implements Piece {
        final int own;

        public Closure() {
            this(Integer.parseInt("7"));
        }

        Closure(int own) {
            this.own = own;
        }

        public int run(int x) {
            Piece twice = y -> y * own;
            return twice.run(x);
        }
    }

    static final String[] NAMES = {"Thrower", "Initialised", "Catcher", "Closure"};
    static final byte[][] BYTES = new byte[NAMES.length][];
    static final AtomicLong SUM = new AtomicLong();

    static final class Loader extends ClassLoader {
        Loader() {
            super(ManyLoaders.class.getClassLoader());
        }

        Class<?> define(int i) {
            return defineClass("ManyLoaders$" + NAMES[i], BYTES[i], 0, BYTES[i].length);
        }
    }

    static void load(int loaders) throws Exception {
        for (int n = 0; n < loaders; n++) {
            Loader loader = new Loader();
            for (int i = 0; i < NAMES.length; i++) {
                Piece piece = (Piece) loader.define(i).getConstructor().newInstance();
                for (int x = 0; x < 10; x++)
                    try {
                        SUM.addAndGet(piece.run(x));
                    } catch (ArithmeticException e) {
                        SUM.addAndGet(1000);
                    }
            }
        }
    }

    static String resident() throws Exception {
        for (String line : Files.readAllLines(Paths.get("/proc/self/status")))
            if (line.startsWith("VmRSS:"))
                return line.replaceAll("\\D", "");
        return "0";
    }

    /** A long as this machine has it in memory. */
    static long live() throws Exception {
        String file = System.getProperty("live");
        return file == null ? 0 : java.nio.ByteBuffer.wrap(Files.readAllBytes(Paths.get(file)))
            .order(java.nio.ByteOrder.nativeOrder()).getLong();
    }

    static void round(int threads, int loaders) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(threads);
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            all[i] = new Thread(() -> {
                try {
                    barrier.await();
                    load(loaders);
                } catch (Exception e) {
                    throw new Error(e);
                }
            });
            all[i].start();
        }
        for (Thread t : all)
            t.join();
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]), loaders = Integer.parseInt(args[1]), rounds = Integer.parseInt(args[2]);
        long end = args.length > 3 ? System.nanoTime() + Long.parseLong(args[3]) * 1000000000L : 0;
        for (int i = 0; i < NAMES.length; i++)
            try (InputStream in = ManyLoaders.class.getResourceAsStream("ManyLoaders$" + NAMES[i] + ".class")) {
                byte[] b = new byte[100000];
                int n = 0;
                for (int k; (k = in.read(b, n, b.length - n)) > 0; )
                    n += k;
                BYTES[i] = java.util.Arrays.copyOf(b, n);
            }
        String file = System.getProperty("rss");
        PrintWriter rss = file == null ? null : new PrintWriter(new FileWriter(file), true);
        for (int r = 0; rounds != 0 ? r < rounds : System.nanoTime() < end; r++) {
            SUM.set(0);
            round(threads, loaders);
            System.gc();
            System.gc();
            System.out.println("sum " + SUM);
            if (rss != null)
                rss.println(r + " " + resident() + " "
                    + java.lang.management.ManagementFactory.getClassLoadingMXBean().getLoadedClassCount() + " " + live());
        }
    }
}
