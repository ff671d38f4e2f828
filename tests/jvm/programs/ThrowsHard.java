import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.IntToLongFunction;

/** Exceptions that are hard to count exactly because of the JVM; the argument names one kind. Prints their number. */
public class ThrowsHard {
    static class Own extends RuntimeException {}

    static int caught;

    static int length(int[] array) {
        return array.length;
    }

    /** Throws so often that the JVM reuses one exception without a stack trace, caught by the JDK or here. */
    static void hot() throws Exception {
        int n = 0;
        for (int round = 0; round < 100000; round++, n += 3) {
            FutureTask<Integer> task = new FutureTask<Integer>(() -> length(null));
            task.run();
            try {
                caught += length(null);
            } catch (NullPointerException e) {
                caught++;
            }
            nested();
        }
        System.out.println("java.lang.NullPointerException " + n);
    }

    /** Caught by the JDK between frames of this program. */
    static void nested() {
        FutureTask<Integer> task = new FutureTask<Integer>(() -> {
            try {
                return length(null);
            } finally {
                caught++;
            }
        });
        task.run();
    }

    static int depth;

    static int recurse(int n) {
        depth++;
        return recurse(n + 1) + n;
    }

    static void overflows(int times) {
        for (int i = 0; i < times; i++)
            try {
                recurse(i);
            } catch (StackOverflowError e) {
                caught++;
            }
    }

    static void overflow() {
        overflows(20);
        System.out.println("java.lang.StackOverflowError " + caught);
    }

    static void onStackOf(int bytes, Runnable task) throws Exception {
        Thread thread = new Thread(null, task, "overflows", bytes);
        thread.start();
        thread.join();
        System.out.println("java.lang.StackOverflowError " + caught);
    }

    /** Through many thousands of frames. */
    static void deep() throws Exception {
        onStackOf(2 << 20, () -> overflows(60));
    }

    static int clean(int n) {
        try {
            return clean(n + 1) + n;
        } finally {
            depth++;
        }
    }

    static int catching(int n) {
        try {
            return catching(n + 1) + n;
        } catch (StackOverflowError e) {
            caught++;
            return 0;
        }
    }

    /** Caught in the innermost frame, 100 times; then thrown elsewhere, 100 times, and caught further out. */
    static void innermost() throws Exception {
        onStackOf(200 << 10, () -> {
            for (int i = 0; i < 100; i++) catching(i);
            overflows(100);
        });
    }

    /** Through a finally block in each frame. */
    static void cleaned() {
        for (int i = 0; i < 20; i++)
            try {
                clean(i);
            } catch (StackOverflowError e) {
                caught++;
            }
        System.out.println("java.lang.StackOverflowError " + caught);
    }

    static int guarded(int n) {
        synchronized (ThrowsHard.class) {
            try {
                return guarded(n + 1) + 1;
            } finally {
                depth++;
            }
        }
    }

    /** Through handlers that cover themselves. Whether the JVM throws it more than once is not known. */
    static void guardedOverflow() {
        for (int i = 0; i < 20; i++)
            try {
                guarded(i);
            } catch (StackOverflowError e) {
                caught++;
            }
        System.out.println("caught " + caught);
    }

    static final Own SAME = new Own();

    /** One object is thrown again in the method in which a finally block has swallowed it. */
    static void swallowed(int i) {
        try {
            try {
                throw SAME;
            } finally {
                if (i % 2 == 0) return;
            }
        } catch (Own e) {
            throw e;
        }
    }

    static void again() {
        for (int i = 0; i < 1000; i++)
            try {
                swallowed(i);
            } catch (Own e) {
                caught++;
            }
        System.out.println("ThrowsHard$Own " + (1000 + caught));
    }

    static void memory() {
        for (int i = 0; i < 10; i++)
            try {
                caught += new long[Integer.MAX_VALUE].length;
            } catch (OutOfMemoryError e) {
                caught++;
            }
        System.out.println("java.lang.OutOfMemoryError " + caught);
    }

    /** A finally block in which the thread runs other code for a while. */
    static void parked(int i) throws InterruptedException {
        try {
            if (i % 2 == 0) throw new Own();
            length(null);
        } finally {
            Thread.sleep(1);
            try {
                throw new IllegalStateException();
            } catch (IllegalStateException e) {
                Thread.yield();
            }
        }
    }

    static void virtual() throws Exception {
        List<Thread> threads = new ArrayList<Thread>();
        for (int i = 0; i < 1000; i++) {
            int n = i;
            Runnable body = () -> {
                for (int k = 0; k < 3; k++)
                    try {
                        parked(n + k);
                    } catch (Own | NullPointerException e) {
                        continue;
                    } catch (InterruptedException e) {
                        return;
                    }
                if (n % 10 == 0) throw new Own();
            };
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            Thread thread = (Thread) type.getMethod("unstarted", Runnable.class).invoke(builder, body);
            thread.setUncaughtExceptionHandler((t, e) -> {});
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) thread.join();
        System.out.println("ThrowsHard$Own 1600");
        System.out.println("java.lang.NullPointerException 1500");
        System.out.println("java.lang.IllegalStateException 3000");
    }

    /** An exception that another thread throws into this one while this one throws others: none may be lost. */
    static void stopped() throws Exception {
        stop(100, i -> 2000000);
    }

    /** The same as the thread begins: what the runtime needs for a thread is made then. */
    static void stoppedEarly() throws Exception {
        stop(4000, i -> i * 37L % 150000);
    }

    @SuppressWarnings({"deprecation", "removal"})
    private static void stop(int threads, IntToLongFunction nanoseconds) throws Exception {
        int died = 0;
        for (int i = 0; i < threads; i++) {
            Throwable[] end = new Throwable[1];
            Thread thread = new Thread(() -> {
                for (int k = 0; ; k++)
                    try {
                        throw new Own();
                    } catch (Own e) {
                        caught++;
                    }
            });
            thread.setUncaughtExceptionHandler((t, e) -> end[0] = e);
            thread.start();
            long start = System.nanoTime(), after = nanoseconds.applyAsLong(i);
            while (System.nanoTime() - start < after) continue;
            thread.stop();
            thread.join(20000);
            if (end[0] instanceof ThreadDeath) died++;
        }
        System.out.println("stopped " + died);
    }

    public static void main(String[] args) throws Exception {
        ThrowsHard.class.getDeclaredMethod(args[0]).invoke(null);
    }
}
