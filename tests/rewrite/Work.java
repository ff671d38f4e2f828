package work;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Calls, exceptions, constructors and threads whose numbers are the same in each run. */
public class Work {
    static class Base {
        final int n;

        Base(int n) {
            if (n % 4 == 3) throw new IllegalArgumentException("three");
            this.n = n;
        }
    }

    static class Derived extends Base {
        Derived(int n) {
            super(n);
            if (n % 4 == 2) throw new IllegalStateException("two");
        }

        Derived() {
            this(5);
        }
    }

    interface Shape {
        default int area() {
            return side() * side();
        }

        int side();
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static int deep(int n) {
        try {
            if (n == 0) throw new RuntimeException("bottom");
            return deep(n - 1);
        } finally {
            if (n == 50) fib(3);
        }
    }

    static synchronized long locked(long a, double b, Object... more) {
        return a + (long) b + more.length;
    }

    public static int sum() throws Exception {
        int sum = fib(15), bad = 0;
        for (int i = 0; i < 40; i++) {
            try {
                sum += new Derived(i).n + new Derived().n;
            } catch (IllegalArgumentException | IllegalStateException e) {
                bad++;
            }
        }
        try {
            deep(100);
        } catch (RuntimeException e) {
            bad += 1000;
        }
        final List<Integer> parts = new ArrayList<Integer>();
        List<Thread> threads = new ArrayList<Thread>();
        IntUnaryOperator twice = x -> fib(x) * 2;
        for (int i = 0; i < 150; i++) {
            final int n = i;
            Thread thread = new Thread(() -> {
                int r = twice.applyAsInt(n % 12);
                for (int k = 0; k < 1000; k++) r += locked(k, 0.5) > 500 ? 1 : 0;
                synchronized (parts) {
                    parts.add(r);
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) thread.join();
        for (int part : parts) sum += part;
        Shape shape = () -> 7;
        return sum + bad + shape.area();
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("sum " + sum() + " " + Version.text());
    }
}
