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

    /** How what is in front of the names of wrapped methods begins; behind it are the pass and one more dollar sign. */
    static final String PREFIX = "instr$";

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
            if (message == null || prefix(message, 0) < 0) return null;
            // Other passes, and other agents, may have wrapped, too.
            int first = 0;
            while (first < trace.length && prefix(trace[first].getMethodName(), 0) >= 0) first++;
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
        for (int at = prefix(message, 0); at >= 0; at = prefix(message, from)) {
            result.append(message, from, at);
            from = end(message, at);
        }
        return result.append(message, from, message.length()).toString();
    }

    /** Where the next prefix of a pass is in the name, or -1. */
    private static int prefix(String name, int from) {
        int at = name.indexOf(PREFIX, from);
        while (at >= 0 && end(name, at) < 0) at = name.indexOf(PREFIX, at + 1);
        return at;
    }

    /** Where what begins like a prefix ends, or -1: it is none. */
    private static int end(String name, int at) {
        int i = at + PREFIX.length();
        while (i < name.length() && name.charAt(i) >= 'a' && name.charAt(i) <= 'z') i++;
        return i > at + PREFIX.length() && i < name.length() && name.charAt(i) == '$' ? i + 1 : -1;
    }
}
