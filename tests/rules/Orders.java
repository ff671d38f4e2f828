import java.util.Map;
import java.util.TreeMap;

/** A program whose rules' results are known: it keeps the same tables itself and prints them, "row name key count sum". */
public class Orders {
    static final class Cart {
        private final String country;
        private final double total;
        final int items;
        Cart next;

        Cart(String country, double total, int items) {
            this.country = country;
            this.total = total;
            this.items = items;
        }
    }

    enum Kind {
        SMALL,
        LARGE
    }

    static class Base {
        protected long sold;
        private boolean open = true;

        Base(int start) {
            sold = start;
        }
    }

    static final Map<String, double[]> TABLES = new TreeMap<>();

    static void add(String table, Object key, double value) {
        double[] row = TABLES.computeIfAbsent(table + " " + key, k -> new double[2]);
        row[0]++;
        row[1] += value;
    }

    static class Shop extends Base {
        Shop() {
            super(1);
        }

        int order(Cart cart, String item, Kind kind, long weight, float price, char grade, boolean gift, byte[] data) {
            sold += cart.items;
            if (cart.items < 0) throw new IllegalArgumentException("negative");
            int n = item.length() * cart.items;
            item = null; // parameters may change
            weight = -1;
            return n;
        }

        static double half(double x) {
            return x / 2;
        }

        synchronized void nothing() {}

        long loop(int n) {
            long sum = 0;
            for (int i = 0; i < n; i++) {
                sum += i;
            }
            return sum;
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            int from = t;
            threads[t] = new Thread(() -> work(from, Integer.parseInt(args[0])));
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
        for (Map.Entry<String, double[]> e : TABLES.entrySet())
            System.out.println("row " + e.getKey() + " " + (long) e.getValue()[0] + " " + e.getValue()[1]);
    }

    static void work(int from, int count) {
        Shop shop = new Shop();
        for (int i = from; i < count; i += 4) {
            Cart cart = new Cart(i % 3 == 0 ? "DE" : "FR", i / 8.0, i % 100 == 7 ? -1 : i % 5);
            if (i % 2 == 0) cart.next = new Cart("IT", 1, i % 7);
            String item = "item" + (i % 30 == 0 ? "+" : "");
            Kind kind = Kind.values()[i % 2];
            double result = 0;
            boolean failed = false;
            try {
                result = shop.order(cart, item, kind, i * 10000000000L, i / 4f, (char) ('a' + i % 3), i % 4 == 0, new byte[i % 6]);
            } catch (IllegalArgumentException expected) {
                failed = true;
            }
            synchronized (TABLES) {
                add("calls", "", 0);
                add("country", cart.country, cart.total);
                add(failed ? "thrown" : "result", "", result);
                if (cart.total > 1000 && item.equals("item")) add("large", kind, cart.total);
                if (cart.next != null && cart.next.items >= 3) add("next", cart.next.country, cart.next.items);
                if (i * 10000000000L % 7 == 3 || i / 4f > 100.25) add("numbers", (char) ('a' + i % 3), i / 4f);
                if (i % 4 == 0 || cart.items < 0) add("gift", i % 4 == 0, i % 6);
            }
        }
        for (int i = 0; i < 50; i++) {
            Shop.half(i);
            shop.nothing();
            shop.loop(10);
        }
    }
}
