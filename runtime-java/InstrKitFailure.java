package java.lang;

import instr.runtime.InstrNative;

/** What an advice has thrown (instr/kit/bridge.h). */
public final class InstrKitFailure {
    private static final int DROP = 0, RETHROW = 1, OFF = 2;

    /** What was noted, the last first. */
    private static InstrKitNote notes;

    private InstrKitFailure() {}

    /**
     * Says what becomes of an exception of an advice. The first of a bridge is reported; `before` is the number of
     * earlier ones. Callers drop what this method throws: without stack or memory nothing can be said.
     */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static int failed(Throwable thrown, int before, String advice, Class<?> bridge) {
        // By its name: newer JDKs do not have the class.
        if (thrown.getClass().getName().equals("java.lang.ThreadDeath")) return RETHROW;
        boolean links = thrown instanceof LinkageError;
        if (before == 0 || links) {
            say(links ? unlinked(thrown, advice, bridge) : dropped(thrown, advice));
            note(bridge, what(thrown) + (links ? found(thrown, bridge) : ""));
        }
        return links ? OFF : DROP;
    }

    /**
     * What an advice has given in place of a value of another type: the first is reported, `before` is the number of
     * earlier failures. Nothing is thrown.
     */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    public static void wrong(Object value, int before, String advice, Class<?> bridge) {
        if (before != 0) return;
        try {
            String type = value == null ? "null" : value.getClass().getName();
            say("advice " + advice + " replaces a value by one of another type, " + type + ", which is dropped");
            note(bridge, "a value of another type, " + type + ", which is dropped");
        } catch (Throwable full) {
            // without stack or memory nothing can be said
        }
    }

    private static void say(String text) {
        InstrNative.say(text);
    }

    /** The last failure of a bridge that was reported, or why it is off, for `instr kits`; null: none is known. */
    static synchronized String of(Class<?> bridge) {
        InstrKitNote note = notes;
        while (note != null && note.get() != bridge) note = note.next;
        return note == null ? null : note.text;
    }

    private static void note(Class<?> bridge, String text) {
        add(bridge, new InstrKitNote(bridge, text));
    }

    /** Takes the place of an earlier one, and of those of classes that are gone. With the monitor held nothing is called that may be advised. */
    private static synchronized void add(Class<?> bridge, InstrKitNote added) {
        InstrKitNote last = added;
        for (InstrKitNote note = notes; note != null; note = note.next) {
            Object of = note.get();
            if (of == null || of == bridge) continue;
            last.next = note;
            last = note;
        }
        last.next = null;
        notes = added;
    }

    private static String dropped(Throwable thrown, String advice) {
        return "advice " + advice + " has thrown an exception, which is dropped: " + what(thrown);
    }

    private static String unlinked(Throwable thrown, String advice, Class<?> bridge) {
        Throwable cause = thrown.getCause();
        if (thrown instanceof ExceptionInInitializerError && cause != null)
            return "advice " + advice + " is switched off for these classes, since a static initializer has thrown: " + what(cause);
        return "advice " + advice + " does not fit these classes and is switched off for them: " + what(thrown) + found(thrown, bridge)
                + "; 'instr kit check' finds all that does not fit";
    }

    private static String what(Throwable thrown) {
        StackTraceElement[] frames = thrown.getStackTrace();
        return frames.length == 0 ? thrown.toString() : thrown + " (in " + method(frames[0]) + ')';
    }

    /** What is there instead of what the advice wants: "" where that cannot be found out. */
    private static String found(Throwable thrown, Class<?> bridge) {
        try {
            ClassLoader loader = bridge.getClassLoader();
            if (thrown instanceof NoClassDefFoundError)
                return loader == null ? "" : "; " + loader.getClass().getName() + " does not find it";
            String member = member(thrown);
            int dot = member == null ? -1 : member.lastIndexOf('.');
            return dot < 0 ? "" : there(Class.forName(member.substring(0, dot), false, loader), member.substring(dot + 1));
        } catch (Throwable denied) {
            return "";
        }
    }

    /** "com.acme.Shop.stock" of the messages of all JDKs; null: the error is not about a method. */
    private static String member(Throwable thrown) {
        String message = thrown.getMessage();
        int end = message == null ? -1 : message.indexOf('('), start = end;
        while (start > 0 && " '".indexOf(message.charAt(start - 1)) < 0) start--;
        return end < 0 ? null : message.substring(start, end);
    }

    private static String there(Class<?> owner, String name) {
        StringBuilder text = new StringBuilder("; ").append(owner.getName());
        java.security.CodeSource source = owner.getProtectionDomain().getCodeSource();
        if (source != null) text.append(" of ").append(source.getLocation());
        Package folder = owner.getPackage();
        String version = folder == null ? null : folder.getImplementationVersion();
        if (version != null) text.append(", version ").append(version).append(',');
        String joint = " has '";
        for (java.lang.reflect.Method method : owner.getDeclaredMethods()) {
            if (!method.getName().equals(name)) continue;
            text.append(joint).append(method).append('\'');
            joint = ", '";
        }
        if (joint.equals(" has '")) text.append(" has no ").append(name);
        return text.toString();
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
