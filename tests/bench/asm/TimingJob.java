import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The job of the `timing` pass done with ASM, as fast as ASM does it: nothing is expanded, remapped or recomputed, the
 * constant pool is shared, the new locals go behind the old ones, whose number is read from the class file beforehand.
 *
 * <pre>
 * entry:        id; enter -> saved; System.nanoTime -> start       (construct, in a constructor)
 * after super:  id; initialized
 * return:       start, saved, id; exit
 * exception:    start, saved, id; thrown; athrow                   (thrownEarly before the delegate call)
 * </pre>
 *
 * The catch-all handlers come last in the exception table and cover neither the inserted exits, nor the returns, nor
 * the delegate call of a constructor.
 */
final class TimingJob extends ClassVisitor {
    static final String GATE = "java/lang/InstrTiming";

    private final int[] maxLocals;
    private final boolean isObject;
    private boolean framed;
    private int method = -1;

    private TimingJob(ClassWriter writer, int[] maxLocals, boolean isObject) {
        super(Opcodes.ASM9, writer);
        this.maxLocals = maxLocals;
        this.isObject = isObject;
    }

    /** The rewritten class. */
    static byte[] rewrite(byte[] original) {
        ClassReader reader = new ClassReader(original);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(new TimingJob(writer, maxLocals(reader),
                reader.getClassName().equals("java/lang/Object")), 0);
        return writer.toByteArray();
    }

    /** max_locals of each method, in their order; ASM itself tells it at a method's end only. */
    private static int[] maxLocals(ClassReader r) {
        char[] buffer = new char[r.getMaxStringLength()];
        int at = r.header + 8 + 2 * r.readUnsignedShort(r.header + 6);
        at = skipMembers(r, at, null, buffer);
        int[] result = new int[r.readUnsignedShort(at)];
        skipMembers(r, at, result, buffer);
        return result;
    }

    private static int skipMembers(ClassReader r, int at, int[] maxLocals, char[] buffer) {
        int count = r.readUnsignedShort(at);
        at += 2;
        for (int i = 0; i < count; i++) {
            int attributes = r.readUnsignedShort(at + 6);
            at += 8;
            for (int a = 0; a < attributes; a++) {
                if (maxLocals != null && "Code".equals(r.readUTF8(at, buffer)))
                    maxLocals[i] = r.readUnsignedShort(at + 8);
                at += 6 + r.readInt(at + 2);
            }
        }
        return at;
    }

