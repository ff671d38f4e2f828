import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;

/**
 * For each number read from standard input: so many new loaders define Made, which is called once in each, and are dropped; replies with the
 * number of all calls. 0 collects what was dropped.
 */
public class Coming {
    public static int calls;

    public static class Made implements Runnable {
        public void run() {
            calls++;
        }
    }

    static final class Loader extends ClassLoader {
        private final byte[] bytes;

        Loader(byte[] bytes) {
            super(Coming.class.getClassLoader());
            this.bytes = bytes;
        }

        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals("Coming$Made") ? defineClass(name, bytes, 0, bytes.length) : super.loadClass(name, resolve);
        }
    }

    static byte[] read() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream in = Coming.class.getResourceAsStream("Coming$Made.class")) {
            for (int b = in.read(); b >= 0; b = in.read()) bytes.write(b);
        }
        return bytes.toByteArray();
    }

    public static void main(String[] args) throws Exception {
        byte[] bytes = read();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; System.out.println(calls)) {
            int count = Integer.parseInt(line);
            for (int i = 0; i < count; i++) ((Runnable) new Loader(bytes).loadClass("Coming$Made").newInstance()).run();
            if (count == 0) System.gc();
        }
    }
}
