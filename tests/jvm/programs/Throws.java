import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Exceptions in all possible ways. The lines that throw hold what the pass exceptions must report:
 *
 *     //! EXCEPTION COUNT METHOD        caught in the method of this class
 *     //! EXCEPTION COUNT left          left its thread
 *     //! EXCEPTION COUNT elsewhere     caught by the JDK
 *
 * with semicolons between several. COUNT may be a product. Lines that begin with //@ name the place, too:
 *
 *     //@ CLASS.METHOD EXCEPTION COUNT METHOD
 */
public class Throws {
    /** An exception whose methods must not be called. */
    static class Odd extends RuntimeException {
        Odd() {
            super("odd", null, false, false);
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            throw new AssertionError();
        }

        @Override
        public int hashCode() {
            throw new AssertionError();
        }

        @Override
        public boolean equals(Object other) {
            throw new AssertionError();
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new AssertionError();
        }

        @Override
        public String getMessage() {
            throw new AssertionError();
        }

        @Override
        public synchronized Throwable getCause() {
            throw new AssertionError();
        }

        @Override
        public String toString() {
            throw new AssertionError();
        }
    }

    static class A extends Exception {}

    static class B extends RuntimeException {}

    static class C extends RuntimeException {
        C(Throwable cause) {
            super(cause);
        }
    }

    static final B FIXED = new B();
    static final Object LOCK = new Object();
    static int sink;

    static void emptyHandler() {
        for (int i = 0; i < 7; i++)
            try {
                throw new B(); //! Throws$B 7 emptyHandler
            } catch (B swallowed) {
            }
    }

    static void inLoops() {
        int i = 0;
        while (i < 9) {
            try {
                if (i++ % 3 == 0) throw new A(); //! Throws$A 3 inLoops
                if (i == 5) continue;
            } catch (A a) {
                continue;
            }
            sink++;
        }
    }

    static void passes(int depth) throws A {
        try {
            try {
                if (depth == 0) throw new A(); //! Throws$A 1 finallyBlocks
                passes(depth - 1);
            } finally {
                sink++;
            }
        } finally {
            synchronized (LOCK) {
                sink += harmless();
            }
        }
    }

    static void finallyBlocks() {
        try {
            passes(3);
        } catch (A a) {
            sink++;
        }
    }

    /** Throws and catches an exception while another exception is in flight. */
    static int harmless() {
        try {
            throw new B(); //! Throws$B 4 harmless
        } catch (B b) {
            return 1;
        }
    }

    static void inSynchronized() {
        for (int i = 0; i < 2; i++)
            try {
                synchronized (LOCK) {
                    synchronized (FIXED) {
                        throw new B(); //! Throws$B 2 inSynchronized
                    }
                }
            } catch (B b) {
                sink++;
            }
    }

    static synchronized void isSynchronized() throws A {
        throw new A(); //! Throws$A 1 synchronizedMethod
    }

    static void synchronizedMethod() {
        try {
            isSynchronized();
        } catch (A a) {
            sink++;
        }
    }

    static class Resource implements AutoCloseable {
        final boolean bad;

        Resource(boolean bad) {
            this.bad = bad;
        }

        @Override
        public void close() throws IOException {
            if (bad) throw new IOException(); //! java.io.IOException 2 resources ; java.io.IOException 1 closes
        }
    }

    static void resources() throws A {
        try (Resource one = new Resource(true);
                Resource two = new Resource(false);
                Resource three = new Resource(true)) {
            throw new A(); //! Throws$A 1 withResources
        } catch (IOException notThis) {
            sink++;
        }
    }

    static void withResources() {
        try {
            resources();
        } catch (A a) {
            System.out.println("suppressed: " + a.getSuppressed().length);
        }
    }

    static void closes() {
        try (Resource one = new Resource(true)) {
            sink++;
        } catch (IOException e) {
            sink++;
        }
    }

    @SuppressWarnings("finally")
    static int finallySwallows() {
        for (int i = 0; i < 100; i++)
            try {
                throw FIXED; //! Throws$B 100 finallySwallows
            } finally {
                continue;
            }
        return 1;
    }

    @SuppressWarnings("finally")
    static void finallyReplaces() {
        try {
            try {
                throw new A(); //! Throws$A 1 finallyReplaces
            } finally {
                throw new B(); //! Throws$B 1 finallyReplaces
            }
        } catch (B b) {
            sink++;
        }
    }

    static void thrownTwice() {
        B b = new B();
        try {
            throw b; //! Throws$B 1 thrownTwice
        } catch (B caught) {
            sink++;
        }
        try {
            throw b; //! Throws$B 1 thrownTwice
        } catch (B caught) {
            sink++;
        }
    }

    static void caughtAndThrownOn() {
        try {
            try {
                throw new B(); //! Throws$B 1 caughtAndThrownOn
            } catch (B b) {
                throw b; //! Throws$B 1 caughtAndThrownOn
            }
        } catch (B b) {
            sink++;
        }
    }

    static void causes() {
        try {
            try {
                throw new A(); //! Throws$A 1 causes
            } catch (A a) {
                throw new C(a); //! Throws$C 1 causes
            }
        } catch (C c) {
            sink++;
        }
    }

    static void nothing() {
        try {
            throw null; //! java.lang.NullPointerException 1 nothing
        } catch (NullPointerException e) {
            sink++;
        }
    }

    static int length(Object[] array) {
        return array.length; //! java.lang.NullPointerException 3 byTheVm ; java.lang.NullPointerException 1 left
    }

    static int divide(int a) {
        return 1 / a; //! java.lang.ArithmeticException 3 byTheVm
    }

