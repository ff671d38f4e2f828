package cases;

import java.util.function.IntUnaryOperator;

/** Methods that the JVM compiles, and loops that it replaces on the stack: with monitors, handlers, switches, many exits. */
public class Hot {
    static final int CALLS = 20_000, ROUNDS = 300_000;
    private static final Object LOCK = new Object(), OTHER = new Object();
    private static int closed;
    private int field;

    //= loopFirst(I)I 20000 0
    static int loopFirst(int n) {
        int sum = 0;
        synchronized (LOCK) {
            while (n > 0) {
                sum += n;
                n -= 3;
            }
        }
        return sum;
    }

    //= switchInside(I)I 20000 0
    static int switchInside(int n) {
        int sum = 0;
        synchronized (LOCK) {
            switch (n & 7) {
            case 0:
                sum += 5;
            case 1:
                sum++;
                break;
            case 3:
                sum += 2;
            default:
                sum += 7;
            }
            sum += n;
        }
        return sum;
    }

    //= manyExits(I)I 20000 0
    static int manyExits(int n) {
        synchronized (LOCK) {
            if (n % 10 == 1)
                return 1;
            for (int i = 0; i < n % 10; i++)
                if (i == 7)
                    return i;
            try {
                if (n % 10 == 2)
                    throw new IllegalStateException();
                if (n % 10 == 3)
                    return 3;
            } catch (IllegalStateException e) {
                return 9;
            } finally {
                n++;
            }
        }
        return n;
    }

    //= nested(I)I 20000 0
    static int nested(int n) {
        synchronized (LOCK) {
            do {
                synchronized (OTHER) {
                    while (n > 5)
                        n -= 5;
                }
                n--;
            } while (n > 3);
        }
        return n;
    }

    //= finallyInside(I)I 20000 0
    static int finallyInside(int n) {
        int sum = 0;
        synchronized (LOCK) {
            try {
                sum = Integer.parseInt(n % 500 == 0 ? "x" : "1");
            } catch (NumberFormatException e) {
                sum = -1;
            } finally {
                sum += n;
            }
        }
        return sum;
    }

    //= lockInFinally(I)I 20000 40
    static int lockInFinally(int n) {
        try {
            if (n % 500 == 0)
                throw new IllegalStateException();
            return n;
        } finally {
            synchronized (LOCK) {
                while (n > 4)
                    n -= 4;
            }
        }
    }

    //= throwing(I)V 20000 80
    static void throwing(int n) {
        synchronized (LOCK) {
            for (int i = 0; i < 3; i++)
                if (i + n % 500 == 1)
                    throw new IllegalStateException();
        }
    }

    //= caught(I)I 20000 0
    static int caught(int n) {
        try {
            throwing(n);
            return 0;
        } catch (IllegalStateException e) {
            synchronized (LOCK) {
                return n > 5 ? 1 : 2;
            }
        }
    }

    //= allocating(I)Ljava/lang/Object; 20000 0
    static synchronized Object allocating(int n) {
        Object last = null;
        synchronized (LOCK) {
            for (int i = 0; i < n % 3; i++)
                last = new int[i];
            return last == null ? new Object() : last;
        }
    }

    //= <init>(I)V 20001 0
    Hot(int n) {
        synchronized (this) {
            while (n-- > 0)
                field += n;
        }
    }

    //= instance(I)I 20000 0
    synchronized int instance(int n) {
        while (n-- > 0)
            field ^= n;
        return field;
    }

    //= strings(Ljava/lang/String;)I 20000 0
    static int strings(String s) {
        switch (s) {
        case "a":
        case "b":
            return 1;
        case "c":
            return 2;
        default:
            return 3;
        }
    }

    //= resources(I)I 20000 0
    static int resources(int n) throws Exception {
        synchronized (LOCK) {
            try (AutoCloseable c = () -> LOCK.hashCode()) {
                while (n > 10)
                    n /= 2;
                return n;
            }
        }
    }

    // Each of the following is called once.

    //= close()V * 0
    static void close() {
        closed++;
    }

