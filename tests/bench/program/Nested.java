import java.util.Arrays;

/**
 * Ten nested calls that do nothing, the innermost one but for reading the clock: two million times, of which the second
 * million counts. Prints the median in nanoseconds. (The workload of the benchmark MooBench, with recursion depth 10 and method
 * time 0.)
 */
public final class Nested {
    private Nested() {}

    static long nested(int depth) {
        if (depth > 1) return nested(depth - 1);
        return System.nanoTime();
    }

    public static void main(String[] args) {
        long[] times = new long[2000000];
        long sum = 0;
        for (int i = 0; i < times.length; i++) {
            long start = System.nanoTime();
            sum += nested(10);
            times[i] = System.nanoTime() - start;
        }
        Arrays.sort(times, times.length / 2, times.length);
        System.out.println("median " + times[times.length * 3 / 4] + (sum == 0 ? "!" : ""));
    }
}
