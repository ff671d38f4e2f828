import java.io.File;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Two threads that compile a file again and again, and one that loads the result in a new loader each time and runs it: classes are loaded,
 * linked, run and collected by the thousand. For each line read, prints how often, or writes the bytecodes of all methods.
 */
public class Busy {
    static final AtomicLong compiled = new AtomicLong(), loaded = new AtomicLong();
    static byte[] expected;

    static byte[] compile(String source, Path folder) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        Files.createDirectories(folder);
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            Iterable<String> options = Arrays.asList("-proc:none", "-nowarn", "-d", folder.toString());
            if (!compiler.getTask(said, files, null, options, null, files.getJavaFileObjects(new File(source))).call())
                throw new IllegalStateException("not compiled: " + said);
        }
        return Files.readAllBytes(folder.resolve("Product.class"));
    }

    static void load(final byte[] bytes) throws Exception {
        ClassLoader loader = new ClassLoader(Busy.class.getClassLoader()) {
            protected Class<?> findClass(String name) {
                return defineClass(name, bytes, 0, bytes.length);
            }
        };
        Object result = ((Callable<?>) loader.loadClass("Product").newInstance()).call();
        if (!"product 4950".equals(result)) throw new IllegalStateException("it gives " + result);
    }

    interface Work {
        void run() throws Exception;
    }

    /** Ends the JVM on any error. */
    static void forever(final Work work) {
        Thread thread = new Thread() {
            public void run() {
                try {
                    while (true) work.run();
                } catch (Throwable e) {
                    e.printStackTrace();
                    Runtime.getRuntime().halt(3);
                }
            }
        };
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(final String[] args) throws Exception {
        expected = compile(args[0], Paths.get(args[1]));
        for (int i = 0; i < 2; i++) {
            final Path folder = Paths.get(args[1], "of" + i);
            forever(new Work() {
                public void run() throws Exception {
                    if (!Arrays.equals(compile(args[0], folder), expected)) throw new IllegalStateException("other code comes out");
                    compiled.incrementAndGet();
                }
            });
        }
        forever(new Work() {
            public void run() throws Exception {
                load(expected);
                Thread.sleep(1); // limits the number of classes in the JVM
                if (loaded.incrementAndGet() % 500 == 0) System.gc();
            }
        });
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        System.out.println("ready");
        for (String line; (line = in.readLine()) != null; )
            System.out.println(line.isEmpty() ? "compiled " + compiled + " loaded " + loaded : "methods " + Many.tell(line));
        System.exit(0);
    }
}
