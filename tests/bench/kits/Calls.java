/**
 * One small method three times over: as it is, with calls of Nothing.enter and exit written by hand, and for an agent to
 * put the same calls there. Prints nanoseconds per call, the least of some rounds.
 */
public final class Calls {
    private static final int CALLS = 20_000_000;
    private static final int ROUNDS = 7;
    static int sum;

    private Calls() {}

    static void plain(int x) {
        sum += x;
    }

    static void hand(int x) {
        Nothing.enter();
        try {
            sum += x;
        } finally {
            Nothing.exit();
        }
    }

    static void advised(int x) {
        sum += x;
    }

    interface Loop {
        void run(int calls);
    }

    private static double least(Loop loop) {
        double least = Double.MAX_VALUE;
        for (int i = 0; i < ROUNDS; i++) {
            long start = System.nanoTime();
            loop.run(CALLS);
            least = Math.min(least, (System.nanoTime() - start) / (double) CALLS);
        }
        return least;
    }

    public static void main(String[] args) {
        Loop[] loops = {
            n -> { for (int i = 0; i < n; i++) plain(i); },
            n -> { for (int i = 0; i < n; i++) hand(i); },
            n -> { for (int i = 0; i < n; i++) advised(i); },
        };
        String[] names = {"plain", "hand", "advised"};
        for (int warm = 0; warm < 3; warm++)
            for (Loop loop : loops)
                loop.run(1_000_000);
        for (int i = 0; i < loops.length; i++)
            System.out.println(names[i] + " " + least(loops[i]));
    }
}
