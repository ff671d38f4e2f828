import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Collectors;

/**
 * Links, and so verifies, every STEPth class of jars, each jar in a loader of its own. Prints the result for each class:
 * "linked", or the class of the error.
 */
public class LinkJar {
    private static String link(String name, ClassLoader loader) {
        try {
            Class<?> cls = Class.forName(name, false, loader);
            cls.getDeclaredMethods();
            cls.getDeclaredConstructors();
            return "linked";
        } catch (Throwable problem) {
            return problem.getClass().getName();
        }
    }

    /** STEP JAR ... */
    public static void main(String[] args) throws Exception {
        int step = Integer.parseInt(args[0]);
        for (int i = 1; i < args.length; i++) {
            List<String> names;
            try (JarFile jar = new JarFile(args[i])) {
                names = jar.stream().map(e -> e.getName()).filter(n -> n.endsWith(".class") && !n.contains("-"))
                    .sorted().collect(Collectors.toList());
            }
            try (URLClassLoader loader = new URLClassLoader(new URL[] {new File(args[i]).toURI().toURL()}, null)) {
                for (int n = 0; n < names.size(); n += step) {
                    String name = names.get(n).substring(0, names.get(n).length() - 6).replace('/', '.');
                    System.out.println(args[i] + " " + name + " " + link(name, loader));
                }
            }
        }
    }
}