    private String owner;

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        framed = (version & 0xffff) >= Opcodes.V1_6;
        owner = name;
        super.visit(version, access, name, signature, superName, interfaces);
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] exceptions) {
        MethodVisitor next = super.visitMethod(access, name, desc, signature, exceptions);
        method++;
        if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0)
            return next;
        return new Timed(next, access, name, desc, Ids.of(owner, name, desc), maxLocals[method]);
    }

    /** One method. */
    private final class Timed extends MethodVisitor {
        private final boolean constructor, isStatic;
        private final String desc;
        private final int id, saved, start;
        private boolean delegated;
        private int outstanding; // `new` whose constructor was not called yet
        // the locals of the last frame; -1: no frame yet
        private Object[] locals;
        private int localsCount = -1;
        private Object[] padded;
        // the range being covered, and those that are complete: pairs of labels, the early ones first
        private Label rangeStart;
        private boolean rangeUsed;
        private Label[] ranges = new Label[8];
        private int rangesCount, earlyCount;

        Timed(MethodVisitor next, int access, String name, String desc, int id, int maxLocals) {
            super(Opcodes.ASM9, next);
            isStatic = (access & Opcodes.ACC_STATIC) != 0;
            constructor = !isObject && name.equals("<init>");
            this.desc = desc;
            this.id = id;
            saved = maxLocals;
            start = maxLocals + 2;
        }

        private void pushId() {
            if (id <= Short.MAX_VALUE)
                mv.visitIntInsn(Opcodes.SIPUSH, id);
            else
                mv.visitLdcInsn(id);
        }

        private void leave(String how) {
            mv.visitVarInsn(Opcodes.LLOAD, start);
            mv.visitVarInsn(Opcodes.LLOAD, saved);
            pushId();
            mv.visitMethodInsn(Opcodes.INVOKESTATIC, GATE, how, "(JJI)V", false);
        }

        @Override
        public void visitCode() {
            mv.visitCode();
            pushId();
            mv.visitMethodInsn(Opcodes.INVOKESTATIC, GATE, constructor ? "construct" : "enter", "(I)J", false);
            mv.visitVarInsn(Opcodes.LSTORE, saved);
            mv.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/System", "nanoTime", "()J", false);
            mv.visitVarInsn(Opcodes.LSTORE, start);
            open();
        }

        private void open() {
            rangeStart = new Label();
            rangeUsed = false;
            mv.visitLabel(rangeStart);
        }

        private void close() {
            if (!rangeUsed)
                return;
            if (rangesCount == ranges.length)
                ranges = java.util.Arrays.copyOf(ranges, rangesCount * 2);
            Label end = new Label();
            mv.visitLabel(end);
            ranges[rangesCount++] = rangeStart;
            ranges[rangesCount++] = end;
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
                close();
                leave("exit");
                mv.visitInsn(opcode);
                open();
            } else {
                rangeUsed = true;
                mv.visitInsn(opcode);
            }
        }

        @Override
        public void visitMethodInsn(int opcode, String type, String name, String descriptor, boolean isInterface) {
            if (constructor && !delegated && opcode == Opcodes.INVOKESPECIAL && name.equals("<init>")
                    && outstanding-- == 0) {
                delegated = true;
                close();
                earlyCount = rangesCount;
                mv.visitMethodInsn(opcode, type, name, descriptor, isInterface);
                pushId();
                mv.visitMethodInsn(Opcodes.INVOKESTATIC, GATE, "initialized", "(I)V", false);
                open();
                return;
            }
            rangeUsed = true;
            mv.visitMethodInsn(opcode, type, name, descriptor, isInterface);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            rangeUsed = true;
            if (opcode == Opcodes.NEW)
                outstanding++;
            mv.visitTypeInsn(opcode, type);
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            rangeUsed = true;
            mv.visitIntInsn(opcode, operand);
        }

        @Override
        public void visitVarInsn(int opcode, int slot) {
            rangeUsed = true;
            mv.visitVarInsn(opcode, slot);
        }

        @Override
        public void visitFieldInsn(int opcode, String type, String name, String descriptor) {
            rangeUsed = true;
            mv.visitFieldInsn(opcode, type, name, descriptor);
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            rangeUsed = true;
            mv.visitInvokeDynamicInsn(name, descriptor, bootstrap, arguments);
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            rangeUsed = true;
            mv.visitJumpInsn(opcode, label);
        }

        @Override
        public void visitLdcInsn(Object value) {
            rangeUsed = true;
            mv.visitLdcInsn(value);
        }

        @Override
        public void visitIincInsn(int slot, int by) {
            rangeUsed = true;
            mv.visitIincInsn(slot, by);
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label dflt, Label... labels) {
            rangeUsed = true;
            mv.visitTableSwitchInsn(min, max, dflt, labels);
        }

        @Override
        public void visitLookupSwitchInsn(Label dflt, int[] keys, Label[] labels) {
            rangeUsed = true;
            mv.visitLookupSwitchInsn(dflt, keys, labels);
        }

        @Override
        public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
            rangeUsed = true;
            mv.visitMultiANewArrayInsn(descriptor, dimensions);
        }

        /** Same and same1 keep their form, but for the first frame; what changes the locals becomes full. */
        @Override
        public void visitFrame(int type, int nLocal, Object[] local, int nStack, Object[] stack) {
            boolean first = localsCount < 0;
            if (first)
                implicitLocals();
            switch (type) {
                case Opcodes.F_FULL:
                    localsCount = 0;
                    append(nLocal, local);
                    break;
                case Opcodes.F_APPEND:
                    append(nLocal, local);
                    break;
                case Opcodes.F_CHOP:
                    localsCount -= nLocal;
                    break;
                default:
                    if (!first) {
                        mv.visitFrame(type, nLocal, local, nStack, stack);
                        return;
                    }
                    nStack = type == Opcodes.F_SAME1 ? 1 : 0;
            }
            if (type == Opcodes.F_APPEND || type == Opcodes.F_CHOP)
                nStack = 0;
            int n = pad();
            mv.visitFrame(Opcodes.F_FULL, n, padded, nStack, stack);
        }

        private void append(int n, Object[] types) {
            if (locals.length < localsCount + n)
                locals = java.util.Arrays.copyOf(locals, (localsCount + n) * 2);
            System.arraycopy(types, 0, locals, localsCount, n);
            localsCount += n;
        }

        /** The locals, Top up to the new ones, and those; gives their number. */
        private int pad() {
            int slots = 0;
            for (int i = 0; i < localsCount; i++)
                slots += locals[i] == Opcodes.LONG || locals[i] == Opcodes.DOUBLE ? 2 : 1;
            int n = localsCount + saved - slots + 2;
            if (padded == null || padded.length < n)
                padded = new Object[saved + 2];
            System.arraycopy(locals, 0, padded, 0, localsCount);
            java.util.Arrays.fill(padded, localsCount, n - 2, Opcodes.TOP);
            padded[n - 2] = padded[n - 1] = Opcodes.LONG;
            return n;
        }

        private void implicitLocals() {
            locals = new Object[8];
            localsCount = 0;
            Object[] one = new Object[1];
            if (!isStatic) {
                one[0] = constructor ? Opcodes.UNINITIALIZED_THIS : owner;
                append(1, one);
            }
            for (int i = 1; desc.charAt(i) != ')'; i++) {
                int from = i;
                while (desc.charAt(i) == '[')
                    i++;
                boolean array = i > from;
                char c = desc.charAt(i);
                if (c == 'L')
                    i = desc.indexOf(';', i);
                one[0] = array ? desc.substring(from, i + 1)
                        : c == 'L' ? desc.substring(from + 1, i)
                        : c == 'J' ? Opcodes.LONG : c == 'D' ? Opcodes.DOUBLE : c == 'F' ? Opcodes.FLOAT
                        : Opcodes.INTEGER;
                append(1, one);
            }
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            close();
            if (!delegated && constructor)
                earlyCount = rangesCount;
            if (earlyCount > 0)
                handler(0, earlyCount, true);
            if (rangesCount > earlyCount)
                handler(earlyCount, rangesCount, false);
            mv.visitMaxs(Math.max(maxStack, 1) + 5, start + 2);
        }

        private void handler(int from, int to, boolean early) {
            Label handler = new Label();
            mv.visitLabel(handler);
            for (int i = from; i < to; i += 2)
                mv.visitTryCatchBlock(ranges[i], ranges[i + 1], handler, null);
            if (framed) {
                if (locals == null)
                    locals = new Object[8];
                localsCount = 0;
                if (early) {
                    locals[0] = Opcodes.UNINITIALIZED_THIS;
                    localsCount = 1;
                }
                int n = pad();
                mv.visitFrame(Opcodes.F_FULL, n, padded, 1, THROWN);
            }
            leave(early ? "thrownEarly" : "thrown");
            mv.visitInsn(Opcodes.ATHROW);
        }
    }

    private static final Object[] THROWN = {"java/lang/Throwable"};
}
