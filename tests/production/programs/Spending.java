import java.lang.management.ManagementFactory;
import java.util.Scanner;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A thread that works as the last line says: "work" calls a method of some hundred nanoseconds all the time, "rest" does so a few times a second,
 * "throw" has it throw each time. Each line is answered with the calls so far and the CPU time of the process.
 */
public class Spending {
    static final AtomicLong calls = new AtomicLong();
    static volatile String mode = "rest";
    static volatile long sink;

    static long part(long x, boolean fails) {
        for (int i = 0; i < 200; i++) x = x * 31 + (x >>> 7);
        if (fails) throw new IllegalStateException();
        return x;
    }

    static class Seldom {
        static long called(long x) {
            return x + 1;
        }
    }

    static void run() {
        long x = 1;
        while (true) {
            String now = mode;
            int n = now.equals("rest") ? 1 : 1000;
            for (int i = 0; i < n; i++)
                try {
                    x = part(x, now.equals("throw"));
                } catch (IllegalStateException e) {
                    x++;
                }
            sink = Seldom.called(x);
            calls.addAndGet(n);
            if (n == 1)
                try {
                    Thread.sleep(50);
                } catch (InterruptedException e) {
                    return;
                }
        }
    }

    public static void main(String[] args) {
        Thread worker = new Thread(Spending::run);
        worker.setDaemon(true);
        worker.start();
        com.sun.management.OperatingSystemMXBean system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        System.out.println("ready");
        for (Scanner in = new Scanner(System.in); in.hasNextLine();) {
            String line = in.nextLine();
            if (!line.isEmpty()) mode = line;
            System.out.println(calls.get() + " " + system.getProcessCpuTime());
        }
    }
}
