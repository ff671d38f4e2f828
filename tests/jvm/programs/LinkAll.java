import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/** Links, and with it verifies, every class of the run-time image that any of its loaders gives out. */
public class LinkAll {
    public static void main(String[] args) throws IOException {
        List<String> names = new ArrayList<>(), failures = new ArrayList<>();
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        try (Stream<Path> files = Files.walk(modules)) {
            files.forEach(f -> {
                String s = f.toString();
                if (s.endsWith(".class") && !s.endsWith("-info.class"))
                    names.add(s.substring(s.indexOf('/', 9) + 1, s.length() - 6).replace('/', '.'));
            });
        }
        Collections.sort(names);
        int linked = 0;
        for (String name : names)
            try {
                Class.forName(name, false, LinkAll.class.getClassLoader()).getDeclaredMethods();
                linked++;
            } catch (Throwable t) {
                // the reason names further classes in an order that may differ
                failures.add(name + ": " + t.getClass().getName());
            }
        for (String f : failures)
            System.out.println(f);
        System.out.println(linked > 5000 ? "linked " + linked : "too few: " + linked);
    }
}
