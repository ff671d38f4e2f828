/** Four threads call `work` until a line is read; then prints how often it was called, and how often it threw. */
public class Counted {
    static final class Odd extends RuntimeException {
        Odd() {
            super(null, null, false, false);
        }
    }

    static volatile boolean ends;
    static volatile Object kept;

    static int work(int i) {
        kept = new int[4];
        if (i % 64 == 0)
            throw new Odd();
        return i;
    }

    static final class Caller extends Thread {
        long calls, thrown;

        @Override
        public void run() {
            while (!ends) {
                try {
                    work((int) calls++);
                } catch (Odd e) {
                    thrown++;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        while (true) {
            int read = System.in.read();
            if (read == -1)
                return;
            ends = false;
            Caller[] callers = new Caller[4];
            for (int i = 0; i < callers.length; i++)
                (callers[i] = new Caller()).start();
            System.out.println("started");
            while (System.in.read() != '\n') {
            }
            ends = true;
            long calls = 0, thrown = 0;
            for (Caller caller : callers) {
                caller.join();
                calls += caller.calls;
                thrown += caller.thrown;
            }
            System.out.println(calls + " " + thrown);
        }
    }
}
