import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;

/** Calls a test of TestNG in a class of each of these loaders, which have ways of their own to give class files away. */
public class Loaders extends URLClassLoader {
    private final String mode;
    private boolean within;

    Loaders(URL[] urls, String mode) {
        super(urls, null);
        this.mode = mode;
    }

    @Override
    protected synchronized Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        return name.startsWith("org.testng.") ? Class.forName(name) : super.loadClass(name, resolve);
    }

    @Override
    public InputStream getResourceAsStream(String name) {
        InputStream stream = super.getResourceAsStream(name);
        switch (mode) {
            case "none":
                return null;
            case "throwing":
                throw new IllegalStateException("thrown on purpose");
            case "deep":
                return getResourceAsStream(name);
            case "other":
                return super.getResourceAsStream("ng/NgTest.class");
            case "loading":
                loadOthers();
                return stream;
            case "broken":
            case "endless":
                return new InputStream() {
                    @Override
                    public int read() throws IOException {
                        if (mode.equals("broken"))
                            throw new IOException("thrown on purpose");
                        return 0;
                    }
                };
            default:
                return stream;
        }
    }

    private void loadOthers() {
        if (within)
            return;
        within = true;
        try {
            Class.forName("ng.NgTest$OfClass", true, this);
            Class.forName("ng.NgTest$OfAbove", true, this); // it is being loaded: an error
        } catch (ClassNotFoundException | LinkageError expected) {
            within = true;
        }
    }

    public static void main(String[] modes) throws Exception {
        URL[] urls = {Loaders.class.getProtectionDomain().getCodeSource().getLocation()};
        for (String mode : modes)
            try (Loaders loader = new Loaders(urls, mode)) {
                Class<?> test = Class.forName("ng.NgTest$OfAbove", true, loader);
                test.getMethod("inherits").invoke(test.getConstructor().newInstance());
                System.out.println(mode);
            }
    }
}
