import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Calls 1,200 proxies once, each in a loader of its own, and three methods thirty times by reflection, for which JVMs
 * before JDK 18 generate classes. Prints how many proxies have a number of four digits.
 */
public class MadeByJvm {
    public interface Piece {
        int run(int x);
    }

    public static int one(int x) {
        return x;
    }

    public static int two(int x) {
        return 2 * x;
    }

    public static int three(int x) {
        return 3 * x;
    }

    public static void main(String[] args) throws Exception {
        int sum = 0, late = 0;
        InvocationHandler answer = (proxy, method, of) -> of[0];
        for (int i = 0; i < 1200; i++) {
            ClassLoader loader = new ClassLoader(MadeByJvm.class.getClassLoader()) { };
            Piece piece = (Piece) Proxy.newProxyInstance(loader, new Class<?>[] {Piece.class}, answer);
            sum += piece.run(i);
            if (piece.getClass().getName().matches(".*\\$Proxy\\d{4,}"))
                late++;
        }
        for (String name : new String[] {"one", "two", "three"}) {
            Method method = MadeByJvm.class.getMethod(name, int.class);
            for (int i = 0; i < 30; i++)
                sum += (Integer) method.invoke(null, i);
        }
        System.out.println(sum + " " + late);
    }
}
