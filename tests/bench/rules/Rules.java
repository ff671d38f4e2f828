/**
 * Methods for rules: `work` is called with a number, `order` with one of a few items that have a string. Prints nanoseconds per call, the
 * least of some rounds, and those of two System.nanoTime. With the argument "live" it calls `work` without end.
 */
public final class Rules {
    private static final int CALLS = 10_000_000;
    private static final int ROUNDS = 7;
    static int sum;

    static final class Item {
        final String country;
        final int weight;

        Item(String country, int weight) {
            this.country = country;
            this.weight = weight;
        }
    }

    private static final Item[] ITEMS = new Item[16];

    private Rules() {}

    static void work(int x) {
        sum += x;
    }

    static void order(Item item) {
        sum += item.weight;
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

    public static void main(String[] args) throws Exception {
        // As they come from a request: equal ones are not the same object.
        for (int i = 0; i < ITEMS.length; i++) ITEMS[i] = new Item(new String(new String[] {"DE", "FR", "IT", "Antarctica"}[i % 4]), i);
        if (args.length > 0) {
            System.out.println("ready");
            for (;;) {
                work(1);
                Thread.sleep(1);
            }
        }
        Loop[] loops = {
            n -> { for (int i = 0; i < n; i++) work(i); },
            n -> { for (int i = 0; i < n; i++) order(ITEMS[i & 15]); },
            n -> { for (int i = 0; i < n; i++) sum += (int) (System.nanoTime() - System.nanoTime()); },
        };
        String[] names = {"work", "order", "clocks"};
        for (int warm = 0; warm < 3; warm++)
            for (Loop loop : loops)
                loop.run(1_000_000);
        for (int i = 0; i < loops.length; i++)
            System.out.println(names[i] + " " + least(loops[i]));
    }
}
