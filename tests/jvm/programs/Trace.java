/** The record of random methods: a hash of all values they met, and the number of steps that they have left. */
public final class Trace {
    public static int hash, fuel;

    private Trace() {}

    public static int seen(int x) {
        hash = hash * 31 + x;
        return x;
    }

    /** Called in every loop and every method. */
    public static void burn() {
        if (--fuel < 0)
            throw new OutOfMemoryError("fuel");
    }
}
