import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Creates MANY objects of each class through methods of the JDK, until these methods are compiled. */
public class MadeByReflection {
    static final int MANY = 60000;
    static Object sink;

    public static class ByConstructor {
        public ByConstructor(int a, String b) {}
    }

    static class Private {
        private Private() {}
    }

    public static class ByClass {}

    public static class ByHandle {}

    public static class Throwing {
        public Throwing(int i) {
            if (i >= MANY / 2) throw new IllegalStateException();
        }
    }

    public static class InArrays {}

    public static class ByCode {}

    interface Shape {}

    private MadeByReflection() {}

    @SuppressWarnings("deprecation")
    public static void main(String[] args) throws Throwable {
        Constructor<ByConstructor> constructor = ByConstructor.class.getConstructor(int.class, String.class);
        for (int i = 0; i < MANY; i++) sink = constructor.newInstance(i, "");
        Constructor<Private> hidden = Private.class.getDeclaredConstructor();
        hidden.setAccessible(true);
        for (int i = 0; i < MANY; i++) sink = hidden.newInstance();
        for (int i = 0; i < MANY; i++) sink = ByClass.class.newInstance();
        MethodHandle handle = MethodHandles.lookup().findConstructor(ByHandle.class, MethodType.methodType(void.class));
        for (int i = 0; i < MANY; i++) sink = (ByHandle) handle.invokeExact();
        Constructor<Throwing> throwing = Throwing.class.getConstructor(int.class);
        int thrown = 0;
        for (int i = 0; i < MANY; i++) {
            try {
                sink = throwing.newInstance(i);
            } catch (InvocationTargetException expected) {
                thrown++;
            }
        }
        InvocationHandler nothing = (proxy, method, arguments) -> null;
        Class<?>[] shapes = {Shape.class};
        for (int i = 0; i < MANY; i++) sink = Proxy.newProxyInstance(Shape.class.getClassLoader(), shapes, nothing);
        for (int i = 0; i < MANY; i++) sink = Array.newInstance(InArrays.class, 2);
        for (int i = 0; i < MANY; i++) sink = new ByCode();
        System.out.println("thrown " + thrown);
    }
}
