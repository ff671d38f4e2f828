package cases;

import java.util.concurrent.CountDownLatch;

/** Main ends while daemon threads wait, and after it a user thread goes on for a while. */
public class DaemonThreads {
    static final CountDownLatch READY = new CountDownLatch(3);

    //= waiting()V 3 0 open
    static void waiting() {
        try {
            READY.countDown();
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            throw new Error(e);
        }
    }

    //= after()V 1 0
    static void after() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            throw new Error(e);
        }
        for (int i = 0; i < 1000; i++)
            tick();
        System.out.println("after main");
    }

    //= tick()V 1000 0
    static void tick() {}

    //= <clinit>()V 1 0
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++) {
            Thread t = new Thread(DaemonThreads::waiting);
            t.setDaemon(true);
            t.start();
        }
        READY.await();
        new Thread(DaemonThreads::after).start();
        System.out.println("end of main");
    }
}
