import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Interfaces, and threads that define classes which implement them, each in a loader of its own; the line "begin" starts them. Any line calls all
 * interfaces, 10 times each; "late" loads another one first. Prints the sum and the number of classes defined.
 */
public class Fresh {
    static final AtomicLong defined = new AtomicLong();

    public interface Held {
        int bare(String text, Object object);

        default Object first(String text) {
            return text;
        }

        default String second(Integer number, Thread thread) {
            return "second";
        }
    }

    public interface Bare {
        Object third(String text);

        String fourth(Integer number, Thread thread);
    }

    public interface Statics {
        static int five() {
            return 5;
        }
    }

    public interface Late {
        default int six() {
            return 6;
        }
    }

    public static class Six implements Late, Callable<Integer> {
        public Integer call() {
            return six();
        }
    }

    /** The class that is defined again and again. */
    public static class Made implements Held, Bare, Function<String, String>, Comparable<String> {
        public int bare(String text, Object object) {
            return 1;
        }

        public Object third(String text) {
            return text;
        }

        public String fourth(Integer number, Thread thread) {
            return "fourth";
        }

        public String apply(String text) {
            return text;
        }

        public int compareTo(String text) {
            return 0;
        }
    }

    /** Ends the JVM on any error. */
    static void define(byte[] bytes) {
        try {
            for (;;) {
                Comparable<?> made = (Comparable<?>) new SingleLoader("Fresh$Made", bytes).define().newInstance();
                if (made.compareTo(null) != 0) throw new IllegalStateException();
                if (defined.incrementAndGet() % 2000 == 0) System.gc();
            }
        } catch (Throwable e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(3);
        }
    }

    public static void main(String[] args) throws Exception {
        final byte[] bytes = SingleLoader.read("Fresh$Made");
        Made made = new Made();
        Callable<?> late = null;
        int statics = Statics.five();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready " + statics);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int sum = 0;
            if (line.equals("late")) late = (Callable<?>) Class.forName("Fresh$Six").newInstance();
            for (int i = 0; line.equals("begin") && i < 4; i++) {
                Thread thread = new Thread() {
                    public void run() {
                        define(bytes);
                    }
                };
                thread.setDaemon(true);
                thread.start();
            }
            for (int i = 0; i < 10; i++)
                sum += made.bare("", "") + made.first("a").toString().length() + made.second(1, null).length() + Statics.five() + (late == null ? 0 : (Integer) late.call());
            System.out.println(sum + " " + defined);
        }
    }
}
