/** Runs loops without safepoints for a second or two each, with -XX:+UseSerialGC, and a method between them. */
public class Stalls {
    static int sum;

    static void between() {
        sum++;
    }

    static int loop(int n) {
        int x = sum;
        for (int i = 0; i < n; i++) x = x * 31 + i;
        return x;
    }

    public static void main(String[] args) {
        for (int i = 0; i < 20000; i++) sum += loop(100);
        System.out.println("ready");
        while (true) {
            sum += loop(2_000_000_000);
            between();
        }
    }
}
