/** Tests that each load and run a class of their own, until the end of the input; prints how many. */
public class Loading {
    private static volatile boolean ended;

    static void test() throws Exception {
        FullDisk.load(1)[0].run();
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        Thread reader = new Thread(new Runnable() {
            @Override
            public void run() {
                try {
                    while (System.in.read() >= 0) {}
                } catch (java.io.IOException e) {
                    e.printStackTrace();
                }
                ended = true;
            }
        });
        reader.start();
        int tests = 0;
        for (; !ended && tests < 50000; tests++) test();
        System.out.println("tests " + tests);
    }
}
