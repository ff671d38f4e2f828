import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Runs javac several times in one JVM, where only the first run is slow. Argument: a UTF-8 file with one argument of
 * javac on each line, and an empty line after the arguments of each run. Stops with status 1 at the first run that
 * fails.
 */
public class Compile {
    public static void main(String[] args) throws Exception {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        List<String> words = new ArrayList<>();
        for (String line : Files.readAllLines(Paths.get(args[0]), StandardCharsets.UTF_8)) {
            if (!line.isEmpty()) {
                words.add(line);
                continue;
            }
            if (javac.run(null, null, null, words.toArray(new String[0])) != 0)
                System.exit(1);
            words.clear();
        }
    }
}
