import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;

/**
 * Plays the tool that hands classes on without their frames: those up to version 52 become version 50 and lose every
 * StackMapTable, which the old verifier, without a word, makes up for.
 */
public final class StrippingAgent implements ClassFileTransformer {
    public static void premain(String args, Instrumentation inst) {
        inst.addTransformer(new StrippingAgent());
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain d, byte[] original) {
        if (loader == null || name == null || !name.startsWith("cases/") || original[7] < 50 || original[7] > 52)
            return null;
        byte[] b = original.clone();
        b[7] = 50;
        ClassReader reader = new ClassReader(b);
        ClassWriter writer = new ClassWriter(0);
        reader.accept(writer, ClassReader.SKIP_FRAMES);
        return writer.toByteArray();
    }
}
