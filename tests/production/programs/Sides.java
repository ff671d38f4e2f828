import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * For each line read from standard input: calls left 7 and right 3 times, which both call the shared method, and
 * replies with its own counts of all calls so far.
 */
public class Sides {
    static class Shared {
        static long calls, thrown;

        static void meet(int i) {
            calls++;
            if (i == 2) {
                thrown++;
                throw new IllegalStateException();
            }
        }
    }

    static class Left {
        static long calls;

        static void left(int i) {
            calls++;
            try {
                Shared.meet(i);
            } catch (IllegalStateException e) {
                calls += 0;
            }
        }
    }

    static class Right {
        static long calls;

        static void right(int i) {
            calls++;
            try {
                Shared.meet(i);
            } catch (IllegalStateException e) {
                calls += 0;
            }
        }
    }

    static class Clock {
        static long spent;

        /** Two milliseconds, by its own clock, without a call of another method of the program. */
        static void spin() {
            long start = System.nanoTime(), now = start;
            while (now - start < 2000000)
                now = System.nanoTime();
            spent += now - start;
        }
    }

    static void round() {
        Clock.spin();
        for (int i = 0; i < 7; i++)
            Left.left(i);
        for (int i = 0; i < 3; i++)
            Right.right(i);
    }

    public static void main(String[] args) throws Exception {
        round();
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        while (in.readLine() != null) {
            round();
            System.out.println(Left.calls + " " + Right.calls + " " + Shared.calls + " " + Shared.thrown + " " + Clock.spent);
        }
    }
}
