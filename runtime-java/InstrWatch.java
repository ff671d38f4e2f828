package java.lang;

import instr.runtime.InstrWatchNative;

/**
 * Called by code that the watch pass inserted. Arguments and results are converted to text at once, because objects
 * change, and without calling toString() or any other method of the application. No exception leaves this class.
 */
public final class InstrWatch {
    /** Maximum numbers of characters of a string and frames of a stack that are shown. */
    private static final int CHARACTERS = 100, FRAMES = 64;

    /** A client is watching. This and the next four fields are set by instr/passes/watch/watch.c. */
    static volatile boolean on;

    /** Filters: report only calls that took at least so long (nanoseconds), or that threw; report stacks. */
    static volatile long slower;

    static volatile boolean onlyThrown, stacks;

    /** The number of this watch: calls that began under another watch are not reported. */
    static volatile long number;

    /** The calls so far, those that no filter lets through included; threads may lose some. For max-overhead=. */
    static long calls;

    /** The threads that are in this class, which may call methods that are watched themselves. */
    private static final long[] BUSY = new long[256];

    private InstrWatch() {}

    /** Receives arguments when there is no memory for them. */
    private static final Object[] NOWHERE = new Object[256];

    /** An array for arguments. */
    public static Object[] arguments(int count) {
        try {
            if (on) return new Object[count];
        } catch (VirtualMachineError nevermind) {
            // Not enough memory is left.
        }
        return NOWHERE;
    }

    public static Object enter(int id, Object[] arguments) {
        if (arguments == NOWHERE) forget(arguments);
        long watch = number; // read before `on`, because it is set before `on`
        if (!on || arguments == NOWHERE) return null;
        calls++;
        int slot = begin();
        if (slot < 0) return null;
        InstrWatchCall call = null;
        try {
            String[] texts = new String[arguments.length];
            for (int i = 0; i < texts.length; i++) texts[i] = text(arguments[i]);
            call = new InstrWatchCall(id, watch, texts);
        } catch (Throwable failed) {
            fail(failed, slot);
        }
        BUSY[slot] = 0;
        if (call != null) call.start = System.nanoTime();
        return call;
    }

    // Boxes an argument or a result; null if this class is the caller. The inserted code does not call valueOf itself:
    // if valueOf were watched, it would call itself forever.
    public static Object box(boolean value) {
        return box('Z', value ? 1 : 0);
    }

    public static Object box(byte value) {
        return box('B', value);
    }

    public static Object box(char value) {
        return box('C', value);
    }

    public static Object box(short value) {
        return box('S', value);
    }

    public static Object box(int value) {
        return box('I', value);
    }

    public static Object box(long value) {
        return box('J', value);
    }

    public static Object box(float value) {
        int slot = on ? begin() : -1;
        Object made = null;
        try {
            if (slot >= 0) made = value;
        } catch (Throwable failed) {
            fail(failed, slot);
        }
        if (slot >= 0) BUSY[slot] = 0;
        return made;
    }

    public static Object box(double value) {
        int slot = on ? begin() : -1;
        Object made = null;
        try {
            if (slot >= 0) made = value;
        } catch (Throwable failed) {
            fail(failed, slot);
        }
        if (slot >= 0) BUSY[slot] = 0;
        return made;
    }

    private static Object box(char type, long value) {
        int slot = on ? begin() : -1;
        Object made = null;
        try {
            if (slot >= 0) made = boxed(type, value);
        } catch (Throwable failed) {
            fail(failed, slot);
        }
        if (slot >= 0) BUSY[slot] = 0;
        return made;
    }

    private static Object boxed(char type, long value) {
        switch (type) {
            case 'Z': return value != 0;
            case 'B': return (byte) value;
            case 'C': return (char) value;
            case 'S': return (short) value;
            case 'I': return (int) value;
            default: return value;
        }
    }

    private static void forget(Object[] arguments) {
        for (int i = 0; i < arguments.length; i++) arguments[i] = null;
    }

    /** `result` is `call` if the method returns nothing. */
    public static void exit(Object result, Object call) {
        if (call != null) end(result == call ? null : result, result != call, (InstrWatchCall) call, 0);
    }

    public static void thrown(Throwable exception, Object call) {
        if (call != null) end(exception, true, (InstrWatchCall) call, 1);
    }

    private static void end(Object result, boolean some, InstrWatchCall call, int end) {
        long duration = System.nanoTime() - call.start;
        if (!on || call.watch != number || duration < slower || end == 0 && onlyThrown) return;
        int slot = begin();
        if (slot < 0) return;
        try {
            report(call.id, duration, call.arguments, some && end == 0, result);
        } catch (Throwable failed) {
            fail(failed, slot);
        }
        BUSY[slot] = 0;
    }

