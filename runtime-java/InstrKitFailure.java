package java.lang;

import instr.runtime.InstrNative;

/** What an advice has thrown (instr/kit/bridge.h). */
public final class InstrKitFailure {
    private static final int DROP = 0, RETHROW = 1, OFF = 2;

    private InstrKitFailure() {}

    /**
     * Says what becomes of an exception of an advice. The first of a bridge is reported; `before` is the number of
     * earlier ones. Callers drop what this method throws: without stack or memory nothing can be said.
     */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static int failed(Throwable thrown, int before, String advice) {
        // By its name: newer JDKs do not have the class.
        if (thrown.getClass().getName().equals("java.lang.ThreadDeath")) return RETHROW;
        boolean links = thrown instanceof LinkageError;
        if (before == 0 || links) InstrNative.say(line(thrown, links, advice));
        return links ? OFF : DROP;
    }

    private static String line(Throwable thrown, boolean links, String advice) {
        StackTraceElement[] frames = thrown.getStackTrace();
        StringBuilder line = new StringBuilder("advice ").append(advice);
        if (links) line.append(" does not fit these classes and is switched off for them: ");
        else line.append(" has thrown an exception, which is dropped: ");
        line.append(thrown.getClass().getName());
        String message = thrown.getMessage();
        if (message != null) line.append(": ").append(message);
        if (frames.length > 0) line.append(" (in ").append(method(frames[0])).append(')');
        return line.toString();
    }

    /** Without what the agent has changed in the name of the class: its package, and what is behind its name. */
    private static String method(StackTraceElement frame) {
        String name = frame.getClassName();
        int end = name.indexOf("$$instr$");
        if (end >= 0) name = name.substring(name.lastIndexOf('.', end) + 1, end);
        String text = name + '.' + frame.getMethodName();
        return frame.getLineNumber() < 0 ? text : text + ", line " + frame.getLineNumber();
    }
}
