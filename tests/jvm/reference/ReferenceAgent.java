import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassTooLargeException;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A slow and simple Java agent that counts calls and exceptional exits of all application methods: one call at the
 * entry, one before each return; what entered and did not return was thrown, or is still running. It needs no frames,
 * no locals and no handlers, so it has little to get wrong. The numbers which the cases expect are held against it,
 * and it plays the other Java agent in the same VM.
 */
public final class ReferenceAgent implements ClassFileTransformer {
    static final String COUNTER = "java/lang/ReferenceCounter";

    private final List<String[]> methods = new ArrayList<>();
    private final ClassLoader platform = ClassLoader.getPlatformClassLoader();

    /** For programs that want classes transformed again. */
    public static Instrumentation instrumentation;

    public static void premain(String file, Instrumentation inst) throws Throwable {
        instrumentation = inst;
        // the counter goes to java.lang, where code of every loader finds it
        inst.redefineModule(Object.class.getModule(), Set.of(), Map.of(),
                Map.of("java.lang", Set.of(ReferenceAgent.class.getModule())), Set.of(), Map.of());
        byte[] counter = ReferenceAgent.class.getResourceAsStream("/" + COUNTER + ".class").readAllBytes();
        Class<?> c = MethodHandles.privateLookupIn(Object.class, MethodHandles.lookup()).defineClass(counter);
        Method count = c.getMethod("count", int.class, boolean.class);
        ReferenceAgent agent = new ReferenceAgent();
        inst.addTransformer(agent);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                Thread.sleep(300); // let the program's own hooks, which run at the same time, finish
                agent.report(Path.of(file), count);
            } catch (Exception e) {
                e.printStackTrace();
            }
        }));
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain d, byte[] original) {
        if (loader == null || loader == platform || name == null || name.startsWith("org/objectweb/asm/")
                || name.startsWith("ReferenceAgent") || name.startsWith("cases/SubroutineAtTheEnd")) // JDK 17 dies of it
            return null;
        Set<String> tooLarge = new HashSet<>();
        while (true)
            try {
                return rewrite(name, original, tooLarge);
            } catch (MethodTooLargeException e) {
                tooLarge.add(e.getMethodName() + e.getDescriptor());
            } catch (Throwable t) {
                if (!(t instanceof ClassTooLargeException))
                    System.err.println("reference agent: " + name + ": " + t);
                return null;
            }
    }

    private byte[] rewrite(String name, byte[] original, Set<String> tooLarge) {
        byte[] b = original.clone();
        byte major = b[7];
        if (major > 64)
            b[7] = 64; // the newest that this ASM reads; the parts that matter here did not change
        List<String[]> found = new ArrayList<>();
        ClassReader reader = new ClassReader(b);
        ClassWriter writer = new ClassWriter(reader, 0);
        synchronized (methods) {
            reader.accept(new Visitor(writer, name, methods.size(), found, tooLarge), 0);
            byte[] result = writer.toByteArray();
            result[7] = major;
            methods.addAll(found);
            return result;
        }
    }

    private static final class Visitor extends ClassVisitor {
        private final String owner;
        private final int base;
        private final List<String[]> found;
        private final Set<String> tooLarge;

        Visitor(ClassVisitor next, String owner, int base, List<String[]> found, Set<String> tooLarge) {
            super(Opcodes.ASM9, next);
            this.owner = owner;
            this.base = base;
            this.found = found;
            this.tooLarge = tooLarge;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, desc, signature, exceptions);
            if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0 || tooLarge.contains(name + desc))
                return next;
            int id = base + found.size();
            found.add(new String[] {owner, name, desc});
            return new MethodVisitor(Opcodes.ASM9, next) {
                private void call(String what) {
                    super.visitLdcInsn(id);
                    super.visitMethodInsn(Opcodes.INVOKESTATIC, COUNTER, what, "(I)V", false);
                }

                @Override
                public void visitCode() {
                    super.visitCode();
                    call("enter");
                }

                @Override
                public void visitInsn(int opcode) {
                    if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN)
                        call("exit");
                    super.visitInsn(opcode);
                }

                @Override
                public void visitMaxs(int stack, int locals) {
                    super.visitMaxs(Math.min(stack + 1, 65535), locals);
                }
            };
        }
    }

    private void report(Path file, Method count) throws Exception {
        StringBuilder b = new StringBuilder("{\"pass\":\"reference\",\"methods\":[");
        synchronized (methods) {
            for (int i = 0; i < methods.size(); i++) {
                String[] m = methods.get(i);
                long entered = (Long) count.invoke(null, i, true), left = (Long) count.invoke(null, i, false);
                b.append(i == 0 ? "\n" : ",\n").append("{\"class\":").append(quote(m[0]))
                        .append(",\"method\":").append(quote(m[1])).append(",\"descriptor\":").append(quote(m[2]))
                        .append(",\"calls\":").append(entered).append(",\"thrown\":").append(entered - left).append('}');
            }
        }
        Files.write(file, b.append("\n]}\n").toString().getBytes(StandardCharsets.UTF_8));
    }

    private static String quote(String s) {
        StringBuilder b = new StringBuilder("\"");
        for (char c : s.toCharArray())
            if (c == '"' || c == '\\')
                b.append('\\').append(c);
            else if (c < ' ' || c > 126)
                b.append(String.format("\\u%04x", (int) c));
            else
                b.append(c);
        return b.append('"').toString();
    }
}
