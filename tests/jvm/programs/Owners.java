import java.lang.reflect.Method;

/**
 * Owners WAVES THREADS TURNS [virtual]: waves of threads, each of which ends before the next one begins, call the same short
 * methods; then main does. Prints for each method its calls, and how many threw an exception.
 */
public final class Owners {
    private final int number;
    private final int[] cells = {1, 2, 3};
    private int sum;

    private Owners(int number) {
        this.number = number;
    }

    // Too small for a clock.

    int number() {
        return number;
    }

    void sum(int sum) {
        this.sum = sum;
    }

    static int sign(int x) {
        return x > 0 ? 1 : x < 0 ? -1 : 0;
    }

    /** Throws for the index 3. */
    int cell(int i) {
        return cells[i];
    }

    // Short, but not so small.

    static int twice(int x) {
        return Math.addExact(x, x);
    }

    int loop(int n) {
        int all = 0;
        for (int i = 0; i < n; i++) all += i;
        return all;
    }

    static void failing(int i) {
        if (twice(i) % 32 == 0) throw EXPECTED;
    }

    private static final RuntimeException EXPECTED = new RuntimeException("expected", null, false, false) {};

    static void work(int turns) {
        Owners owners = new Owners(1);
        for (int i = 0; i < turns; i++) {
            owners.sum(owners.number() + sign(i) + owners.loop(5));
            try {
                owners.cell(i % 4);
            } catch (ArrayIndexOutOfBoundsException e) {
                if (i % 4 != 3) throw e;
            }
            try {
                failing(i);
            } catch (RuntimeException e) {
                if (e != EXPECTED) throw e;
            }
            if (i % 50 == 0) Thread.yield();
        }
    }

    static Thread start(Method virtual, final int turns) throws Exception {
        Runnable work = new Runnable() {
            @Override
            public void run() {
                work(turns);
            }
        };
        if (virtual != null) return (Thread) virtual.invoke(null, work);
        Thread thread = new Thread(work);
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws Exception {
        int waves = Integer.parseInt(args[0]), each = Integer.parseInt(args[1]), turns = Integer.parseInt(args[2]);
        Method virtual = args.length > 3 ? Thread.class.getMethod("startVirtualThread", Runnable.class) : null;
        for (int wave = 0; wave < waves; wave++) {
            Thread[] threads = new Thread[each];
            for (int i = 0; i < each; i++) threads[i] = start(virtual, turns);
            for (Thread thread : threads) thread.join();
        }
        work(turns);
        long calls = (waves * each + 1L) * turns;
        for (String name : new String[] {"number", "sum", "sign", "loop", "twice"}) System.out.println(name + " " + calls + " 0");
        System.out.println("cell " + calls + " " + calls / turns * (turns / 4));
        System.out.println("failing " + calls + " " + calls / turns * ((turns + 15) / 16));
    }
}
