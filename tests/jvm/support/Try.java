package support;

/** Prints what a piece of code returns or throws. Not in package cases, so that no case expects its calls. */
public final class Try {
    public interface Body {
        Object run() throws Throwable;
    }

    public interface IntBody {
        Object run(int x) throws Throwable;
    }

    private Try() {}

    public static void show(String what, Body body) {
        String result;
        try {
            result = String.valueOf(body.run());
        } catch (Throwable t) {
            result = t.toString();
        }
        System.out.println(what + ": " + result);
    }

    /** Runs the body for each of the numbers, and prints one line. */
    public static void each(String what, IntBody body, int... numbers) {
        StringBuilder line = new StringBuilder(what).append(':');
        for (int x : numbers) {
            line.append(' ');
            try {
                line.append(body.run(x));
            } catch (Throwable t) {
                line.append(t.getClass().getSimpleName());
                if (t instanceof LinkageError)
                    line.append(' ').append(t.getMessage());
            }
        }
        System.out.println(line);
    }
}
