import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Runs javac several times in one JVM, where only the first time takes long. Argument: a file in UTF-8 with an argument
 * of javac on each line, and an empty line behind those of each run. The first run that fails ends it, with status 1.
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
