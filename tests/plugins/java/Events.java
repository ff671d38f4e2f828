/** Four threads that each make events with the numbers from 1 to the property `count`. */
public class Events {
    static void event(int n) {}

    static void other(String text) {}

    static void round(int count) throws Exception {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int n = 1; n <= count; n++) event(n);
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        other("x");
    }

    public static void main(String[] args) throws Exception {
        round(Integer.getInteger("count"));
        System.out.println("done");
        while (args.length > 0 && System.in.read() > 0) {
            round(Integer.getInteger("count"));
            System.out.println("done");
        }
    }
}
