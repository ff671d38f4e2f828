package cases;

/**
 * A stack overflow is caught, again and again, and counting goes on exactly afterwards. How deep it goes is not
 * known, so the deep methods are checked for order of magnitude only.
 */
public class StackOverflow {
    static int depth;

    //= down(I)I >=5000 >=5000
    static int down(int x) {
        depth++;
        return down(x + 1) + 1;
    }

    //= inTry(I)I >=100 *
    static int inTry(int x) {
        depth++;
        try {
            return inTry(x + 1);
        } finally {
            depth--;
        }
    }

    //= exact(I)I 12345 2469
    static int exact(int i) {
        if (i % 5 == 0)
            throw new IllegalArgumentException();
        return i;
    }

    //= trial(Z)Z 41 0
    static boolean trial(boolean withFinally) {
        depth = 0;
        try {
            if (withFinally)
                inTry(0);
            else
                down(0);
            return false;
        } catch (StackOverflowError e) {
            // What inserted code does when it has no stack itself shall not take it once more.
            return !e.getStackTrace()[0].getClassName().equals("java.lang.InstrFailure");
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 40; i++)
            System.out.println(trial(false) + " " + (depth > 1000));
        System.out.println(trial(true) + " " + (depth > -100000));
        long sum = 0;
        for (int i = 0; i < 12345; i++)
            try {
                sum += exact(i);
            } catch (IllegalArgumentException e) {
                sum--;
            }
        System.out.println(sum);
    }
}
