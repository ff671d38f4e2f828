import java.util.concurrent.CountDownLatch;

/**
 * One thread calls a short method that calls itself often; then hundreds of threads, all of which live until the end, call it a few times. Prints
 * the number of calls from outside.
 */
public final class FewCalls {
    private static final int OFTEN = 20000, THREADS = 600, EACH = 10;
    static volatile int sink;

    private FewCalls() {}

    static int twice(int n, boolean again) {
        int sum = again ? twice(n, false) : n;
        for (int i = 0; i < 20; i++) sum = sum * 31 + i;
        return sum;
    }

    private static void call(int times) {
        int sum = 0;
        for (int i = 0; i < times; i++) sum += twice(i, true);
        sink = sum;
    }

    public static void main(String[] args) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(THREADS);
        Thread[] threads = new Thread[THREADS];
        call(OFTEN);
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(() -> {
                call(EACH);
                done.countDown();
                try {
                    done.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println(OFTEN + THREADS * EACH);
    }
}
