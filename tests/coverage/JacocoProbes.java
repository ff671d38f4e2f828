import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.stream.Stream;
import org.jacoco.core.internal.data.CRC64;
import org.jacoco.core.internal.flow.ClassProbesAdapter;
import org.jacoco.core.internal.flow.ClassProbesVisitor;
import org.jacoco.core.internal.flow.IFrame;
import org.jacoco.core.internal.flow.MethodProbesVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.Opcodes;

/**
 * Prints JaCoCo's probes in the form of probes.c. A class file version that JaCoCo's ASM does not know is replaced by the
 * newest that it knows: probes do not depend on it.
 */
public final class JacocoProbes extends ClassProbesVisitor {
    private static final int NEWEST = 64;

    private final boolean verbose;
    private final StringBuilder methods = new StringBuilder();
    private int count;

    private JacocoProbes(boolean verbose) {
        this.verbose = verbose;
    }

    public static void main(String[] args) throws IOException {
        boolean verbose = args[0].equals("-v");
        for (int i = verbose ? 1 : 0; i < args.length; i++) {
            try (Stream<Path> paths = Files.walk(Paths.get(args[i]))) {
                for (Path path : (Iterable<Path>) paths::iterator)
                    if (path.toString().endsWith(".class")) print(path, verbose);
            }
        }
        System.out.flush();
    }

    private static void print(Path path, boolean verbose) throws IOException {
        byte[] bytes = Files.readAllBytes(path);
        long id = CRC64.classId(bytes);
        if (bytes[7] > NEWEST) bytes[7] = NEWEST;
        JacocoProbes probes = new JacocoProbes(verbose);
        ClassReader reader;
        try {
            reader = new ClassReader(bytes);
            reader.accept(new Older(new ClassProbesAdapter(probes, false)), 0);
        } catch (RuntimeException broken) {
            System.err.println(path + ": " + broken);
            return;
        }
        if (probes.count == 0) return;
        System.out.printf("%016x %s %d%n", id, reader.getClassName(), probes.count);
        System.out.print(probes.methods);
    }

    /** Hides from a visitor of an older API what it would refuse. */
    private static final class Older extends ClassVisitor {
        Older(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitPermittedSubclass(String name) {}
    }

    @Override
    public MethodProbesVisitor visitMethod(
            int access, String name, String descriptor, String signature, String[] exceptions) {
        return new Method(name + descriptor);
    }

    @Override
    public void visitTotalProbeCount(int total) {
        count = total;
    }

    private final class Method extends MethodProbesVisitor {
        private final StringBuilder line = new StringBuilder();
        private final String name;
        private int instruction;

        Method(String name) {
            this.name = name;
        }

        private void probe(char kind) {
            line.append(' ').append(kind).append(instruction);
        }

        @Override
        public void visitProbe(int id) {
            probe('F');
        }

        @Override
        public void visitInsnWithProbe(int opcode, int id) {
            probe('E');
            instruction++;
        }

        @Override
        public void visitJumpInsnWithProbe(int opcode, Label label, int id, IFrame frame) {
            probe('J');
            instruction++;
        }

        private void switchProbes(Label dflt, Label[] labels) {
            java.util.Set<Integer> ids = new java.util.TreeSet<>();
            ids.add(org.jacoco.core.internal.flow.LabelInfo.getProbeId(dflt));
            for (Label label : labels) ids.add(org.jacoco.core.internal.flow.LabelInfo.getProbeId(label));
            for (int id : ids) if (id != org.jacoco.core.internal.flow.LabelInfo.NO_PROBE) probe('J');
            instruction++;
        }

        @Override
        public void visitTableSwitchInsnWithProbes(int min, int max, Label dflt, Label[] labels, IFrame frame) {
            switchProbes(dflt, labels);
        }

        @Override
        public void visitLookupSwitchInsnWithProbes(Label dflt, int[] keys, Label[] labels, IFrame frame) {
            switchProbes(dflt, labels);
        }

        @Override
        public void visitInsn(int opcode) {
            instruction++;
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            instruction++;
        }

        @Override
        public void visitVarInsn(int opcode, int local) {
            instruction++;
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            instruction++;
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
            instruction++;
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String method, String descriptor, boolean isInterface) {
            instruction++;
        }

        @Override
        public void visitInvokeDynamicInsn(String method, String descriptor, Handle bootstrap, Object... arguments) {
            instruction++;
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            instruction++;
        }

        @Override
        public void visitLdcInsn(Object value) {
            instruction++;
        }

        @Override
        public void visitIincInsn(int local, int increment) {
            instruction++;
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label dflt, Label... labels) {
            instruction++;
        }

        @Override
        public void visitLookupSwitchInsn(Label dflt, int[] keys, Label[] labels) {
            instruction++;
        }

        @Override
        public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
            instruction++;
        }

        @Override
        public void visitEnd() {
            if (verbose && line.length() > 0) methods.append("  ").append(name).append(line).append('\n');
        }
    }
}
