/** For each line, "take" or "release": asks sampler.c for the capability to sample allocations, or to give it back. */
public class Sampling {
    static native int sample(boolean take);

    static volatile Object kept;

    public static void main(String[] args) throws Exception {
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            for (int i = 0; i < 1000; i++)
                kept = new byte[1024];
            System.out.println(sample(line.equals("take")));
        }
    }
}
