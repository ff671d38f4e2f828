/** Loads thousands of classes of the JDK, and writes the bytecodes of all methods for each line it reads. */
public class Many {
    /** Writes a line to the file for each method of each class, with a digest of GetBytecodes. Returns their number. */
    static native int tell(String file);

    static int work(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += Integer.bitCount(i * 31);
        return sum;
    }

    /** Nanoseconds for a fixed amount of compiled work. */
    static long speed() {
        long best = Long.MAX_VALUE;
        for (int k = 0; k < 40; k++) {
            long start = System.nanoTime();
            int sum = 0; // used, or compilers remove everything
            for (int i = 0; i < 2000; i++) sum += work(100 + (i & 1));
            if (sum == 42) System.out.print("");
            best = Math.min(best, System.nanoTime() - start);
        }
        return best;
    }

    public static void main(String[] args) throws Exception {
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        int loaded = 0;
        for (String line; !(line = in.readLine()).isEmpty(); )
            try {
                Class.forName(line, false, ClassLoader.getSystemClassLoader()).getDeclaredMethods(); // which links it
                loaded++;
            } catch (Throwable absent) {
                // Not in this JDK.
            }
        System.out.println("loaded " + loaded);
        for (String line; (line = in.readLine()) != null; ) {
            if (line.equals("speed")) System.out.println("speed " + speed());
            else if (line.equals("floor")) System.out.println("floor " + Floor.tell("*", 500));
            else System.out.println("methods " + tell(line));
        }
    }
}
