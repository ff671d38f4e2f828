package cases;

import java.io.InputStream;

/** One class in two loaders that delegate nothing but java.*; many short-lived loaders that are unloaded. */
public class Loaders {
    static final class Restricted extends ClassLoader {
        //= $Restricted.<init>()V 42 0
        Restricted() {
            super(null);
        }

        //= $Restricted.loadClass(Ljava/lang/String;Z)Ljava/lang/Class; >=42 *
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("java."))
                return ClassLoader.getPlatformClassLoader().loadClass(name);
            if (name.equals("cases.Loaders$Isolated")) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : defineClass(name, BYTES, 0, BYTES.length);
            }
            throw new ClassNotFoundException("refused: " + name);
        }
    }

    public static class Isolated implements Runnable {
        int sum;

        //= $Isolated.<init>()V 42 0
        public Isolated() {}

        //= $Isolated.run()V 42 0
        public void run() {
            for (int i = 0; i < 10; i++)
                try {
                    sum += step(i);
                } catch (IllegalStateException e) {
                    sum += 1000;
                }
            System.out.print(sum + (getClass().getClassLoader() == null ? "!" : " "));
        }

        //= $Isolated.step(I)I 420 42
        static int step(int i) {
            if (i == 7)
                throw new IllegalStateException();
            return i;
        }
    }

    static final byte[] BYTES = read();

    //= <clinit>()V 1 0
    //= read()[B 1 0
    static byte[] read() {
        try (InputStream in = Loaders.class.getResourceAsStream("Loaders$Isolated.class")) {
            return in.readAllBytes();
        } catch (java.io.IOException e) {
            throw new Error(e);
        }
    }

    //= runIn(Ljava/lang/ClassLoader;)V 42 0
    static void runIn(ClassLoader loader) throws Exception {
        ((Runnable) loader.loadClass("cases.Loaders$Isolated").getDeclaredConstructor().newInstance()).run();
    }

    public static void main(String[] args) throws Exception {
        Restricted a = new Restricted(), b = new Restricted();
        runIn(a);
        runIn(b);
        System.out.println(a.loadClass("cases.Loaders$Isolated") != b.loadClass("cases.Loaders$Isolated"));
        for (int i = 0; i < 40; i++) {
            runIn(new Restricted());
            if (i % 10 == 9)
                System.gc();
        }
        System.out.println();
    }
}
