import java.util.concurrent.CountDownLatch;

/**
 * One thread calls a short method often; then many threads, all of which live until the end, call it now and then. With an argument each of
 * them calls it once before. Prints the number of calls.
 */
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
        boolean together = args.length != 0;
        CountDownLatch done = new CountDownLatch(THREADS), end = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(together ? THREADS : 0), often = new CountDownLatch(1);
        if (!together) {
            call(OFTEN);
            often.countDown();
        }
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(() -> {
                try {
                    if (together) call(1);
                    all.countDown();
                    often.await();
                    call(EACH);
                    done.countDown();
                    end.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            threads[i].start();
        }
        all.await();
        if (together) {
            call(OFTEN);
            often.countDown();
        }
        done.await();
        end.countDown();
        for (Thread thread : threads) thread.join();
        System.out.println(OFTEN + THREADS * (together ? EACH + 1 : EACH));
    }
}
