package launch;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;

/** Runs a class out of a jar in its jar, as application archives do. */
public class Launcher extends ClassLoader {
    private final Map<String, byte[]> classes = new HashMap<String, byte[]>();

    Launcher(InputStream in) throws Exception {
        super(Launcher.class.getClassLoader());
        JarInputStream jar = new JarInputStream(in);
        byte[] piece = new byte[4096];
        for (JarEntry entry; (entry = jar.getNextJarEntry()) != null; ) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (int n; (n = jar.read(piece)) > 0; ) bytes.write(piece, 0, n);
            classes.put(entry.getName().replace('/', '.'), bytes.toByteArray());
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = classes.get(name + ".class");
        if (bytes == null) throw new ClassNotFoundException(name);
        return defineClass(name, bytes, 0, bytes.length);
    }

    public static void main(String[] arguments) throws Exception {
        for (String jar : new String[] {"/lib/one.jar", "/lib/one.jar"}) {
            Launcher loader = new Launcher(Launcher.class.getResourceAsStream(jar));
            Class<?> work = loader.loadClass("work.Work");
            System.out.println("launched " + work.getMethod("sum").invoke(null));
        }
    }
}
