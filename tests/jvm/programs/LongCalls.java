import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.CountDownLatch;

/**
 * Reads lines. "begin": calls of Old begin, of a constructor within that of its superclass, too. "call": ten calls of each method of New.
 * "end": the calls of Old end, one with an exception.
 */
public class LongCalls {
    static final CountDownLatch begun = new CountDownLatch(2), end = new CountDownLatch(1);

    static class Base {
        Base() {
            LongCalls.last();
        }
    }

    static class Old extends Base {
        Old() {
            super();
        }

        static void run() {
            LongCalls.last();
            throw new IllegalStateException();
        }
    }

    static class New extends Object {
        New() {}

        static int f(int i) {
            return i % 2 == 0 ? i / 2 : 3 * i + 1;
        }
    }

    static void last() {
        begun.countDown();
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void run() {
        try {
            Old.run();
        } catch (IllegalStateException e) {
            System.out.print("");
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = {new Thread(LongCalls::run), new Thread(Old::new)};
        int sum = New.f(new New().hashCode() & 1);
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            if (line.equals("begin")) {
                for (Thread thread : threads) thread.start();
                begun.await();
            } else if (line.equals("end")) {
                end.countDown();
                for (Thread thread : threads) thread.join();
            } else {
                for (int i = 0; i < 10; i++) {
                    new New();
                    sum += New.f(i);
                }
            }
            System.out.println(line);
        }
        if (sum < 0) System.out.println(sum);
    }
}
