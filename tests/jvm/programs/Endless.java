/** Calls methods for ever, in one call of a method of its own; ends at the end of its input. */
public class Endless {
    static volatile boolean ended;

    /** Other methods than those that ran first have the first numbers when a pass is switched on anew. */
    static class Later {
        static int sum;

        static void first(int i) {
            sum += i % 7;
            second(i);
        }

        static void second(int i) {
            for (int k = 0; k < 100; k++) sum += i / (k + 1);
            third(i);
        }

        static void third(int i) {
            for (int k = 0; k < 100; k++) sum ^= i / (k + 1);
        }
    }

    static void outer() {
        inner();
    }

    static void inner() {
        loop();
    }

    static void loop() {
        System.out.println("ready");
        while (!ended) Later.first(Later.sum);
    }

    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(Endless::outer);
        thread.start();
        while (System.in.read() >= 0) {}
        ended = true;
        thread.join();
    }
}
