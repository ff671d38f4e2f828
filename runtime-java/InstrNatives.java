package java.lang;

/**
 * Called by the wrappers of native methods of classes that are loaded before the runtime is there, in this order: enter,
 * whose result is `saved`; clock, which is `start`; at the end exit or thrown. Later ones call InstrTiming, but for thrown.
 *
 * <p>Wrappers of the JDK's own methods run before the other classes of the runtime can be there, and before
 * System.nanoTime can be called. Until then nothing is counted.
 */
public final class InstrNatives {
    /** What enter returns as long as nothing is counted; it is never what InstrTiming.enter returns. */
    static final long OFF = 2;

    /** In front of the names of wrapped methods. */
    static final String PREFIX = "instr$natives$";

    /** Set by the agent, once the runtime is there. */
    static boolean on;

    private InstrNatives() {}

    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    public static long enter(int id) {
        return on ? InstrTiming.enter(id) : OFF;
    }

    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    public static long clock() {
        return on ? System.nanoTime() : 0;
    }

    /** The method returns. */
    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    public static void exit(long start, long saved, int id) {
        if (saved != OFF) InstrTiming.exit(start, saved, id);
    }

    /** An exception leaves the method. */
    public static void thrown(Throwable thrown, long start, long saved, int id) {
        if (saved != OFF) InstrTiming.thrown(start, saved, id);
        if (thrown instanceof UnsatisfiedLinkError) {
            UnsatisfiedLinkError named = named(thrown);
            if (named != null) throw named;
        }
    }

    /**
     * When a native method has no code, the error names it as the JVM sees it: with the prefix. Gives the same error
     * with the name that the application knows; null: this is another error.
     */
    private static UnsatisfiedLinkError named(Throwable thrown) {
        try {
            String message = thrown.getMessage();
            StackTraceElement[] trace = thrown.getStackTrace();
            if (message == null || message.indexOf(PREFIX) < 0) return null;
            // Other agents may have wrapped, too.
            int first = 0;
            while (first < trace.length && trace[first].getMethodName().indexOf(PREFIX) >= 0) first++;
            if (first == 0) return null;
            UnsatisfiedLinkError named = new UnsatisfiedLinkError(without(message));
            StackTraceElement[] rest = new StackTraceElement[trace.length - first];
            System.arraycopy(trace, first, rest, 0, rest.length);
            named.setStackTrace(rest);
            return named;
        } catch (Throwable nevermind) {
            // Too little stack or memory is left: it stays as it is.
            return null;
        }
    }

    private static String without(String message) {
        StringBuilder result = new StringBuilder();
        int from = 0;
        for (int at = message.indexOf(PREFIX); at >= 0; at = message.indexOf(PREFIX, from)) {
            result.append(message, from, at);
            from = at + PREFIX.length();
        }
        return result.append(message, from, message.length()).toString();
    }
}
