import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Runs until standard input ends; then it prints how many calls there were, and how many failed. With an argument it never rests, and has a long queue. */
public class Live {
    static class Order {
        private final int total;

        Order(int total) {
            this.total = total;
        }
    }

    static int order(Order order, String name) {
        return order.total + name.length();
    }

    /** Fails for every tenth order. */
    static float check(Order order, float price, char grade, byte[] data) {
        if (order.total == 0) throw new IllegalArgumentException("nothing");
        return price / 2;
    }

    static void touch(long number) {}

    static native int pid();

    static void look(Queue<String> queue) {}

    static void work(int n) {
        Order order = new Order(n);
        for (int i = 0; i < 10000; i++) order(order, "ab");
    }

    public static void main(String[] args) throws Exception {
        int calls = 0, failed = 0;
        Queue<String> queue = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 1000000 && args.length > 0; i++) queue.add("element");
        System.out.println("ready");
        while (System.in.available() == 0) {
            try {
                if (order(new Order(calls % 10), "ab") != calls % 10 + 2) failed++;
            } catch (IllegalStateException thrown) {
                failed++;
            }
            try {
                check(new Order(calls % 10), 0.1f, 'x', new byte[3]);
            } catch (IllegalArgumentException expected) {
                touch(calls);
            }
            if (args.length > 0) work(calls);
            look(queue);
            if (calls++ % 5 == 0 && args.length == 0) Thread.sleep(1);
        }
        System.out.println(calls + " " + failed);
    }
}
