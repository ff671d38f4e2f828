package cases;

/** Statements before super() and this(): branches, loops, handlers, early exits by exception. */
public class FlexibleConstructors {
    static class Base {
        final String seen;

        //= $Base.<init>(I)V 13 2
        Base(int x) {
            if (x == 13)
                throw new IllegalStateException("thirteen");
            seen = describe() + x;
        }

        //= $Base.describe()Ljava/lang/String; 7 0
        String describe() {
            return "base";
        }
    }

    static class Early extends Base {
        final String early;
        final long number;

        //= $Early.<init>(I)V 7 3
        Early(int x) {
            long n = 0;
            for (int i = 0; i < x; i++)
                n += i * (long) i;
            String s;
            try {
                s = x == 3 ? Integer.toString(Integer.parseInt("no")) : "x" + x;
            } catch (NumberFormatException e) {
                s = "caught";
            }
            if (x == 5)
                throw new IllegalArgumentException("five");
            switch (x) {
                case 6 -> n = -6;
                case 7 -> throw new UnsupportedOperationException("seven");
                default -> n++;
            }
            early = s;
            number = n;
            super(x);
            System.out.println(early + number + seen);
        }

        //= $Early.describe()Ljava/lang/String; 4 0
        @Override
        String describe() {
            return "early:" + early + number + ":";
        }
    }

    static final Object LOCK = new Object();

    static class Delegating extends Base {
        final int n;

        //= $Delegating.<init>(Ljava/lang/String;)V 4 3
        Delegating(String s) {
            int n;
            synchronized (LOCK) {
                n = s.length();
            }
            if (n == 0)
                try {
                    throw new Exception("empty");
                } catch (Exception e) {
                    n = e.getMessage().length() - 4;
                } finally {
                    n++;
                }
            Base local = new Base(n + 100);
            this(local, n);
            if (n == 4)
                throw new IllegalStateException("after");
        }

        //= $Delegating.<init>(Lcases/FlexibleConstructors$Base;I)V 4 2
        Delegating(Base b, int n) {
            if (b.seen.length() > 7 && n == 3)
                throw new Error("unused");
            if (n == 5)
                throw new Error("five " + b.seen);
            this.n = n;
            super(n == 1 ? 13 : n);
        }
    }

    class Inner extends Base {
        final int copy;

        //= $Inner.<init>(Lcases/FlexibleConstructors;Z)V 2 1
        Inner(boolean fail) {
            if (fail && outer == 42)
                throw new IllegalStateException("inner");
            copy = outer;
            super(outer);
        }
    }

    //= <init>()V 1 0
    int outer = 42;

    //= <clinit>()V 1 0
    public static void main(String[] args) {
        for (int x : new int[] {0, 3, 5, 6, 7, 13, 20})
            try {
                System.out.println(new Early(x).seen);
            } catch (RuntimeException e) {
                System.out.println(e + " " + e.getStackTrace()[0].getMethodName());
            }
        for (String s : new String[] {"", "a", "four", "fives"})
            try {
                System.out.println(new Delegating(s).seen);
            } catch (RuntimeException | Error e) {
                System.out.println(e);
            }
        FlexibleConstructors f = new FlexibleConstructors();
        System.out.println(f.new Inner(false).copy);
        try {
            f.new Inner(true);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
    }
}
