import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;

/** An agent that redefines a class of its program again and again, until its standard input ends; then it prints how often. */
public class Swapped {
    private static final class Value {
        static int get(int n) {
            return n + 1;
        }
    }

    private static volatile boolean ended;
    private static int times;

    private Swapped() {
    }

    public static void premain(String options, Instrumentation instrumentation) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream in = Swapped.class.getResourceAsStream("Swapped$Value.class")) {
            for (int b; (b = in.read()) >= 0;) bytes.write(b);
        }
        Thread thread = new Thread(() -> swap(instrumentation, new ClassDefinition(Value.class, bytes.toByteArray())));
        thread.setDaemon(true);
        thread.start();
    }

    private static void swap(Instrumentation instrumentation, ClassDefinition definition) {
        try {
            for (; !ended; times++) {
                instrumentation.redefineClasses(definition);
                Thread.sleep(1);
            }
        } catch (Exception e) {
            System.out.println(e);
        }
    }

    public static void main(String[] args) throws IOException {
        System.out.println(Value.get(1));
        while (System.in.read() >= 0) {
        }
        ended = true;
        System.exit(times > 0 ? 0 : 1);
    }
}
