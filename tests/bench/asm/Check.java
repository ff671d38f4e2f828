import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Shows that the job is done right: ASM's own classes are rewritten, verified and run; what they then make of all of
 * them has to be what the original ASM makes, and calls, exits and exceptions have to be even.
 */
final class Check extends ClassLoader {
    private final Map<String, byte[]> classes = new HashMap<>();
    private int rewritten;

    private final AsmBench.Job job;

    private Check(AsmBench.Job job) {
        super(ClassLoader.getPlatformClassLoader());
        this.job = job;
    }

    /** What the inserted code calls, in place of a class in java.lang. */
    public static final class Gate {
        public static long entered, left, thrown, constructed, initialized, early;

        public static long enter(int id) {
            return ++entered;
        }

        public static long construct(int id) {
            constructed++;
            return ++entered;
        }

        public static void initialized(int id) {
            initialized++;
        }

        public static void exit(long start, long saved, int id) {
            if (start <= 0 || saved <= 0)
                throw new AssertionError("locals: " + start + ", " + saved);
            left++;
        }

        public static void thrown(long start, long saved, int id) {
            exit(start, saved, id);
            thrown++;
        }

        public static void thrownEarly(long start, long saved, int id) {
            thrown(start, saved, id);
            early++;
        }
    }

    static void run(Path jar, String name, AsmBench.Job job) throws Exception {
        Check loader = new Check(job);
        try (JarFile file = new JarFile(jar.toFile())) {
            for (Enumeration<JarEntry> e = file.entries(); e.hasMoreElements();) {
                JarEntry entry = e.nextElement();
                if (entry.getName().endsWith(".class") && !entry.getName().equals("module-info.class"))
                    try (InputStream in = file.getInputStream(entry)) {
                        loader.classes.put(entry.getName().replace(".class", "").replace('/', '.'), in.readAllBytes());
                    }
            }
        }
        for (String each : loader.classes.keySet())
            loader.loadClass(each).getDeclaredMethods(); // links, and with it verifies
        Class<?> reader = loader.loadClass("org.objectweb.asm.ClassReader");
        Class<?> writer = loader.loadClass("org.objectweb.asm.ClassWriter");
        Method accept = reader.getMethod("accept", loader.loadClass("org.objectweb.asm.ClassVisitor"), int.class);
        Class<?> gate = loader.loadClass("Check$Gate");
        int compared = 0;
        for (byte[] b : loader.classes.values()) {
            org.objectweb.asm.ClassWriter w = new org.objectweb.asm.ClassWriter(0);
            new org.objectweb.asm.ClassReader(b).accept(w, 0);
            Object theirs = writer.getConstructor(int.class).newInstance(0);
            accept.invoke(reader.getConstructor(byte[].class).newInstance((Object) b), theirs, 0);
            if (!Arrays.equals(w.toByteArray(), (byte[]) writer.getMethod("toByteArray").invoke(theirs)))
                throw new AssertionError("the rewritten ASM writes something else");
            compared++;
        }
        try {
            reader.getConstructor(byte[].class).newInstance((Object) new byte[8]);
            throw new AssertionError("no exception");
        } catch (java.lang.reflect.InvocationTargetException e) {
            if (count(gate, "thrown") == 0)
                throw new AssertionError("the exception was not seen", e);
        }
        long entered = count(gate, "entered"), left = count(gate, "left");
        // an exception out of the delegate call itself is seen by no handler: entered, never initialized, never left
        // (AdviceJob enters after that call)
        long lost = count(gate, "constructed") - count(gate, "initialized") - count(gate, "early");
        if (entered != left + lost)
            throw new AssertionError(entered + " entered, " + left + " left, " + lost + " lost in delegate calls");
        System.out.println("asm_check " + name + " ok: " + loader.rewritten + " classes rewritten, " + compared + " written the same, "
                + entered + " calls, " + count(gate, "thrown") + " thrown");
    }

    private static long count(Class<?> gate, String field) throws Exception {
        return gate.getField(field).getLong(null);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] b = classes.get(name);
        try {
            if (b != null) {
                b = toOwnGate(job.run(b));
                rewritten++;
            } else {
                try (InputStream in = Check.class.getClassLoader().getResourceAsStream(name + ".class")) {
                    if (in == null)
                        throw new ClassNotFoundException(name);
                    b = in.readAllBytes();
                }
            }
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
        return defineClass(name, b, 0, b.length);
    }

    /** A class in java.lang cannot be made here: the name in the constant pool is replaced by the local one's. */
    private static byte[] toOwnGate(byte[] b) {
        byte[] from = TimingJob.GATE.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        byte[] to = "Check$Gate".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        for (int i = 0; i + from.length + 3 < b.length; i++)
            if (b[i] == 1 && b[i + 1] == 0 && b[i + 2] == from.length
                    && Arrays.equals(from, 0, from.length, b, i + 3, i + 3 + from.length)) {
                byte[] result = new byte[b.length - from.length + to.length];
                System.arraycopy(b, 0, result, 0, i + 2);
                result[i + 2] = (byte) to.length;
                System.arraycopy(to, 0, result, i + 3, to.length);
                System.arraycopy(b, i + 3 + from.length, result, i + 3 + to.length, b.length - i - 3 - from.length);
                return result;
            }
        return b;
    }
}
