package cases;

/** Direct, mutual and deep recursion. */
public class Recursion {
    //= fib(I)I 21891 0
    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    //= even(I)Z 501 0
    static boolean even(int n) {
        return n == 0 || odd(n - 1);
    }

    //= odd(I)Z 500 0
    static boolean odd(int n) {
        return n != 0 && even(n - 1);
    }

    //= deep(IJ)J 3001 0
    static long deep(int n, long acc) {
        if (n == 0)
            return acc;
        return deep(n - 1, acc + n);
    }

    //= fall(I)V 1001 1001
    static void fall(int n) {
        if (n == 0)
            throw new IllegalStateException("bottom");
        fall(n - 1);
    }

    //= half(I)I 101 50
    static int half(int n) {
        if (n == 0)
            throw new IllegalStateException("bottom");
        try {
            return half(n - 1);
        } catch (IllegalStateException e) {
            if (n >= 50)
                return n;
            throw e;
        }
    }

    public static void main(String[] args) {
        System.out.println(fib(20));
        System.out.println(even(1000));
        System.out.println(deep(3000, 0));
        try {
            fall(1000);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(half(100));
    }
}