    static void byTheVm() {
        for (int i = 0; i < 3; i++) {
            try {
                sink += length(null);
            } catch (NullPointerException e) {
                sink++;
            }
            try {
                sink += divide(0);
            } catch (ArithmeticException e) {
                sink++;
            }
            try {
                sink += new int[1].clone()[i + 1]; //! java.lang.ArrayIndexOutOfBoundsException 3 byTheVm
            } catch (ArrayIndexOutOfBoundsException e) {
                sink++;
            }
            Object o = "text";
            try {
                sink += (Integer) o; //! java.lang.ClassCastException 3 byTheVm
            } catch (ClassCastException e) {
                sink++;
            }
        }
    }

    //@ java.lang.NumberFormatException.forInputString java.lang.NumberFormatException 2 byTheJdk
    static void byTheJdk() {
        for (int i = 0; i < 2; i++)
            try {
                sink += Integer.parseInt("x");
            } catch (NumberFormatException e) {
                sink++;
            }
    }

    static void odd() {
        for (int i = 0; i < 4; i++)
            try {
                throw new Odd(); //! Throws$Odd 4 odd
            } catch (Odd e) {
                sink++;
            }
    }

    static int fails() {
        throw new B(); //! Throws$B 2 constructors
    }

    static class Base {
        Base(int n) {
            if (n == 1) throw new C(null); //! Throws$C 1 constructors
        }
    }

    static class Derived extends Base {
        Derived(boolean early) {
            super(early ? fails() : 1);
        }

        Derived() {
            super(2);
            sink += fails();
        }
    }

    static void constructors() {
        try {
            new Derived(true);
        } catch (B b) {
            sink++;
        }
        try {
            new Derived(false);
        } catch (C c) {
            sink++;
        }
        try {
            new Derived();
        } catch (B b) {
            sink++;
        }
    }

    static void throughTheJdk() {
        List<Integer> list = new ArrayList<Integer>(Arrays.asList(1, 2, 3));
        try {
            list.forEach(n -> {
                if (n == 2) throw new B(); //! Throws$B 1 throughTheJdk
            });
        } catch (B b) {
            sink++;
        }
    }

    public static void reflected() throws A {
        throw new A(); //! Throws$A 1 elsewhere
    }

    //@ *.invoke* java.lang.reflect.InvocationTargetException 1 reflection
    static void reflection() throws Exception {
        try {
            Throws.class.getMethod("reflected").invoke(null);
        } catch (InvocationTargetException e) {
            sink++;
        }
    }

    //@ java.util.concurrent.FutureTask.report java.util.concurrent.ExecutionException 1 tasks
    static void tasks() throws Exception {
        FutureTask<String> task = new FutureTask<String>(() -> {
            throw new IOException(); //! java.io.IOException 1 elsewhere
        });
        task.run();
        try {
            task.get();
        } catch (ExecutionException e) {
            sink++;
        }
    }

    static void start(Runnable body) throws InterruptedException {
        Thread thread = new Thread(body);
        thread.setUncaughtExceptionHandler((t, e) -> sink++);
        thread.start();
        thread.join();
    }

    static void uncaught() throws Exception {
        start(() -> {
            throw new B(); //! Throws$B 1 left
        });
        start(() -> sink += length(null));
    }

    static class Bad {
        static {
            if (sink >= 0) throw new B(); //! Throws$B 1 elsewhere
        }
    }

    //@ Throws.initializer java.lang.ExceptionInInitializerError 1 initializer
    static void initializer() {
        try {
            new Bad();
        } catch (ExceptionInInitializerError e) {
            sink++;
        }
    }

    static final int THREADS = 16, TIMES = 500;

    static void manyThreads() throws Exception {
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int k = 0; k < TIMES; k++)
                    try {
                        if (k % 2 == 0) throw new A(); //! Throws$A 16*250 lambda$manyThreads
                        deeper(k);
                    } catch (A a) {
                    } catch (B b) {
                    }
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
    }

    static void deeper(int k) {
        try {
            if (k % 2 == 1) throw new B(); //! Throws$B 16*250 lambda$manyThreads
        } finally {
            harmlessToo();
        }
    }

    static void harmlessToo() {
        try {
            throw FIXED; //! Throws$B 16*250 harmlessToo
        } catch (B b) {
        }
    }

    /** A caught exception can be collected, and so can its class. */
    static void collected() throws Exception {
        List<WeakReference<Throwable>> thrown = new ArrayList<WeakReference<Throwable>>();
        for (int i = 0; i < 50; i++)
            try {
                throw new B(); //! Throws$B 50 collected
            } catch (B b) {
                thrown.add(new WeakReference<Throwable>(b));
            }
        FutureTask<String> task = new FutureTask<String>(() -> {
            B b = new B();
            thrown.add(new WeakReference<Throwable>(b));
            throw b; //! Throws$B 1 elsewhere
        });
        task.run();
        task = null;
        int left = 1;
        for (int i = 0; i < 50 && left > 0; i++) {
            System.gc();
            left = 0;
            for (WeakReference<Throwable> reference : thrown) if (reference.get() != null) left++;
            if (left > 0) Thread.sleep(20);
        }
        System.out.println("kept: " + left);
    }

    public static void main(String[] args) throws Exception {
        emptyHandler();
        inLoops();
        finallyBlocks();
        inSynchronized();
        synchronizedMethod();
        withResources();
        closes();
        finallySwallows();
        finallyReplaces();
        thrownTwice();
        caughtAndThrownOn();
        causes();
        nothing();
        byTheVm();
        byTheJdk();
        odd();
        constructors();
        throughTheJdk();
        reflection();
        tasks();
        uncaught();
        initializer();
        manyThreads();
        collected();
        System.out.println(sink);
        throw new A(); //! Throws$A 1 left
    }
}
