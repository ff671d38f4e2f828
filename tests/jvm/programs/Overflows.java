import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Stack overflows that code without instrumentation catches, Overflows$Outside. Prints how many there were, by where they were caught. */
public class Overflows {
    /** Not instrumented. */
    static class Outside {
        static int depth;

        static int down(int n) {
            depth++;
            return down(n + 1) + n;
        }

        static void swallow(Runnable task) {
            try {
                task.run();
                throw new IllegalStateException("no overflow");
            } catch (StackOverflowError e) {
                depth = 0;
            }
        }
    }

    /** Leaves one frame that is instrumented, in which the stack suffices. */
    static void shallow() {
        Outside.down(0);
    }

    static int deep(int n) {
        return deep(n + 1) + n;
    }

    static void explicit() {
        throw new StackOverflowError();
    }

    static int ended(int n) {
        try {
            shallow();
        } finally {
            return n;
        }
    }

    static void passedOn() {
        try {
            shallow();
        } finally {
            Outside.depth++;
        }
    }

    static void caught() {
        try {
            shallow();
        } catch (StackOverflowError e) {
            Outside.depth = 1;
        }
    }

    static void swallow(int times, Runnable task) {
        for (int i = 0; i < times; i++) Outside.swallow(task);
    }

    public static void main(String[] args) throws Exception {
        int outside = 0;
        for (int round = 0; round < 3; round++) {
            swallow(50, new Runnable() { public void run() { shallow(); } });
            swallow(20, new Runnable() { public void run() { deep(0); } });
            swallow(20, new Runnable() { public void run() { explicit(); } });
            swallow(20, new Runnable() { public void run() { passedOn(); } });
            outside += 110;
            for (int i = 0; i < 30; i++) ended(i);
            for (int i = 0; i < 30; i++) caught();
            for (int i = 0; i < 10; i++) {
                Thread thread = new Thread() { public void run() { swallow(3, new Runnable() { public void run() { shallow(); } }); } };
                thread.start();
                thread.join();
                outside += 3;
            }
        }
        final Thread[] threads = new Thread[6];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread() {
                public void run() {
                    for (int k = 0; k < 150; k++) {
                        swallow(1, new Runnable() { public void run() { shallow(); } });
                        caught();
                    }
                }
            };
            threads[i].start();
            outside += 150;
        }
        for (Thread thread : threads) thread.join();
        ExecutorService[] taking = new ExecutorService[4];
        for (int i = 0; i < taking.length; i++) taking[i] = Executors.newSingleThreadExecutor();
        for (int i = 0; i < 40; i++) taking[i % 4].submit(new Runnable() { public void run() { swallow(1, new Runnable() { public void run() { deep(0); } }); } }).get();
        for (ExecutorService one : taking) one.shutdown();
        outside += 40;
        swallow(7, new Runnable() { public void run() { shallow(); } });
        System.out.println("null " + (outside + 7) + "\nended 90\ncaught " + (90 + 900));
    }
}