    //= callsInFinally(I)I 20000 0
    static int callsInFinally(int n) {
        // javac's handler covers its own store of the exception, into a local above 3.
        long a = n, b = a;
        int sum = 0;
        try {
            for (int i = 0; i < 4; i++)
                sum += i ^ (int) b;
        } finally {
            do
                close();
            while (closed % 3 != 0);
        }
        return sum;
    }

    //= callInFinally(I)I 20000 40
    static int callInFinally(int n) {
        long a = n, b = a;
        try {
            while (n > 9)
                n -= 10;
            if (b % 500 == 0)
                throw new IllegalStateException();
        } finally {
            try {
                close();
            } catch (IllegalStateException never) {
                n++;
            }
        }
        return n;
    }

    //= plainLoop()I 1 0
    static int plainLoop() {
        int sum = 0;
        for (int i = 0; i < ROUNDS; i++)
            sum += i % 7 == 0 ? 1 : i;
        return sum;
    }

    //= switchLoop()I 1 0
    static int switchLoop() {
        int sum = 0;
        for (int i = 0; i < ROUNDS; i++)
            switch (i & 3) {
            case 0:
                sum++;
            case 1:
                sum += 2;
                break;
            case 2:
                continue;
            default:
            }
        return sum;
    }

    //= lockedLoop()I 1 0
    static int lockedLoop() {
        int sum = 0;
        synchronized (LOCK) {
            for (int i = 0; i < ROUNDS; i++)
                sum += i & 3;
        }
        return sum;
    }

    //= lockingLoop()I 1 0
    static int lockingLoop() {
        int sum = 0;
        for (int i = 0; i < ROUNDS; i++)
            synchronized (LOCK) {
                while (sum < i)
                    sum += 3;
            }
        return sum;
    }

    //= tryingLoop()I 1 0
    static int tryingLoop() {
        int sum = 0;
        for (int i = 0; i < ROUNDS; i++)
            try {
                if (i % 1000 == 0)
                    throw new IllegalStateException();
                if (i % 3 == 0)
                    continue;
                sum++;
            } catch (IllegalStateException e) {
                sum += 2;
            } finally {
                sum += 3;
            }
        return sum;
    }

    //= manyExitsOfALoop()I 1 0
    static int manyExitsOfALoop() {
        for (int i = 0;; i++) {
            if (i == ROUNDS)
                return i;
            if (i < 0)
                return -1;
            if (i > 2 * ROUNDS)
                throw new IllegalStateException();
        }
    }

    //= <clinit>()V 1 0
    //= lambda$resources$* 20000 0
    //= lambda$main$* 20000 0
    //= OtherLocks.scala(Ljava/lang/Object;I)I 40000 200
    //= OtherLocks.kotlin(Ljava/lang/Object;I)I 20000 0
    //= StackedSwitch.loop(I)I 1 0
    public static void main(String[] args) throws Exception {
        IntUnaryOperator lambda = n -> {
            synchronized (LOCK) {
                while (n > 1)
                    n /= 2;
            }
            return n;
        };
        long sum = 0;
        Hot hot = new Hot(0);
        for (int i = 0; i < CALLS; i++) {
            int n = i % 100;
            sum += loopFirst(n) + switchInside(i) + manyExits(i) + nested(n) + finallyInside(i) + caught(i);
            sum += allocating(i).hashCode() == i ? 1 : 0;
            sum += new Hot(n).field + hot.instance(n) + strings(n % 5 == 0 ? "a" : n % 3 == 0 ? "c" : "d") + resources(n);
            sum += lambda.applyAsInt(n);
            sum += OtherLocks.scala(LOCK, n) + OtherLocks.kotlin(LOCK, n);
            sum += callsInFinally(n);
            try {
                sum += lockInFinally(i);
            } catch (IllegalStateException e) {
                sum += 100;
            }
            try {
                sum += callInFinally(i);
            } catch (IllegalStateException e) {
                sum += 1000;
            }
            try {
                OtherLocks.scala(LOCK, i % 100 - 1);
            } catch (ArithmeticException e) {
                sum += 200;
            }
        }
        sum += plainLoop() + switchLoop() + lockedLoop() + lockingLoop() + tryingLoop() + manyExitsOfALoop();
        sum += StackedSwitch.loop(ROUNDS);
        System.out.println(sum);
    }
}
