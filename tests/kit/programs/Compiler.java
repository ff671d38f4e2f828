import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * javac many times in one JVM: each line of the input has its arguments, separated by tabs. Each is answered by a line
 * with the status and the number of bytes that javac has written, and by these bytes.
 */
class Compiler {
    public static void main(String[] args) throws Exception {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line; (line = in.readLine()) != null; ) {
            ByteArrayOutputStream written = new ByteArrayOutputStream();
            PrintStream out = new PrintStream(written, true, "UTF-8");
            int status = javac.run(null, out, out, line.split("\t"));
            System.out.print(status + " " + written.size() + "\n");
            System.out.write(written.toByteArray());
            System.out.flush();
        }
    }
}
