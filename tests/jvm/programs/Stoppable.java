import java.util.Scanner;

/** For each line on standard input starts 500 threads that call work, stops them, and prints how many have ended. */
public final class Stoppable {
    private static volatile int last;

    static int work(int n) {
        return n + 1;
    }

    @SuppressWarnings({"deprecation", "removal"})
    public static void main(String[] args) throws Exception {
        Scanner lines = new Scanner(System.in, "UTF-8");
        System.out.println("ready");
        while (lines.hasNextLine()) {
            lines.nextLine();
            int ended = 0;
            for (; ended < 500; ended++) {
                Thread thread = new Thread(() -> {
                    while (true) last = work(last);
                });
                thread.setDaemon(true);
                thread.setUncaughtExceptionHandler((t, e) -> { });
                thread.start();
                Thread.sleep(1);
                thread.stop();
                thread.join(5000);
                if (thread.isAlive()) break;
            }
            System.out.println("ended " + ended);
        }
    }
}
