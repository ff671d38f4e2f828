package java.lang;

/**
 * Called by the wrappers of native methods of classes that are loaded before the runtime is defined, in this order:
 * enter, whose result is `saved`; clock, whose result is `start`; at the end exit or thrown. Wrappers in later classes
 * call InstrTiming.
 *
 * <p>Wrappers of JDK methods run before the other classes of the runtime can be defined, and before System.nanoTime can
 * be called. Until then nothing is counted.
 */
public final class InstrNatives {
    /** Result of enter while nothing is counted; InstrTiming.enter never returns it. */
    static final long OFF = 2;

    /** The start of the prefix of wrapped methods; the name of the pass and another dollar sign follow. */
    static final String PREFIX = "instr$";

    /** Set by the agent when the runtime is defined. */
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
     * The error for a native method without an implementation names the method with its prefix. Returns the same error
     * with the name that the application knows; null: this is another error.
     */
    private static UnsatisfiedLinkError named(Throwable thrown) {
        try {
            String message = thrown.getMessage();
            StackTraceElement[] trace = thrown.getStackTrace();
            if (message == null || prefix(message, 0) < 0) return null;
            // Other passes and agents may have wrapped the method, too.
            int first = 0;
            while (first < trace.length && prefix(trace[first].getMethodName(), 0) >= 0) first++;
            if (first == 0) return null;
            UnsatisfiedLinkError named = new UnsatisfiedLinkError(without(message));
            StackTraceElement[] rest = new StackTraceElement[trace.length - first];
            System.arraycopy(trace, first, rest, 0, rest.length);
            named.setStackTrace(rest);
            return named;
        } catch (Throwable dropped) {
            InstrFailure.drop(dropped); // not enough stack or memory is left: the error stays as it is
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

    /** The index of the next prefix of a pass in the name, or -1. */
    private static int prefix(String name, int from) {
        int at = name.indexOf(PREFIX, from);
        while (at >= 0 && end(name, at) < 0) at = name.indexOf(PREFIX, at + 1);
        return at;
    }

    /** The end of the prefix at this index, or -1: it is not a prefix. */
    private static int end(String name, int at) {
        int i = at + PREFIX.length();
        while (i < name.length() && name.charAt(i) >= 'a' && name.charAt(i) <= 'z') i++;
        return i > at + PREFIX.length() && i < name.length() && name.charAt(i) == '$' ? i + 1 : -1;
    }
}
