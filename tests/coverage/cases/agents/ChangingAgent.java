import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Adds code with branches to each method of the package shop. With "retransform" its transformer may retransform. */
public final class ChangingAgent implements ClassFileTransformer {
    public static void premain(String how, Instrumentation inst) {
        inst.addTransformer(new ChangingAgent(), "retransform".equals(how));
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] original) {
        if (name == null || !name.startsWith("shop/")) return null;
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        new ClassReader(original).accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
                return new MethodVisitor(Opcodes.ASM9, super.visitMethod(access, name, descriptor, signature, thrown)) {
                    @Override
                    public void visitCode() {
                        super.visitCode();
                        visitLdcInsn("woven");
                        visitLdcInsn("true");
                        visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/System", "setProperty",
                                "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;", false);
                        visitInsn(Opcodes.POP);
                    }
                };
            }
        }, 0);
        return writer.toByteArray();
    }
}
