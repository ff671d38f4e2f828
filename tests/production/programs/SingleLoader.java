import java.io.ByteArrayOutputStream;
import java.io.InputStream;

/** A loader that defines one class of the program anew, and leaves all others to the program's loader. */
final class SingleLoader extends ClassLoader {
    private final String name;
    private final byte[] bytes;

    SingleLoader(String name, byte[] bytes) {
        super(SingleLoader.class.getClassLoader());
        this.name = name;
        this.bytes = bytes;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        return name.equals(this.name) ? defineClass(name, bytes, 0, bytes.length) : super.loadClass(name, resolve);
    }

    Class<?> define() throws ClassNotFoundException {
        return loadClass(name, false);
    }

    /** The class file. */
    static byte[] read(String name) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream in = SingleLoader.class.getResourceAsStream(name + ".class")) {
            for (int b = in.read(); b >= 0; b = in.read()) bytes.write(b);
        }
        return bytes.toByteArray();
    }
}
