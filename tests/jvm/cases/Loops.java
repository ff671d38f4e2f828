package cases;

import java.util.concurrent.CountDownLatch;

/** Methods without any return: loops that never end, in daemon threads, and methods that only throw. */
public class Loops {
    static final CountDownLatch STARTED = new CountDownLatch(3);
    static volatile long spins;

    //= spin()V 1 0 open
    static void spin() {
        STARTED.countDown();
        for (;;)
            spins++;
    }

    //= sleep(I)I 1 0 open
    static int sleep(int x) {
        STARTED.countDown();
        while (true)
            try {
                Thread.sleep(1000000);
            } catch (InterruptedException e) {
                x++;
            }
    }

    //= locked()V 1 0 open
    static synchronized void locked() {
        STARTED.countDown();
        while (true)
            try {
                Loops.class.wait();
            } catch (InterruptedException e) {
                spins--;
            }
    }

    //= onlyThrow(I)I 50 50
    static int onlyThrow(int i) {
        throw new IllegalStateException("only " + i);
    }

    //= throwNull()V 3 3
    static void throwNull() {
        throw null;
    }

    //= rethrow(Ljava/lang/RuntimeException;)V 2 2
    static void rethrow(RuntimeException e) {
        throw e;
    }

    //= throwInLoop(I)V 4 4
    static void throwInLoop(int n) {
        for (;;)
            if (n-- == 0)
                throw new RuntimeException("end");
    }

    //= <clinit>()V 1 0
    //= lambda$main$* 3 0 open
    public static void main(String[] args) throws Exception {
        Runnable[] forever = {() -> spin(), () -> sleep(1), () -> locked()};
        for (Runnable r : forever) {
            Thread t = new Thread(r);
            t.setDaemon(true);
            t.start();
        }
        STARTED.await();
        int sum = 0;
        for (int i = 0; i < 50; i++)
            try {
                sum += onlyThrow(i);
            } catch (IllegalStateException e) {
                sum += e.getMessage().length();
            }
        for (int i = 0; i < 3; i++)
            try {
                throwNull();
            } catch (NullPointerException e) {
                sum++;
            }
        for (int i = 0; i < 2; i++)
            try {
                rethrow(i == 0 ? null : new RuntimeException());
            } catch (RuntimeException e) {
                System.out.println(e.getClass());
            }
        for (int i = 0; i < 4; i++)
            try {
                throwInLoop(i * 1000);
            } catch (RuntimeException e) {
                sum++;
            }
        System.out.println(sum);
    }
}
