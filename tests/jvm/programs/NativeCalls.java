import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.TreeSet;

/**
 * Native methods in all ways of being bound and called (tests/jvm/native/natives.c). Prints the same whether
 * they are wrapped or not. With the system property `again` another agent retransforms this class in the middle.
 */
public class NativeCalls {
    @Retention(RetentionPolicy.RUNTIME)
    @interface Mark {
        String value();
    }

    static native int add(int a);

    static native long add(long a);

    @Mark("on the method")
    final native double mixed(int i, long j, float f, double d, @Mark("on a parameter") String s, byte[] b, boolean z,
            char c, short h) throws java.io.IOException;

    synchronized native boolean locked();

    static native void boom(String message);

    static native int critical(int[] array);

    static native int byName(int a);

    static native int down(int n);

    public native String who();

    static native int registered(int a);

    private static native int register(boolean again);

    private static native int unregister();

    static native void missing(String[] a, int b);

    static int step(int n) {
        return 1 + down(n);
    }

    /** Native methods are a part of the computed serialVersionUID. */
    static class Version implements Serializable {
        public native int value();
    }

    static class Overriding extends NativeCalls {
        @Override
        public String who() {
            return "Java over " + super.who();
        }
    }

    static void same(String what, Object value) {
        System.out.println(what + " " + value);
    }

    static void missing() {
        try {
            missing(null, 1);
        } catch (UnsatisfiedLinkError e) {
            boolean clean = !e.toString().contains("$");
            for (StackTraceElement s : e.getStackTrace()) clean &= !s.getMethodName().contains("$");
            same("missing", e.getMessage() + " " + clean + " " + e.getStackTrace()[0].getMethodName());
        }
    }

    static void thrown() {
        for (int i = 0; i < 5; i++) {
            try {
                boom("boom " + i);
            } catch (IllegalStateException e) {
                StackTraceElement[] trace = e.getStackTrace();
                same(e.getMessage(), trace[0].getMethodName().endsWith("boom") && trace[0].isNativeMethod());
            }
        }
    }

    static void reflection() throws Exception {
        TreeSet<String> names = new TreeSet<>();
        for (Method m : NativeCalls.class.getDeclaredMethods()) {
            if (!m.isSynthetic()) names.add(Modifier.toString(m.getModifiers() & ~Modifier.NATIVE) + " " + m.getName());
        }
        same("methods", names);
        Class<?>[] types = {int.class, long.class, float.class, double.class, String.class, byte[].class, boolean.class,
            char.class, short.class};
        Method mixed = NativeCalls.class.getDeclaredMethod("mixed", types);
        same("annotation", mixed.getAnnotation(Mark.class).value());
        same("parameter", ((Mark) mixed.getParameterAnnotations()[4][0]).value());
        same("exceptions", mixed.getExceptionTypes()[0]);
        same("invoked", mixed.invoke(new NativeCalls(), 1, 2L, 3f, 4d, "five", new byte[6], true, 'a', (short) 8));
        try {
            NativeCalls.class.getDeclaredMethod("boom", String.class).invoke(null, "by reflection");
        } catch (InvocationTargetException e) {
            same("cause", e.getCause());
        }
    }

    static void threads() throws InterruptedException {
        final long[] sums = new long[4];
        Thread[] threads = new Thread[sums.length];
        for (int t = 0; t < threads.length; t++) {
            final int at = t;
            threads[t] = new Thread(() -> {
                for (int i = 0; i < 10000; i++) sums[at] = add(sums[at]);
            });
            threads[t].start();
        }
        long sum = 0;
        for (int t = 0; t < threads.length; t++) {
            threads[t].join();
            sum += sums[t];
        }
        same("threads", sum);
    }

    static void calls() throws Exception {
        int sum = 0;
        for (int i = 0; i < 20000; i++) sum = add(sum);
        same("add", sum);
        same("locked", new NativeCalls().locked());
        same("critical", critical(new int[] {1, 2, 3}));
        same("by name", byName(41));
        same("down", down(50));
        same("who", new NativeCalls().who() + ", " + new Overriding().who());
        thrown();
        missing();
        reflection();
        threads();
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        same("register", register(false));
        same("registered", registered(21));
        calls();
        if (System.getProperty("again") != null) {
            Class.forName("WrappingAgent").getMethod("again", Class.class).invoke(null, NativeCalls.class);
            calls();
        }
        same("register", register(true));
        same("registered", registered(21));
        same("unregister", unregister());
        same("add", add(1));
        same("version", ObjectStreamClass.lookup(Version.class).getSerialVersionUID());
        same("value", new Version().value());
    }
}
