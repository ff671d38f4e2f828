import java.util.concurrent.CountDownLatch;

/** One thread calls a short method often; then many threads, all of which live until the end, call it now and then. Prints the number of calls. */
public class Newcomers {
    static final int OFTEN = 20000, THREADS = 40, EACH = 1000;
    static volatile int sink;

    static int work(int n) {
        int sum = n;
        for (int i = 0; i < 20; i++) sum = sum * 31 + i;
        return sum;
    }

    static void call(int times) {
        int sum = 0;
        for (int i = 0; i < times; i++) sum += work(i);
        sink = sum;
    }

    public static void main(String[] args) throws Exception {
        call(OFTEN);
        CountDownLatch done = new CountDownLatch(THREADS), end = new CountDownLatch(1);
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(() -> {
                call(EACH);
                done.countDown();
                try {
                    end.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            threads[i].start();
        }
        done.await();
        end.countDown();
        for (Thread thread : threads) thread.join();
        System.out.println(OFTEN + THREADS * EACH);
    }
}
