/** The tests give Limited.next less stack than it needs, so that a JVM that verifies it refuses the class. */
public class Unverifiable {
    static class Limited {
        static int next(int i) {
            return i + 1;
        }

        static int same(int i) {
            return i;
        }
    }

    public static void main(String[] args) {
        try {
            System.out.println(Limited.same(6) + Limited.next(6));
        } catch (VerifyError e) {
            System.out.println("refused");
        }
    }
}
