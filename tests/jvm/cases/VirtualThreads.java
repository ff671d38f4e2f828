package cases;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;

/** A thousand virtual threads that call, throw, yield, sleep and recurse: exact counts on whatever carrier. */
public class VirtualThreads {
    static final AtomicLong SUM = new AtomicLong();

    //= leaf(I)I 50000 5000
    static int leaf(int i) {
        if (i % 10 == 0)
            throw new IllegalStateException();
        return i;
    }

    //= yielding(I)I 50000 0
    static int yielding(int i) {
        int r = 0;
        try {
            r = leaf(i);
        } catch (IllegalStateException e) {
            r = 1;
        }
        if (i % 7 == 0)
            Thread.yield();
        return r;
    }

    //= sleeping(I)I 2000 0
    static int sleeping(int n) throws InterruptedException {
        if (n > 0)
            return sleeping(n - 1) + 1;
        Thread.sleep(1);
        return 0;
    }

    //= body()V 1000 0
    static void body() {
        try {
            int sum = 0;
            for (int i = 0; i < 50; i++)
                sum += yielding(i);
            sum += sleeping(1);
            SUM.addAndGet(sum);
        } catch (InterruptedException e) {
            throw new Error(e);
        }
    }

    static class Counter {
        long n;

        //= $Counter.<init>()V 1 0
        //= $Counter.add()V 5000 0
        synchronized void add() {
            n++;
            if (n % 50 == 0)
                Thread.yield();
        }
    }

    //= <clinit>()V 1 0
    //= lambda$main$* 50 0
    public static void main(String[] args) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 1000; i++)
            threads.add(Thread.ofVirtual().start(VirtualThreads::body));
        for (Thread t : threads)
            t.join();
        System.out.println(SUM);
        Counter c = new Counter();
        try (ExecutorService e = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 50; i++)
                e.submit(() -> {
                    for (int k = 0; k < 100; k++)
                        c.add();
                });
        }
        System.out.println(c.n);
    }
}
