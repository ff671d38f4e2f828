import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** A class with a field whose type is not there, and a loader that says whether it was asked for that. */
public class Lacking {
    /** Its class file is removed. */
    static class Missing {}

    public static class Order {
        private final String country;
        private final int items;
        private Missing missing;

        Order(int n) {
            country = n % 3 == 0 ? "DE" : "FR";
            items = n % 2;
        }
    }

    public static class Shop implements Runnable {
        static void order(Order order) {}

        @Override
        public void run() {
            for (int i = 0; i < 30; i++) order(new Order(i));
        }
    }

    static class Loader extends ClassLoader {
        volatile boolean isAsked;

        @Override
        protected synchronized Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals("Lacking$Missing")) isAsked = true;
            if (!name.equals("Lacking$Order") && !name.equals("Lacking$Shop")) return super.loadClass(name, resolve);
            Class<?> known = findLoadedClass(name);
            if (known != null) return known;
            byte[] bytes = read(name + ".class");
            return defineClass(name, bytes, 0, bytes.length);
        }

        private static byte[] read(String name) throws ClassNotFoundException {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (InputStream in = Lacking.class.getResourceAsStream(name)) {
                for (int b = in.read(); b >= 0; b = in.read()) out.write(b);
            } catch (IOException failed) {
                throw new ClassNotFoundException(name, failed);
            }
            return out.toByteArray();
        }
    }

    public static void main(String[] args) throws Exception {
        Loader loader = new Loader();
        ((Runnable) loader.loadClass("Lacking$Shop").getDeclaredConstructor().newInstance()).run();
        System.out.println(loader.isAsked);
    }
}
