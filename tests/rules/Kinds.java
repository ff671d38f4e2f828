import java.math.BigDecimal;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.IntSupplier;

/** Values of all kinds for rules, fields of a superclass, and a thread whose stack overflows. */
public class Kinds {
    static class Base {
        protected int inherited = 7;
        private boolean open = true;
        protected char letter = 'q';
        protected double ratio = 0.25;
        protected float part = 1.5f;
        protected byte small = -3;
        protected short brief = 300;
        protected Long boxed = 5L;
        protected AtomicLong counter = new AtomicLong(12);
        protected LongAccumulator most = new LongAccumulator(Math::max, 12);
        protected BigDecimal money = new BigDecimal("10.5");
        protected int[] list = {1, 2, 3};
        protected String none;
        int zero;
    }

    static final class Item extends Base {
        final long id;
        int own = 3;
        static int shared = 9;

        Item(long id) {
            this.id = id;
        }

        long all(long l, double d, char c, byte b, short s, float f, boolean z, int[] a, String[] names, Object o, String text, Long big) {
            return id;
        }

        /** A name that ends with that of another method of the same type. */
        static int refix(int x) {
            return x - 1;
        }

        static int fix(int x) {
            return x + 1;
        }

        static String word(String s, Integer n) {
            return s + n;
        }
    }

    static void key(String k) {}

    static int over(Item item, String k) {
        return 1 + over(item, k);
    }

    static void after(Item item, String k) {}

    static int count(IntSupplier call) {
        try {
            return call.getAsInt();
        } catch (RuntimeException failed) {
            return -1000;
        }
    }

    /** JDK 18 and later refuse. */
    static void guard() {
        try {
            System.setSecurityManager(new SecurityManager());
        } catch (UnsupportedOperationException refused) {
            return;
        }
        try {
            System.getProperty("user.home");
        } catch (SecurityException denied) {
            return;
        }
        throw new AssertionError("not guarded");
    }

    public static void main(String[] args) {
        if (args.length > 0) guard();
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            int n = i;
            long id = 9007199254740992L + i; // doubles have no odd ones of these
            Item item = new Item(id);
            item.all(id, i / 4.0, (char) ('a' + i % 3), (byte) -i, (short) i, i / 8f, i % 2 == 0, new int[i], new String[1], i % 2 == 0 ? null : item, i % 2 == 0 ? "e\u00e9\ud83d\ude00" : null, id);
            sum += count(() -> Item.fix(n)) + count(() -> Item.refix(n)) + count(() -> Item.word("w", n).length());
        }
        Item item = new Item(1);
        for (int i = 0; i < 5; i++) {
            try {
                over(item, "k");
            } catch (StackOverflowError expected) {
                sum++;
            }
        }
        for (int i = 0; i < 1000; i++) after(item, "k" + i % 3);
        String longest = new String(new char[300]).replace('\0', 'z');
        key(longest);
        for (int i = 0; i < 1500; i++) key("key" + i);
        for (int i = 0; i < 77; i++) key(longest);
        System.out.println("sum " + sum);
    }
}
