/** For each line read: calls of all kinds, a fixed number of times. Constructors that fail at every place, recursion, exceptions. */
public class Sorts {
    static class Base {
        final int value;

        Base(int value) {
            if (value % 5 == 1) throw new IllegalArgumentException(); // out of super(), for those below
            this.value = value;
        }
    }

    static class Derived extends Base {
        Derived(int value) {
            super(check(value));
            if (value % 5 == 3) throw new IllegalStateException(); // behind super()
        }

        Derived(String text) {
            this(Integer.parseInt(text));
        }

        static int check(int value) {
            if (value % 5 == 2) throw new ArithmeticException(); // before super()
            return value;
        }
    }

    static int depth(int n) {
        if (n == 0) throw new UnsupportedOperationException();
        return depth(n - 1) + 1;
    }

    static int several(int n) {
        if (n % 3 == 0) return 1;
        for (int i = 0; i < n; i++)
            if (i == 7) return 2;
        return 3;
    }

    synchronized long wide(long a, double b) {
        return a + (long) b;
    }

    static int round() {
        int sum = 0;
        Sorts sorts = new Sorts();
        for (int i = 0; i < 20; i++) {
            try {
                sum += i % 2 == 0 ? new Derived(i).value : new Derived("" + i).value;
            } catch (RuntimeException e) {
                sum += 100;
            }
            try {
                depth(3);
            } catch (UnsupportedOperationException e) {
                sum += several(i);
            }
            sum += (int) sorts.wide(i, 2.5);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        while (in.readLine() != null) System.out.println("sum " + round());
    }
}
