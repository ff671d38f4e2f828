import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * For each number read from standard input: so many new loaders define Made, which is called once in each, and are dropped; replies with the
 * number of all calls. 0 collects what was dropped.
 */
public class Coming {
    public static int calls;

    public static class Made implements Runnable {
        public void run() {
            calls++;
        }
    }

    public static void main(String[] args) throws Exception {
        byte[] bytes = SingleLoader.read("Coming$Made");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; System.out.println(calls)) {
            int count = Integer.parseInt(line);
            for (int i = 0; i < count; i++) ((Runnable) new SingleLoader("Coming$Made", bytes).define().newInstance()).run();
            if (count == 0) System.gc();
        }
    }
}
