package cases;

/** Exceptions through several frames, from callees only, from the VM itself, with their stack traces. */
public class Exceptions {
    //= three(I)V 20 11
    static void three(int i) {
        if (i % 2 == 0)
            throw new IllegalStateException("level three, " + i);
    }

    //= two(I)V 20 11
    static void two(int i) {
        three(i);
    }

    //= one(I)V 20 11
    static void one(int i) {
        two(i);
    }

    //= parse(Ljava/lang/String;)I 4 2
    static int parse(String s) {
        return Integer.parseInt(s);
    }

    //= vm(I)Ljava/lang/Object; 9 9
    static Object vm(int kind) {
        Object o = "text";
        int[] a = new int[2];
        switch (kind) {
            case 0: return a[kind + 2];
            case 1: return 1 / (kind - 1);
            case 2: return (Integer) o;
            case 3: return ((Object[]) null).length;
            case 4: return new int[kind - 5];
            case 5: return 1L % (kind - 5L);
            case 6: ((Object[]) new String[1])[0] = kind; return null;
            case 7: o = null; synchronized (o) { return o; }
            default: return new long[Integer.MAX_VALUE];
        }
    }

    //= wrap(I)V 2 2
    static void wrap(int i) throws Exception {
        try {
            one(i);
        } catch (IllegalStateException e) {
            throw new Exception("wrapped", e);
        }
    }

    //= filter(I)I 3 1
    static int filter(int i) {
        try {
            vm(i);
            return 0;
        } catch (ArithmeticException | ClassCastException e) {
            return i;
        }
    }

    //= trace(Ljava/lang/Throwable;)V 12 0
    static void trace(Throwable t) {
        for (; t != null; t = t.getCause()) {
            System.out.println(t);
            for (StackTraceElement e : t.getStackTrace())
                if (e.getClassName().startsWith("cases."))
                    System.out.println("  " + e);
        }
    }

    public static void main(String[] args) {
        int caught = 0;
        for (int i = 0; i < 18; i++)
            try {
                one(i);
            } catch (IllegalStateException e) {
                caught++;
                if (i == 4)
                    trace(e);
            }
        System.out.println(caught);
        for (String s : new String[] {"1", "x", "3", ""})
            try {
                System.out.println(parse(s));
            } catch (NumberFormatException e) {
                System.out.println(e.getMessage());
            }
        for (int i = 0; i < 6; i++)
            try {
                vm(i == 5 ? 8 : i < 3 ? i + 5 : i);
            } catch (Throwable t) {
                trace(t);
            }
        for (int i = 0; i < 3; i++)
            try {
                System.out.println(filter(i));
            } catch (RuntimeException e) {
                trace(e);
            }
        for (int i = 0; i < 4; i += 2)
            try {
                wrap(i);
            } catch (Exception e) {
                trace(e);
            }
        trace(new Throwable("here"));
        trace(new Error(new RuntimeException("cause")));
    }
}
