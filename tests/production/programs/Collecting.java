/** Collects garbage all the time if its heap is small; ends at the end of its standard input. */
public class Collecting {
    static volatile byte[] garbage;

    static void make() {
        garbage = new byte[64 * 1024];
    }

    public static void main(String[] args) throws Exception {
        Thread making = new Thread(() -> {
            while (true)
                make();
        });
        making.setDaemon(true);
        making.start();
        System.out.println("ready");
        while (System.in.read() >= 0)
            continue;
        System.out.println("done");
    }
}
