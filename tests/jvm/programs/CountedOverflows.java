/** CountedOverflows ROUNDS: the stack overflows in methods of several kinds. Prints for each its calls, and how many threw an exception. */
public final class CountedOverflows {
    private static final String[] NAMES = {"down(I)I", "caught(I)I", "locked(I)I", "wide(JJJDDD)I", "<init>(I)V", "<init>(JJ)V", "make(I)J", "get()I"};

    /** By method: how often its code began, and how often it ended. A field is no call, which could overflow in its turn. */
    private static long down, downEnded, caught, caughtEnded, locked, lockedEnded, wide, wideEnded, early, earlyEnded, late, lateEnded,
            make, makeEnded, get;

    private static int value;

    static int down(int x) {
        down++;
        int result = down(x + 1) + 1;
        downEnded++;
        return result;
    }

    static int caught(int x) {
        caught++;
        int result;
        try {
            result = caught(x + 1) + get();
        } catch (StackOverflowError e) {
            result = 1;
        }
        caughtEnded++;
        return result;
    }

    static synchronized int locked(int x) {
        locked++;
        int result = locked(x + 1) + 1;
        lockedEnded++;
        return result;
    }

    static int wide(long a, long b, long c, double d, double e, double f) {
        wide++;
        int result = wide(b, a, c, e, d, f) + 1;
        wideEnded++;
        return result;
    }

    /** CountedOverflows before it calls this(). */
    CountedOverflows(int x) {
        this(early++, make(x + 1));
        earlyEnded++;
    }

    /** CountedOverflows after it has called super(). */
    CountedOverflows(long x, long y) {
        late++;
        new CountedOverflows(y, x);
        lateEnded++;
    }

    static long make(int x) {
        make++;
        Object made = new CountedOverflows(x);
        makeEnded++;
        return made.hashCode();
    }

    static int get() {
        get++;
        return value;
    }

    static void overflow(int kind) {
        try {
            if (kind == 0) down(0);
            else if (kind == 1) caught(0);
            else if (kind == 2) locked(0);
            else if (kind == 3) wide(1, 2, 3, 4, 5, 6);
            else if (kind == 4) new CountedOverflows(0);
            else new CountedOverflows(0L, 0L);
        } catch (StackOverflowError e) {
            // as expected
        }
    }

    /** Calls overflow so deep that the stacks do not all end at the same place. */
    static int at(int depth, int kind) {
        if (depth > 0) return at(depth - 1, kind) + 1;
        overflow(kind);
        return 0;
    }

    private static void run(int rounds) {
        for (int i = 0; i < rounds; i++)
            for (int kind = 0; kind < 6; kind++) at(i % 37, kind);
    }

    public static void main(String[] arguments) throws Exception {
        Thread thread = new Thread(null, () -> run(Integer.parseInt(arguments[0])), "overflows", 512 * 1024);
        thread.start();
        thread.join();
        long[] calls = {down, caught, locked, wide, early, late, make, get};
        long[] ended = {downEnded, caughtEnded, lockedEnded, wideEnded, earlyEnded, lateEnded, makeEnded, get};
        for (int i = 0; i < NAMES.length; i++) System.out.println(NAMES[i] + " " + calls[i] + " " + (calls[i] - ended[i]));
    }
}
