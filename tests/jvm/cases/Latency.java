package cases;

/** Durations that are known from below: totals, self time, extremes and percentiles have to fit. */
public class Latency {
    //= pause(I)V 51 1
    static void pause(int ms) throws InterruptedException {
        if (ms < 0)
            throw new IllegalArgumentException();
        Thread.sleep(ms);
    }

    // 45 short ones and 5 long ones: the median is short, the 99th percentile is long
    //= mixed(I)V 50 0 total_ns>=490e6 self_ns<=200e6 min_ns>=2e6 max_ns>=80e6 p50_ns>=1.96e6 p50_ns<=70e6 p99_ns>=78e6
    static void mixed(int i) throws InterruptedException {
        pause(i % 10 == 0 ? 80 : 2);
    }

    //= busy(J)J 3 0 self_ns>=29e6 total_ns>=29e6 min_ns>=9.8e6
    static long busy(long ns) {
        long end = System.nanoTime() + ns, n = 0;
        while (System.nanoTime() < end)
            n++;
        return n;
    }

    //= recursive(I)V 5 0 max_ns>=20e6 self_ns<=20e6
    static void recursive(int n) {
        if (n > 0)
            recursive(n - 1);
        else
            busy(20000000);
    }

    // its callee's exception ends it; the time until then is its own
    //= failing()V 1 1 self_ns>=9.8e6
    static void failing() throws InterruptedException {
        long end = System.nanoTime() + 10000000;
        while (System.nanoTime() < end) {
        }
        pause(-1);
    }

    //= main([Ljava/lang/String;)V 1 0 total_ns>=520e6 self_ns<=400e6
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 50; i++)
            mixed(i);
        busy(10000000);
        busy(10000000);
        recursive(4);
        try {
            failing();
        } catch (IllegalArgumentException e) {
            System.out.println("failed");
        }
        System.out.println("done");
    }
}
