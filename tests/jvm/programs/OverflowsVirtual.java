import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Stack overflows of many virtual threads at the same time. Needs JDK 21. */
public class OverflowsVirtual {
    static final int THREADS = 400, TIMES = 5;

    static int recurse(int depth) {
        return recurse(depth + 1) + 1;
    }

    static void overflows() {
        for (int i = 0; i < TIMES; i++) {
            try {
                recurse(0);
            } catch (StackOverflowError expected) {
            }
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService threads = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        for (int i = 0; i < THREADS; i++) threads.submit(OverflowsVirtual::overflows);
        threads.shutdown();
        System.out.println(threads.awaitTermination(10, TimeUnit.MINUTES));
    }
}
