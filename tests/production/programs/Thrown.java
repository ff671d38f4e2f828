import java.util.concurrent.CountDownLatch;

/**
 * Repeats each line read from standard input when it has done what the line says. hold: a thread throws an exception and waits in a
 * finally block; leave: it goes on; more: another exception of the same place is thrown and caught.
 */
public class Thrown {
    static volatile CountDownLatch entered, leaves;

    static void fail() {
        throw new IllegalStateException();
    }

    static void held() throws InterruptedException {
        try {
            fail();
        } finally {
            entered.countDown();
            leaves.await();
        }
    }

    static void catching() {
        try {
            held();
        } catch (IllegalStateException | InterruptedException expected) {
        }
    }

    static void more() {
        try {
            fail();
        } catch (IllegalStateException expected) {
        }
    }

    public static void main(String[] args) throws Exception {
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        Thread holder = null;
        for (String line; (line = in.readLine()) != null; System.out.println(line)) {
            if (line.equals("hold")) {
                entered = new CountDownLatch(1);
                leaves = new CountDownLatch(1);
                holder = new Thread(Thrown::catching);
                holder.start();
                entered.await();
            } else if (line.equals("more")) {
                more();
            } else if (line.equals("leave")) {
                leaves.countDown();
                holder.join();
            }
        }
    }
}
