/** Calls a method every millisecond, without end, for a kit to be reloaded meanwhile. */
public final class Live {
    private Live() {}

    static void tick() {}

    public static void main(String[] args) throws Exception {
        for (;;) {
            tick();
            Thread.sleep(1);
        }
    }
}
