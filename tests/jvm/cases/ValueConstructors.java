package cases;

/**
 * Value classes (preview in JDK 28) whose constructors branch, loop, switch and catch before super(): the stack map
 * frames there list the strict fields that are not set yet (frame type 246), and a frame without a list inherits that
 * of the frame before it.
 */
public class ValueConstructors {
    /** Several fields, set in different orders on different ways. */
    static value class Many {
        final int a;
        final long b;
        final String c;
        final double d;
        final Object e;

        //= $Many.<init>(I)V 12 2
        Many(int kind) {
            Object last = null;
            if (kind % 2 == 0) {
                a = kind;
                if (kind % 3 == 0) {
                    c = "six";
                    b = Long.MAX_VALUE;
                } else {
                    b = kind * 2L;
                    c = kind > 7 ? "big" : "small";
                }
                d = kind < 5 ? 0.5 : kind / 3.0;
            } else {
                switch (kind) {
                    case 1:
                        c = "one";
                        break;
                    case 3:
                    case 5:
                        last = "odd";
                        c = "three or five";
                        break;
                    case 7:
                        throw new IllegalArgumentException("seven");
                    default:
                        c = String.valueOf(kind);
                }
                d = -1;
                b = c.length();
                a = (int) b + (last == null ? 0 : 1);
            }
            if (kind == 10)
                throw new IllegalStateException("ten of " + c);
            e = last;
            super();
        }

        //= $Many.toString()Ljava/lang/String; 10 0
        @Override
        public String toString() {
            return a + " " + b + " " + c + " " + d + " " + e;
        }
    }

    /** Loops before, between and after the fields. */
    static value class Looped {
        final int sum;
        final int product;

        //= $Looped.<init>([I)V 4 1
        Looped(int[] values) {
            int n = 0;
            for (int v : values)
                n += v;
            sum = n;
            long p = 1;
            int i = 0;
            while (true) {
                if (i >= values.length)
                    break;
                p *= values[i++];
                if (p > 1000)
                    throw new ArithmeticException("too much");
            }
            product = (int) p;
            do {
                i--;
            } while (i > 0);
            super();
            for (int v : values)
                if (v == product)
                    System.out.print("itself ");
        }
    }

    /** A try before super(), in which fields are set or not. */
    static value class Parsed {
        final boolean good;
        final int number;
        final String text;

        //= $Parsed.<init>(Ljava/lang/String;)V 5 1
        Parsed(String s) {
            text = s;
            int n;
            boolean ok;
            try {
                n = Integer.parseInt(s);
                ok = true;
            } catch (NumberFormatException e) {
                n = s.length();
                ok = false;
            } finally {
                System.out.print("[" + s + "]");
            }
            number = n;
            good = ok && n > 0;
            super();
        }

        //= $Parsed.<init>(I)V 2 0
        Parsed(int n) {
            this(n < 10 ? "0" + n : Integer.toString(n));
            if (n == 77)
                System.out.print("lucky ");
        }
    }

    /** A subclass of an abstract value class, both with fields; arguments of super() are branches. */
    static abstract value class Base {
        final int base;

        //= $Base.<init>(I)V 4 0
        Base(int b) {
            if (b > 5)
                base = b;
            else
                base = -b;
            super();
        }
    }

    static value class Derived extends Base {
        final byte small;
        final char letter;

        //= $Derived.<init>(IZ)V 4 0
        Derived(int n, boolean up) {
            small = (byte) (n > 100 ? 100 : n);
            letter = switch (n) {
                case 0 -> 'z';
                case 1, 2 -> up ? 'A' : 'a';
                default -> {
                    if (up)
                        yield 'X';
                    yield 'x';
                }
            };
            super(up ? n + 1 : n - 1);
        }
    }

    value record Checked(int low, int high) {
        //= $Checked.toString()Ljava/lang/String; 3 0
        //= $Checked.<init>(II)V 5 2
        Checked {
            if (low > high) {
                int t = low;
                low = high;
                high = t;
            }
            if (low < 0)
                throw new IllegalArgumentException(low < -10 ? "far below" : "below");
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 12; i++)
            try {
                System.out.println(new Many(i));
            } catch (IllegalArgumentException | IllegalStateException e) {
                System.out.println(e.getMessage());
            }
        int[][] lists = {{}, {6}, {1, 2, 3}, {50, 60, 70}};
        for (int[] list : lists)
            try {
                Looped l = new Looped(list);
                System.out.println(l.sum + " " + l.product);
            } catch (ArithmeticException e) {
                System.out.println(e.getMessage());
            }
        for (String s : new String[] {"12", "x", null})
            try {
                Parsed p = s == null ? new Parsed(77) : new Parsed(s);
                System.out.println(p.good + " " + p.number + " " + p.text);
            } catch (RuntimeException e) {
                System.out.println(e.getMessage());
            }
        try {
            new Parsed((String) null);
        } catch (NullPointerException e) {
            System.out.println("null");
        }
        System.out.println(new Parsed(7).text);
        for (int i = 0; i < 4; i++) {
            Derived d = new Derived(i, i % 2 == 0);
            System.out.println(d.base + " " + d.small + " " + d.letter);
        }
        int[][] pairs = {{1, 2}, {4, 3}, {-1, 5}, {5, -20}, {0, 0}};
        for (int[] p : pairs)
            try {
                System.out.println(new Checked(p[0], p[1]));
            } catch (IllegalArgumentException e) {
                System.out.println(e.getMessage());
            }
    }
}
