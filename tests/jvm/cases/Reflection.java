package cases;

import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.*;
import java.util.*;

/** Reflective calls, proxies, and a view of the classes that must not show any change. */
public class Reflection {
    @Retention(RetentionPolicy.RUNTIME)
    @interface Marked {
        int value() default 3;

        String[] names() default {"a", "b"};
    }

    interface Service extends Serializable {
        int serve(int x, String s);
    }

    @Marked(9)
    static class Impl implements Service {
        private int hidden;
        public static final String CONSTANT = "constant";

        //= $Impl.<init>()V 41 0
        public Impl() {}

        //= $Impl.<init>(I)V 30 15
        Impl(@Marked int x) throws Exception {
            if (x % 2 == 1)
                throw new Exception("odd " + x);
            hidden = x;
        }

        //= $Impl.serve(ILjava/lang/String;)I 260 20
        @Marked(names = {})
        public int serve(int x, @Marked(1) String s) {
            if (x < 0)
                throw new IllegalArgumentException(s);
            return x + s.length() + hidden;
        }

        //= $Impl.secret(J)J 100 0
        private static long secret(long x) {
            return x + 1;
        }
    }

    static class Handler implements InvocationHandler {
        final Object target;

        //= $Handler.<init>(Ljava/lang/Object;)V 1 0
        Handler(Object target) {
            this.target = target;
        }

        //= $Handler.invoke(Ljava/lang/Object;Ljava/lang/reflect/Method;[Ljava/lang/Object;)Ljava/lang/Object; 40 10
        public Object invoke(Object proxy, Method m, Object[] args) throws Throwable {
            try {
                return m.invoke(target, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    //= sorted([Ljava/lang/Object;)Ljava/util/List; 3 0
    static List<String> sorted(Object[] members) {
        List<String> names = new ArrayList<>();
        for (Object o : members)
            names.add(o.toString());
        Collections.sort(names);
        return names;
    }

    public static void main(String[] args) throws Exception {
        Method serve = Impl.class.getMethod("serve", int.class, String.class);
        Method secret = Impl.class.getDeclaredMethod("secret", long.class);
        secret.setAccessible(true);
        Impl impl = new Impl();
        long sum = 0;
        for (int i = 0; i < 200; i++)
            sum += (Integer) serve.invoke(impl, i, "abc");
        for (int i = 0; i < 100; i++)
            sum += (Long) secret.invoke(null, (long) i);
        int failed = 0;
        for (int i = 0; i < 10; i++)
            try {
                serve.invoke(impl, -1, "bad");
            } catch (InvocationTargetException e) {
                failed += e.getCause().getMessage().length();
            }
        Constructor<Impl> plain = Impl.class.getConstructor();
        Constructor<Impl> odd = Impl.class.getDeclaredConstructor(int.class);
        for (int i = 0; i < 40; i++)
            sum += plain.newInstance().hidden;
        for (int i = 0; i < 30; i++)
            try {
                sum += odd.newInstance(i).hidden;
            } catch (InvocationTargetException e) {
                failed++;
            }
        Service proxy = (Service) Proxy.newProxyInstance(Reflection.class.getClassLoader(),
                new Class<?>[] {Service.class}, new Handler(impl));
        for (int i = 0; i < 40; i++)
            try {
                sum += proxy.serve(i % 4 == 3 ? -1 : i, "p");
            } catch (IllegalArgumentException e) {
                failed++;
            }
        for (int i = 0; i < 10; i++)
            sum += ((Service) impl).serve(i, "");
        System.out.println(sum + " " + failed);

        System.out.println(sorted(Impl.class.getDeclaredMethods()));
        System.out.println(sorted(Impl.class.getDeclaredFields()));
        System.out.println(sorted(Impl.class.getDeclaredConstructors()));
        System.out.println(Arrays.toString(Impl.class.getAnnotations()).contains("9"));
        System.out.println(serve.getAnnotation(Marked.class).names().length);
        System.out.println(serve.getParameterAnnotations()[1].length);
        System.out.println(Impl.class.getModifiers() + " " + Impl.class.getNestHost().getSimpleName());
        System.out.println(ObjectStreamClass.lookup(Impl.class).getSerialVersionUID());
    }
}
