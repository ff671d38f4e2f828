/** Passes numbers to methods for histograms of rules: even ones from 0 to 1, whole ones, and some that are far from others. */
public class Numbers {
    static void fraction(double n) {}

    static void whole(int n, Object same) {}

    static void far(double n) {}

    public static void main(String[] args) {
        for (int i = 0; i < 1000; i++) fraction((i + 0.5) / 1000);
        for (int i = 1; i <= 1000; i++) whole(i, i);
        for (double n : new double[] {0, Double.NaN, Double.MIN_VALUE, 1e-300, 1e300, Double.POSITIVE_INFINITY, -1e300, -0.0, Long.MAX_VALUE, Long.MIN_VALUE}) far(n);
    }
}
