package gen;

import static org.objectweb.asm.Opcodes.*;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;

/** One class being generated. The maxima are computed; frames are given by hand, or computed when asked for. */
final class Unit {
    static Path out;

    final String name;
    final ClassWriter writer;

    Unit(int version, String name) {
        this(version, name, "java/lang/Object", false);
    }

    Unit(int version, String name, String superName, boolean computeFrames, String... interfaces) {
        this.name = name;
        // classes of a program are not loaded to merge types: the cases need no better merge than Object
        writer = new ClassWriter(computeFrames ? ClassWriter.COMPUTE_FRAMES : ClassWriter.COMPUTE_MAXS) {
            @Override
            protected String getCommonSuperClass(String a, String b) {
                return "java/lang/Object";
            }
        };
        writer.visit(version, ACC_PUBLIC | (version == V1_1 ? 0 : ACC_SUPER), name, null, superName, interfaces);
        writer.visitSource(name.substring(name.lastIndexOf('/') + 1) + ".gen", null);
    }

    Unit method(int access, String method, String desc, Consumer<Code> body) {
        MethodVisitor m = writer.visitMethod(access, method, desc, null, null);
        m.visitCode();
        body.accept(new Code(m));
        m.visitMaxs(0, 0);
        m.visitEnd();
        return this;
    }

    /** A public static method. */
    Unit fun(String method, String desc, Consumer<Code> body) {
        return method(ACC_PUBLIC | ACC_STATIC, method, desc, body);
    }

    Unit field(int access, String field, String desc) {
        writer.visitField(access, field, desc, null, null).visitEnd();
        return this;
    }

    byte[] bytes() {
        writer.visitEnd();
        return writer.toByteArray();
    }

    void write() {
        write(name + ".class", bytes());
    }

    static void write(String file, byte[] bytes) {
        try {
            Path p = out.resolve(file);
            Files.createDirectories(p.getParent());
            Files.write(p, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
