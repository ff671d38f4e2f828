/** Fractions in conditions, and constructors that change an argument or fail before super(). */
public class Edges extends Number {
    Edges(int n, double d) {
        super(checked(n = n + 1) + (long) (d = 7));
    }

    static int checked(int n) {
        if (n < 0) throw new IllegalArgumentException();
        return n;
    }

    static double compared(float f, double d) {
        return f + d;
    }

    public static void main(String[] args) {
        double[] values = {-1.5, -0.5, -0.0, 0, 0.5, 1, 1.5, Double.NaN};
        for (double value : values) compared((float) value, value);
        for (int n = -3; n < 3; n++) {
            try {
                new Edges(n, n + 0.5);
            } catch (IllegalArgumentException expected) {
                // of -3 and -2
            }
        }
        System.out.println(checked(5));
    }
}

class Number {
    final long value;

    Number(long value) {
        this.value = value;
    }
}
