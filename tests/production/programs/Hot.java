import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Paths;

/** Is an agent, too: for each line read, redefines Value with the file of that name, if one is given, and replies with what Value returns. */
public class Hot {
    static Instrumentation instrumentation;

    static class Value {
        static int get() {
            return 1;
        }
    }

    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            String refused = "";
            if (!line.isEmpty())
                try {
                    instrumentation.redefineClasses(new ClassDefinition(Value.class, Files.readAllBytes(Paths.get(line))));
                } catch (UnsupportedOperationException e) {
                    refused = "refused ";
                }
            System.out.println(refused + Value.get());
        }
    }
}
