import java.io.BufferedReader;
import java.io.InputStreamReader;

/** For each line of standard input: four calls, two of which throw, the last one in a virtual thread where there are any. */
public class Deep {
    static class Hidden extends RuntimeException {
        @Override
        public StackTraceElement[] getStackTrace() {
            throw new AssertionError("called");
        }
    }

    static class Bare extends RuntimeException {
        Bare() {
            super(null, null, false, false);
        }
    }

    static int innermost() {
        throw new Hidden();
    }

    static int inner() {
        return innermost() + 1;
    }

    static int outer(int i) {
        if (i == 1) return inner();
        if (i == 2) throw new Bare();
        return i;
    }

    static void round() throws Exception {
        outer(0);
        for (int i = 1; i < 3; i++)
            try {
                outer(i);
            } catch (Hidden | Bare e) {
                // expected
            }
        Runnable last = () -> outer(3);
        Thread thread;
        try {
            thread = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, last);
        } catch (ReflectiveOperationException e) {
            thread = new Thread(last);
            thread.start();
        }
        thread.join();
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        while (in.readLine() != null) {
            round();
            System.out.println("round");
        }
    }
}
