import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.function.IntConsumer;

/** As Waiting, whose `work` it calls through a capturing lambda. Prints the lambda's class to standard error. */
public class Lambdas {
    static void round(IntConsumer work) {
        for (int i = 0; i < 10; i++)
            try {
                work.accept(i);
            } catch (IllegalStateException e) {
                Waiting.sum += 1000;
            }
    }

    public static void main(String[] args) throws Exception {
        int none = args.length;
        IntConsumer work = i -> Waiting.work(i + none);
        round(work);
        System.err.println(work.getClass().getName());
        System.out.println("ready " + Waiting.sum);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        while (in.readLine() != null) {
            round(work);
            System.out.println("round " + Waiting.sum);
        }
        System.out.println("end");
    }
}