    /** `end`: the result of a call that has `returned` one, else its exception, or null. */
    static void report(int id, long duration, String[] values, boolean returned, Object end) {
        Throwable thrown = returned ? null : (Throwable) end;
        String text = returned ? text(end) : thrown == null ? null : exception(thrown);
        String[] stack = stacks ? stack(thrown) : null;
        InstrWatchNative.call(id, thrown == null ? 0 : 1, duration, thread(Thread.currentThread()), values, text, stack);
    }

    /** The slot of the current thread; -1: the thread is in this class already. Not inlined into the application: see InstrThreads. */
    @jdk.internal.vm.annotation.DontInline
    @java.lang.invoke.DontInline
    private static int begin() {
        try {
            long tid = InstrUnsafe.carrierTid();
            int slot = (int) tid & BUSY.length - 1;
            if (BUSY[slot] == tid) return -1;
            BUSY[slot] = tid;
            return slot;
        } catch (VirtualMachineError nevermind) {
            return -1;
        }
    }

    /**
     * Ignores exhausted stack or memory, which are the application's, and passes on what another thread has thrown into this one;
     * anything else is an error of this class.
     */
    private static void fail(Throwable failed, int slot) {
        boolean ours = true;
        try {
            if (failed instanceof VirtualMachineError) return;
            ours = InstrFailure.isOurs(failed);
            if (ours) on = false;
            if (ours) InstrWatchNative.failed(failed.getClass().getName());
        } catch (VirtualMachineError nevermind) {
            // It cannot be reported.
        }
        if (ours) return;
        if (slot >= 0) BUSY[slot] = 0;
        InstrFailure.<RuntimeException>pass(failed);
    }

    private static String exception(Throwable exception) {
        String text = exception.getClass().getName() + "@" + Integer.toHexString(System.identityHashCode(exception));
        String message = InstrWatchNative.message(exception);
        return message == null ? text : text + ": " + cut(message);
    }

    /** Virtual threads have no name of their own, mostly. */
    private static String thread(Thread thread) {
        String name = thread.getName(), type = thread.getClass().getName();
        if (!name.isEmpty()) return name;
        if (type.startsWith("java.lang.") && type.endsWith("VirtualThread")) return "virtual-" + thread.getId();
        return type.equals("java.lang.Thread") ? "thread-" + thread.getId() : name;
    }

    /** Where the exception was made, which is where it was thrown, mostly; without one, or if it has no stack, this place. */
    private static String[] stack(Throwable exception) {
        StackTraceElement[] frames = exception == null ? null : InstrWatchNative.stack(exception);
        if (frames == null || frames.length == 0) frames = new Throwable().getStackTrace();
        int from = 0;
        while (from < frames.length && isOwn(frames[from].getClassName())) from++;
        String[] texts = new String[Math.min(frames.length - from, FRAMES)];
        for (int i = 0; i < texts.length; i++) texts[i] = frames[from + i].toString();
        return texts;
    }

    private static boolean isOwn(String className) {
        return className.contains(".InstrWatch") || className.contains(".InstrRules");
    }

    static String text(Object value) {
        if (value == null) return "null";
        if (value instanceof String) return quoted((String) value);
        Class<?> type = value.getClass();
        if (type == Character.class) return "'" + value + "'";
        if (value instanceof Number && type.getName().startsWith("java.lang.") || type == Boolean.class) {
            return value.toString();
        }
        if (value instanceof Class) return name((Class<?>) value, "") + ".class";
        if (value instanceof Enum) return type.getName() + "." + ((Enum<?>) value).name();
        if (type.isArray()) return name(type, "" + java.lang.reflect.Array.getLength(value));
        return type.getName() + "@" + Integer.toHexString(System.identityHashCode(value));
    }

    /** The name as in Java source; for an array with `length` in the first brackets. */
    private static String name(Class<?> type, String length) {
        String dimensions = "";
        for (; type.isArray(); type = type.getComponentType()) dimensions += dimensions.isEmpty() ? "[" + length + "]" : "[]";
        return type.getName() + dimensions;
    }

    private static String quoted(String value) {
        int length = value.length();
        if (length <= CHARACTERS) return "\"" + value + "\"";
        return "\"" + value.substring(0, CHARACTERS) + "\"... (" + length + " characters)";
    }

    private static String cut(String value) {
        return value.length() <= CHARACTERS ? value : value.substring(0, CHARACTERS) + "...";
    }
}
