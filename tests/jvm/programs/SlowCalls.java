/** 300 threads whose calls of `work` take 300 ms each, and so go on for a while after anything has happened. Ends at the end of standard input. */
public class SlowCalls {
    static int work(int i) throws InterruptedException {
        Thread.sleep(300);
        return i + 1;
    }

    static void repeat(int i) {
        try {
            Thread.sleep(i);
            for (;;) i = work(i);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 300; i++) {
            int first = i;
            Thread thread = new Thread(() -> repeat(first));
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        while (System.in.read() >= 0);
    }
}
