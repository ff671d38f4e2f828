import java.io.BufferedReader;
import java.io.InputStreamReader;

/** For each line read from standard input: calls `work` ten times and replies. Ends at the end of the input. */
public class Waiting {
    static int sum;

    static void work(int i) {
        if (i == 3)
            throw new IllegalStateException();
        sum += i;
    }

    static void round() {
        for (int i = 0; i < 10; i++)
            try {
                work(i);
            } catch (IllegalStateException e) {
                sum += 1000;
            }
    }

    public static void main(String[] args) throws Exception {
        round();
        System.out.println("ready " + sum);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        while (in.readLine() != null) {
            round();
            System.out.println("round " + sum);
        }
        System.out.println("end");
    }
}
