package cases;

/** An exception out of main, and before it one out of a thread: traces and exit status are the VM's own. */
public class Uncaught {
    //= inner(I)V 2 2
    static void inner(int x) {
        throw new IllegalStateException("uncaught " + x);
    }

    //= inThread()V 1 1
    static void inThread() {
        inner(1);
    }

    //= main([Ljava/lang/String;)V 1 1
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(Uncaught::inThread, "worker");
        t.start();
        t.join();
        System.out.println("before the end");
        inner(2);
    }
}
