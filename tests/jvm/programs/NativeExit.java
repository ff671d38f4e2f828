import java.util.ArrayList;
import java.util.List;

/** Calls work() 25 times and ends without the JVM's shutdown: with "full" because the heap is full, else by exit() in C. */
public class NativeExit {
    static final List<byte[]> HELD = new ArrayList<>();

    static native void exit(int status, boolean ownThread);

    static int work(int n) {
        return n * n;
    }

    static void fill() {
        while (true) HELD.add(new byte[100_000]);
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 25; i++) sum += work(i);
        System.out.println(sum);
        if (args[0].equals("full")) fill();
        System.load(args[1]);
        exit(5, args[0].equals("own"));
    }
}
