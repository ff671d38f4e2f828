import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.BitSet;

/** Methods that the plug-in `helper` adds calls of its helper to. */
public class Helped implements Runnable {
    final short size;

    Helped(short size) {
        this.size = size;
    }

    long number(short n, String text) {
        return n + text.length();
    }

    static void throwing(byte b, double d, float f, char c, boolean z, int[] array) {
        throw new UnsupportedOperationException("expected");
    }

    static String failing(String text) {
        return text + "!";
    }

    static int changed(int n) {
        n *= 2;
        return n;
    }

    /** The helper calls it once more, which makes no calls of the helper. */
    @Override
    public void run() {
        System.out.println("run");
    }

    static void all() {
        Helped helped = new Helped((short) 7);
        System.out.println(helped.number((short) 5, "text"));
        try {
            throwing((byte) 1, 2.5, 3.5f, 'c', true, new int[4]);
        } catch (UnsupportedOperationException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(failing("a"));
        helped.run();
        new BitSet().flip(3);
        System.out.println(changed(21));
    }

    public static void main(String[] args) throws Exception {
        all();
        URL url = Helped.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {url}, null)) {
            Class<?> there = loader.loadClass("Helped");
            Method failing = there.getDeclaredMethod("failing", String.class);
            failing.setAccessible(true);
            System.out.println(failing.invoke(null, "b"));
        }
        System.out.println("done");
        while (args.length > 0 && System.in.read() > 0) {
            all();
            System.out.println("done");
        }
    }
}
