package cases;

/** wait, notify, locks held across exceptions, monitors used without being held. */
public class Monitors {
    private int turn;

    //= <init>()V 1 0
    //= pass(I)V 200 0
    synchronized void pass(int me) throws InterruptedException {
        while (turn % 2 != me)
            wait();
        turn++;
        notifyAll();
    }

    //= player(I)V 2 0
    void player(int me) {
        try {
            for (int i = 0; i < 100; i++)
                pass(me);
        } catch (InterruptedException e) {
            throw new Error(e);
        }
    }

    //= unheld(Ljava/lang/Object;)V 3 3
    static void unheld(Object o) {
        o.notify();
    }

    //= failInside(Ljava/lang/Object;)V 1 1
    static void failInside(Object o) {
        synchronized (o) {
            unheld(new Object());
        }
    }

    //= interrupted(Ljava/lang/Object;)V 1 1
    static void interrupted(Object o) throws InterruptedException {
        synchronized (o) {
            o.wait();
        }
    }

    //= lambda$main$* 2 0
    public static void main(String[] args) throws Exception {
        Monitors m = new Monitors();
        Thread a = new Thread(() -> m.player(0)), b = new Thread(() -> m.player(1));
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println(m.turn);
        for (int i = 0; i < 2; i++)
            try {
                unheld(m);
            } catch (IllegalMonitorStateException e) {
                System.out.println("not held");
            }
        Object o = new Object();
        try {
            failInside(o);
        } catch (IllegalMonitorStateException e) {
            System.out.println(Thread.holdsLock(o));
        }
        Thread.currentThread().interrupt();
        try {
            interrupted(o);
        } catch (InterruptedException e) {
            System.out.println(Thread.holdsLock(o));
        }
    }
}
