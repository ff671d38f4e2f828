/** Methods that the plug-in `early` leaves at their entry. */
public class Early {
    final String name;

    Early(String name) {
        this.name = name;
    }

    static int number(int n) {
        return n + 1;
    }

    static long large(String s, long n) {
        return n + 1;
    }

    static float half(double d, float f) {
        return f;
    }

    double twice(int i, double d) {
        return d;
    }

    String text(Object o) {
        return "text";
    }

    int[] array(byte b) {
        return new int[b];
    }

    static boolean always() {
        return true;
    }

    static void prints(int n) {
        for (int i = 0; i < n; i++) System.out.println("printed " + n);
    }

    static int throwsOnly(int n) {
        throw new IllegalStateException();
    }

    static synchronized int locked(int n) {
        return n;
    }

    static int twoReasons(int a, int b) {
        return a < b ? -1 : 1;
    }

    public static void main(String[] args) {
        Early e = new Early("x");
        for (int i = 2; i <= 5; i++) {
            System.out.println(number(i) + " " + large("", i) + " " + half(i, i + 0.5f) + " " + e.twice(0, i) + " " + e.text(i < 4 ? e : null)
                    + " " + (e.array((byte) i) != null) + " " + always() + " " + locked(i) + " " + twoReasons(i, 3) + " " + e.name);
            prints(i - 2);
            try {
                System.out.println("left " + throwsOnly(i));
            } catch (IllegalStateException expected) {
                System.out.println("thrown");
            }
        }
    }
}
