import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Links, and so verifies, every class of the JDK that runs it: asking for a class's methods links it. Prints one
 * line for each class that the JVM refuses, and the number of accepted classes.
 */
public class LinkAll {
    private static int linked;
    private static final List<String> refused = new ArrayList<>();

    private static void link(String name) {
        try {
            Class<?> cls = Class.forName(name, false, ClassLoader.getSystemClassLoader());
            cls.getDeclaredMethods();
            cls.getDeclaredConstructors();
            linked++;
        } catch (ClassNotFoundException | NoClassDefFoundError absent) {
            // A class that is in, or needs, a module that is not resolved here.
        } catch (Throwable problem) {
            refused.add(name + ": " + problem);
        }
    }

    public static void main(String[] args) throws Exception {
        String boot = System.getProperty("sun.boot.class.path");
        if (boot != null) linkJars(boot);
        else linkImage(args);
        refused.forEach(System.out::println);
        System.out.println(linked + " classes linked");
    }

    /** JDK 8 has jars in place of an image. */
    private static void linkJars(String path) throws IOException {
        for (String name : path.split(File.pathSeparator)) {
            // Classes of an agent are not the JDK's.
            if (!name.endsWith(".jar") || !name.startsWith(System.getProperty("java.home")) || !new File(name).exists()) continue;
            try (JarFile jar = new JarFile(name)) {
                jar.stream().map(e -> e.getName()).filter(n -> n.endsWith(".class")).sorted()
                    .forEach(n -> link(n.substring(0, n.length() - 6).replace('/', '.')));
            }
        }
    }

    private static void linkImage(String[] args) throws IOException {
        FileSystem jrt = FileSystems.getFileSystem(URI.create("jrt:/"));
        List<Path> paths;
        try (Stream<Path> walk = Files.walk(jrt.getPath("/modules"))) {
            paths = walk.filter(p -> p.toString().endsWith(".class")).sorted().collect(Collectors.toList());
        }
        for (Path path : paths) {
            String module = path.getName(1).toString();
            if (args.length > 0 && !args[0].equals(module)) continue;
            String name = path.subpath(2, path.getNameCount()).toString();
            if (!name.endsWith("module-info.class")) link(name.substring(0, name.length() - 6).replace('/', '.'));
        }
    }
}
