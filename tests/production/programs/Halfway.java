import java.util.concurrent.CountDownLatch;

/**
 * Repeats each line read from standard input when it has done what the line says. enter: a thread enters a method that makes an object, and
 * waits in the constructor of its superclass; return and throw: that is how the constructor ends.
 */
public class Halfway {
    static volatile CountDownLatch entered, goesOn;
    static volatile boolean fails;

    static class Base {
        Base() {
            entered.countDown();
            await();
            if (fails) throw new IllegalStateException();
        }
    }

    static class Made extends Base {
        Made() {
            super();
        }
    }

    static void await() {
        try {
            goesOn.await();
        } catch (InterruptedException unexpected) {
            throw new Error(unexpected);
        }
    }

    static void make() {
        new Made();
    }

    static void caught() {
        try {
            make();
        } catch (IllegalStateException expected) {
        }
    }

    public static void main(String[] args) throws Exception {
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        Thread maker = null;
        for (String line; (line = in.readLine()) != null; System.out.println(line)) {
            if (line.equals("enter")) {
                entered = new CountDownLatch(1);
                goesOn = new CountDownLatch(1);
                maker = new Thread(Halfway::caught);
                maker.start();
                entered.await();
            } else if (line.equals("return") || line.equals("throw")) {
                fails = line.equals("throw");
                goesOn.countDown();
                maker.join();
            }
        }
    }
}
