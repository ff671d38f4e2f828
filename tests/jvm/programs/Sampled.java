import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/** As Waiting. For the line "fill" it allocates 60,000 objects at as many different stacks of 250 frames, and keeps them. */
public class Sampled {
    static final class Kept {
        long a, b;
    }

    static final List<Object> KEPT = new ArrayList<>();
    static volatile Object latest;

    static void one(int path, int depth) {
        descend(path, depth);
    }

    static void other(int path, int depth) {
        descend(path, depth);
    }

    static void descend(int path, int depth) {
        if (depth == 0) KEPT.add(new Kept());
        else if ((path >> depth % 16 & 1) == 0) one(path, depth - 1);
        else other(path, depth - 1);
    }

    static void fill() {
        for (int i = 0; i < 16; i++) latest = new byte[1 << 20]; // until the thread has its first sample
        for (int i = 0; i < 60_000; i++) descend(i, 120);
    }

    public static void main(String[] args) throws Exception {
        Waiting.round();
        System.out.println("ready " + Waiting.sum);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("fill")) {
                fill();
                System.out.println("filled");
                continue;
            }
            Waiting.round();
            System.out.println("round " + Waiting.sum);
        }
        System.out.println("end");
    }
}
