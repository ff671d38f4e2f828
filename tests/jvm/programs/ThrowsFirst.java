import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.LinkedList;
import java.util.List;

/**
 * Handlers that run for the first time when the JVM cannot load a class for them; the argument names the reason. Prints
 * how many exceptions arrived where they belong.
 */
public class ThrowsFirst {
    static class Own extends RuntimeException {}

    static int caught;

    /** The heap is full. */
    static void heap() {
        for (int round = 0; round < 15; round++) {
            List<Object> list = new LinkedList<Object>();
            try {
                for (;;) list.add(new long[1]);
            } catch (OutOfMemoryError e) {
                caught++;
                list = null;
            }
        }
        System.out.println("java.lang.OutOfMemoryError " + caught);
    }

    static final Own MADE = new Own();
    static Object[] last;
    static volatile int begun, ended, all;
    static volatile boolean full;

    static int throwing() {
        int n = 0;
        for (int i = 0; i < 300; i++)
            try {
                throw MADE;
            } catch (Own e) {
                n++;
            }
        return n;
    }

    static synchronized void done(int n) {
        all += n;
        ended++;
    }

    /** Threads throw for the first time while the heap is full. */
    static void threads() throws Exception {
        for (int i = 0; i < 20; i++)
            new Thread() {
                @Override
                public void run() {
                    begun();
                    while (!full) Thread.yield();
                    done(throwing());
                }
            }.start();
        done(throwing());
        while (begun < 20) Thread.yield();
        for (int length = 1 << 16; length > 0; length /= 2)
            try {
                for (;;) {
                    Object[] next = new Object[length];
                    next[0] = last;
                    last = next;
                }
            } catch (OutOfMemoryError e) {
                caught++;
            }
        full = true;
        while (ended < 21) Thread.yield();
        last = null;
        System.out.println("ThrowsFirst$Own " + all);
    }

    static synchronized void begun() {
        begun++;
    }

    static int deepest, handled;

    static void descend(int n) {
        deepest = n;
        try {
            descend(n + 1);
        } catch (StackOverflowError e) {
            if (handled == 0) handled = n;
        }
    }

    /** The stack is exhausted: the innermost frame catches. */
    static void stack() {
        descend(1);
        System.out.println("innermost " + (handled == deepest));
    }

    /** The class loader refuses what it does not know. */
    static void loader() throws Exception {
        for (Throwable refusal : new Throwable[] {
            new IllegalStateException(), new OutOfMemoryError(), new NoClassDefFoundError(), new ClassNotFoundException()
        }) {
            Runnable body = (Runnable) new Refusing(refusal).loadClass("ThrowsFirst$Body").getConstructor().newInstance();
            body.run();
        }
    }

    static class Refusing extends ClassLoader {
        private final Throwable refusal;

        Refusing(Throwable refusal) {
            super(null);
            this.refusal = refusal;
        }

        @SuppressWarnings("unchecked")
        private static <T extends Throwable> T raise(Throwable thrown) throws T {
            throw (T) thrown;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            throw new ClassNotFoundException(name);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("java.lang.Instr") || name.startsWith("instr.")) throw Refusing.<RuntimeException>raise(refusal);
            if (!name.startsWith("ThrowsFirst")) return super.loadClass(name, resolve);
            Class<?> found = findLoadedClass(name);
            if (found != null) return found;
            try (InputStream in = ThrowsFirst.class.getResourceAsStream(name + ".class")) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                for (int b; (b = in.read()) >= 0; ) out.write(b);
                return defineClass(name, out.toByteArray(), 0, out.size());
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    /** Each kind of handler, each throw, and exceptions that leave methods and constructors. */
    public static class Body implements Runnable {
        Body inner;
        int seen;

        public Body() {}

        Body(int i) {
            this(i < 0 ? new Body() : fails(i));
        }

        Body(Body inner) {
            this.inner = inner;
        }

        static Body fails(int i) {
            if (i == 0) throw new Own();
            return i > 1 ? new Body(new int[i - i]) : null;
        }

        Body(int[] array) {
            seen = array[1];
        }

        void cleans(int i) {
            try {
                fails(i);
            } finally {
                seen++;
            }
        }

        synchronized void locks(int i) {
            synchronized (Body.class) {
                cleans(i);
            }
        }

        void chooses(int i) {
            seen += i > 5 ? i : Integer.parseInt(String.valueOf(fails(i)));
        }

        @Override
        public void run() {
            for (int i = 0; i < 4; i++)
                try {
                    if (i % 2 == 0) locks(i);
                    else if (i == 1) chooses(i);
                    else new Body(i);
                    seen += 100;
                } catch (Own e) {
                    seen += 1000;
                } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
                    seen += 10000;
                }
            System.out.println("seen " + seen);
        }
    }

    public static void main(String[] args) throws Exception {
        ThrowsFirst.class.getDeclaredMethod(args[0]).invoke(null);
    }
}
