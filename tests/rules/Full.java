/** Calls look() with a full heap, and prints how often that threw an error. */
public class Full {
    static int look(int number, String text) {
        return number + text.length();
    }

    /** Nothing is left, not even for the smallest object. */
    private static Object[] fill() {
        Object[] all = new Object[1 << 16];
        int size = 1 << 20, count = 0;
        while (size > 8) {
            try {
                all[count] = new byte[size];
                count++;
            } catch (OutOfMemoryError full) {
                size /= 2;
            }
        }
        return all;
    }

    public static void main(String[] args) {
        String text = "text", other = "other";
        int failed = 0, sum = look(1, text);
        Object[] all = fill();
        for (int i = 0; i < 20; i++) {
            try {
                sum += look(1000 + i, other);
            } catch (OutOfMemoryError thrown) {
                failed++;
            }
        }
        int kept = all.length;
        all = null;
        System.out.println(failed + " of " + kept + ": " + sum);
    }
}
