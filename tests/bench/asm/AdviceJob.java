import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.AdviceAdapter;

/**
 * The job of the `timing` pass done with ASM as its users do it: AdviceAdapter gives entry (in a constructor, after the
 * delegate call), exits and new locals, and has frames expanded; the writer shares the constant pool and computes the
 * sizes. Compared with TimingJob, nothing is seen of a constructor before its delegate call.
 *
 * <pre>
 * entry:        id; enter -> saved; System.nanoTime -> start
 * return:       start, saved, id; exit
 * exception:    start, saved, id; thrown; athrow
 * </pre>
 */
final class AdviceJob extends ClassVisitor {
    private static final Object[] NO_LOCALS = {}, THROWN = {"java/lang/Throwable"};

    private final boolean isObject;
    private boolean framed;
    private String owner;

    private AdviceJob(ClassWriter writer, boolean isObject) {
        super(Opcodes.ASM9, writer);
        this.isObject = isObject;
    }

    /** The rewritten class. */
    static byte[] rewrite(byte[] original) {
        ClassReader reader = new ClassReader(original);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        boolean isObject = reader.getClassName().equals("java/lang/Object");
        reader.accept(new AdviceJob(writer, isObject), ClassReader.EXPAND_FRAMES);
        return writer.toByteArray();
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        framed = (version & 0xffff) >= Opcodes.V1_6;
        owner = name;
        super.visit(version, access, name, signature, superName, interfaces);
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] exceptions) {
        MethodVisitor next = super.visitMethod(access, name, desc, signature, exceptions);
        // java.lang.Object's constructor has no delegate call for AdviceAdapter to wait for.
        if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0 || isObject && name.equals("<init>"))
            return next;
        return new Timed(next, access, name, desc, Ids.of(owner, name, desc));
    }

    /** One method. */
    private final class Timed extends AdviceAdapter {
        private final int id;
        private int saved, start;
        private boolean entered;
        private Label begin;

        Timed(MethodVisitor next, int access, String name, String desc, int id) {
            super(Opcodes.ASM9, next, access, name, desc);
            this.id = id;
        }

        private void leave(String how) {
            mv.visitVarInsn(LLOAD, start);
            mv.visitVarInsn(LLOAD, saved);
            push(id);
            mv.visitMethodInsn(INVOKESTATIC, TimingJob.GATE, how, "(JJI)V", false);
        }

        @Override
        protected void onMethodEnter() {
            saved = newLocal(Type.LONG_TYPE);
            start = newLocal(Type.LONG_TYPE);
            push(id);
            mv.visitMethodInsn(INVOKESTATIC, TimingJob.GATE, "enter", "(I)J", false);
            mv.visitVarInsn(LSTORE, saved);
            mv.visitMethodInsn(INVOKESTATIC, "java/lang/System", "nanoTime", "()J", false);
            mv.visitVarInsn(LSTORE, start);
            begin = mark();
            entered = true;
        }

        @Override
        protected void onMethodExit(int opcode) {
            if (opcode == ATHROW || !entered)
                return;
            close();
            leave("exit");
        }

        /** What follows a return is covered again; the exit and the return are not. */
        @Override
        public void visitInsn(int opcode) {
            super.visitInsn(opcode);
            if (entered && opcode >= IRETURN && opcode <= RETURN)
                begin = mark();
        }

        private final java.util.ArrayList<Label> ranges = new java.util.ArrayList<>();

        private void close() {
            Label end = mark();
            if (begin.getOffset() != end.getOffset()) {
                ranges.add(begin);
                ranges.add(end);
            }
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            if (entered) {
                close();
                handler();
            }
            super.visitMaxs(maxStack, maxLocals);
        }

        private void handler() {
            if (ranges.isEmpty())
                return;
            Label handler = mark();
            for (int i = 0; i < ranges.size(); i += 2)
                mv.visitTryCatchBlock(ranges.get(i), ranges.get(i + 1), handler, null);
            if (framed)
                visitFrame(F_NEW, 0, NO_LOCALS, 1, THROWN); // the new locals are added
            leave("thrown");
            mv.visitInsn(ATHROW);
        }
    }
}
