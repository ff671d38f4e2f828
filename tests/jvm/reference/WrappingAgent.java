import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Plays another agent that has to do with native methods: `wrap` wraps those of NativeCalls with a prefix of its own,
 * `retransformable` does it as an agent that can retransform, `retransform` and `redefine` have classes come again.
 */
public final class WrappingAgent implements ClassFileTransformer {
    private static Instrumentation instrumentation;
    private static String mode;

    public static void premain(String args, Instrumentation inst) {
        instrumentation = inst;
        mode = args;
        if (!args.equals("wrap") && !args.equals("retransformable")) return;
        WrappingAgent agent = new WrappingAgent();
        inst.addTransformer(agent, args.equals("retransformable"));
        inst.setNativeMethodPrefix(agent, "peer_");
    }

    public static void again(Class<?> cls) throws Exception {
        if (!mode.equals("redefine")) {
            instrumentation.retransformClasses(cls);
            return;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream in = cls.getResourceAsStream(cls.getSimpleName() + ".class")) {
            for (int b = in.read(); b >= 0; b = in.read()) bytes.write(b);
        }
        instrumentation.redefineClasses(new ClassDefinition(cls, bytes.toByteArray()));
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain d, byte[] original) {
        if (!"NativeCalls".equals(name)) return null;
        ClassReader reader = new ClassReader(original);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String method, String type, String sig, String[] thrown) {
                if ((access & Opcodes.ACC_NATIVE) == 0) return super.visitMethod(access, method, type, sig, thrown);
                int kind = access & Opcodes.ACC_STATIC;
                super.visitMethod(kind | Opcodes.ACC_PRIVATE | Opcodes.ACC_NATIVE | Opcodes.ACC_SYNTHETIC,
                        "peer_" + method, type, null, null).visitEnd();
                MethodVisitor m = super.visitMethod(access & ~Opcodes.ACC_NATIVE, method, type, sig, thrown);
                return new MethodVisitor(Opcodes.ASM9, m) {
                    @Override
                    public void visitEnd() {
                        call(mv, kind != 0, method, type);
                        super.visitEnd();
                    }
                };
            }
        }, 0);
        return writer.toByteArray();
    }

    private static void call(MethodVisitor m, boolean isStatic, String method, String type) {
        int local = 0;
        m.visitCode();
        if (!isStatic) m.visitVarInsn(Opcodes.ALOAD, local++);
        for (Type t : Type.getArgumentTypes(type)) {
            m.visitVarInsn(t.getOpcode(Opcodes.ILOAD), local);
            local += t.getSize();
        }
        m.visitMethodInsn(isStatic ? Opcodes.INVOKESTATIC : Opcodes.INVOKESPECIAL, "NativeCalls", "peer_" + method, type,
                false);
        m.visitInsn(Type.getReturnType(type).getOpcode(Opcodes.IRETURN));
        m.visitMaxs(0, 0);
    }
}
