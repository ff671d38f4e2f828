import java.io.File;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;

/** Calls all methods of all classes of a folder with some arguments, and prints the results. */
public class RandomMethods {
    static final int[] NUMBERS = {0, 1, -1, 3, 7, 100, -2000000000};

    interface Call {
        Object run() throws ReflectiveOperationException;
    }

    static Object argument(Class<?> type, int x) {
        if (type == int.class)
            return x;
        if (type == long.class)
            return x * 1000000007L;
        if (type == float.class)
            return x * 1.5f;
        if (type == double.class)
            return x / 3.0;
        if (type == int[].class)
            return x == 3 ? null : new int[] {x, 1, 2};
        return x == 1 ? null : "s" + x;
    }

    static Object[] arguments(Class<?>[] types, int x) {
        Object[] result = new Object[types.length];
        for (int i = 0; i < types.length; i++)
            result[i] = argument(types[i], i % 2 == 0 ? x : x / 2 + i);
        return result;
    }

    static Object show(String what, Call call) {
        Trace.hash = 1;
        Trace.fuel = 300;
        Object result = null;
        String text;
        try {
            result = call.run();
            text = result == null ? "null" : result instanceof int[] ? Arrays.toString((int[]) result)
                    : result instanceof Number || result instanceof String ? result.toString() : result.getClass().getName();
        } catch (InvocationTargetException e) {
            Throwable t = e.getCause();
            text = t instanceof LinkageError ? t.toString() : t.getClass().getName();
        } catch (ReflectiveOperationException | LinkageError e) {
            text = e.toString();
        }
        System.out.println(what + ": " + text + " " + Trace.hash);
        return result;
    }

    public static void main(String[] args) {
        File[] files = new File(args[0], "random").listFiles((d, n) -> n.startsWith("Random"));
        Arrays.sort(files, Comparator.comparing(File::getName));
        for (File f : files)
            try {
                Class<?> c = Class.forName("random." + f.getName().replace(".class", ""));
                Object made = null;
                Constructor<?>[] constructors = c.getConstructors();
                Arrays.sort(constructors, Comparator.comparing(Constructor::toString));
                for (Constructor<?> n : constructors)
                    for (int x : NUMBERS) {
                        Object o = show(n + " " + x, () -> n.newInstance(arguments(n.getParameterTypes(), x)));
                        made = o == null ? made : o;
                    }
                Method[] methods = c.getDeclaredMethods();
                Arrays.sort(methods, Comparator.comparing(Method::toString));
                for (Method m : methods)
                    for (int x : NUMBERS) {
                        Object self = made;
                        if (Modifier.isStatic(m.getModifiers()) || self != null)
                            show(m + " " + x, () -> m.invoke(self, arguments(m.getParameterTypes(), x)));
                    }
            } catch (ReflectiveOperationException | LinkageError e) {
                System.out.println(f.getName() + ": " + e);
            }
    }
}
