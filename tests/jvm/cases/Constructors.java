package cases;

/** Delegate calls, their arguments and constructor bodies that throw; this() chains; nested creation. */
public class Constructors {
    static class Base {
        final int value;

        //= $Base.<init>(I)V 14 2
        Base(int value) {
            if (value < 0)
                throw new IllegalArgumentException("negative " + value);
            this.value = value;
        }
    }

    static class Sub extends Base {
        int initialised = mark("field");

        //= $Sub.<init>(I)V 7 2
        Sub(int value) {
            super(value);
            initialised++;
        }

        //= $Sub.<init>(II)V 5 3
        Sub(int a, int b) {
            this(check(a) + b);
            if (a == b)
                throw new IllegalStateException("body " + a);
        }

        //= $Sub.<init>()V 1 0
        Sub() {
            super(new Base(7).value + new Base(1).value);
        }

        //= $Sub.<init>(Ljava/lang/String;)V 1 0
        Sub(String text) {
            this(text.length(), 1);
        }

        //= $Sub.check(I)I 5 1
        static int check(int a) {
            if (a == 99)
                throw new ArithmeticException("argument");
            return a;
        }
    }

    static class Failing extends Base {
        int later;

        //= $Failing.<init>(Z)V 4 2
        Failing(boolean fail) {
            super(1 << 3);
            try {
                if (fail)
                    throw new RuntimeException("in try");
                later = 1;
            } catch (IllegalStateException e) {
                later = 2;
            } finally {
                later += 10;
            }
        }
    }

    //= mark(Ljava/lang/String;)I 6 0
    static int mark(String what) {
        return what.length();
    }

    interface Maker {
        Object make();
    }

    //= show(Ljava/lang/String;Lcases/Constructors$Maker;)V 9 0
    static void show(String what, Maker maker) {
        try {
            Object made = maker.make();
            System.out.println(what + ": " + ((Base) made).value);
        } catch (RuntimeException e) {
            System.out.println(what + ": " + e);
        }
    }

    //= lambda$main$* 9 4
    public static void main(String[] args) {
        show("plain", () -> new Sub(5));
        show("super throws", () -> new Sub(-5));
        show("this() throws", () -> new Sub(-4, 1));
        show("argument throws", () -> new Sub(99, 1));
        show("body throws", () -> new Sub(3, 3));
        show("both", () -> new Sub(2, 4));
        show("nested", () -> new Sub());
        show("chain", () -> new Sub("four"));
        show("array", () -> new Base[] {new Sub(1)}[0]);
        for (boolean fail : new boolean[] {true, false, true, false})
            try {
                System.out.println(new Failing(fail).later);
            } catch (RuntimeException e) {
                System.out.println(e.getMessage());
            }
    }
}
