package cases;

import java.util.concurrent.atomic.AtomicLong;

/** Three thousand short threads, forty at a time: what a thread counted outlives it. */
public class ThreadChurn {
    static final AtomicLong SUM = new AtomicLong();

    //= tick(I)I 30000 3000
    static int tick(int i) {
        if (i == 9)
            throw new IllegalStateException();
        return i;
    }

    //= body()V 3000 0
    static void body() {
        for (int i = 0; i < 10; i++)
            try {
                SUM.addAndGet(tick(i));
            } catch (IllegalStateException e) {
                SUM.incrementAndGet();
            }
    }

    //= <clinit>()V 1 0
    public static void main(String[] args) throws Exception {
        for (int round = 0; round < 75; round++) {
            Thread[] threads = new Thread[40];
            for (int i = 0; i < threads.length; i++)
                (threads[i] = new Thread(ThreadChurn::body)).start();
            for (Thread t : threads)
                t.join();
        }
        System.out.println(SUM);
    }
}
