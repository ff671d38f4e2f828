import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/** Threads that wait for each other, as delays of rules must not change: prints what became of them. With an argument the first thread is virtual. */
public class Delays {
    static class Mailbox {
        volatile boolean asked, full;

        boolean isFull() {
            asked = true;
            return full;
        }
    }

    static void delayed() {}

    static Thread start(Runnable task, boolean isVirtual) throws Exception {
        if (isVirtual) return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static String ended(Thread thread) throws InterruptedException {
        thread.join(20000);
        return thread.isAlive() ? "waits" : "ends";
    }

    /** The permit comes while the thread is between its look at the mailbox and park(). */
    static String wakes(boolean isVirtual) throws Exception {
        Mailbox mailbox = new Mailbox();
        Thread reader = start(() -> {
            while (!mailbox.isFull()) LockSupport.park();
        }, isVirtual);
        while (!mailbox.asked) Thread.sleep(1);
        Thread.sleep(10);
        mailbox.full = true;
        LockSupport.unpark(reader);
        return ended(reader);
    }

    static String takesTurns() throws Exception {
        Semaphore ping = new Semaphore(0), pong = new Semaphore(0);
        Thread other = start(() -> {
            for (int i = 0; i < 20; i++) {
                ping.acquireUninterruptibly();
                pong.release();
            }
        }, false);
        Thread own = start(() -> {
            for (int i = 0; i < 20; i++) {
                ping.release();
                pong.acquireUninterruptibly();
            }
        }, false);
        return ended(other) + " " + ended(own);
    }

    static String isInterrupted() throws Exception {
        boolean[] interrupted = new boolean[1];
        Thread thread = start(() -> {
            delayed();
            for (long end = System.nanoTime() + 10000000000L; !interrupted[0] && System.nanoTime() < end; ) interrupted[0] = Thread.interrupted();
        }, false);
        Thread.sleep(20);
        thread.interrupt();
        return ended(thread) + " " + interrupted[0];
    }

    public static void main(String[] args) throws Exception {
        System.out.println("wakes: " + wakes(args.length > 0));
        System.out.println("takes turns: " + takesTurns());
        System.out.println("is interrupted: " + isInterrupted());
        for (int i = 0; i < 10; i++) LockSupport.parkNanos(1);
        System.out.println("end");
    }
}
