package gen;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/** A fluent face on a MethodVisitor. Frames are written exactly in the form that is asked for. */
final class Code {
    final MethodVisitor m;

    Code(MethodVisitor m) {
        this.m = m;
    }

    Code op(int... opcodes) {
        for (int opcode : opcodes)
            m.visitInsn(opcode);
        return this;
    }

    Code var(int opcode, int slot) {
        m.visitVarInsn(opcode, slot);
        return this;
    }

    Code inc(int slot, int by) {
        m.visitIincInsn(slot, by);
        return this;
    }

    Code num(int n) {
        if (n >= -1 && n <= 5)
            m.visitInsn(ICONST_0 + n);
        else if (n == (byte) n)
            m.visitIntInsn(BIPUSH, n);
        else if (n == (short) n)
            m.visitIntInsn(SIPUSH, n);
        else
            m.visitLdcInsn(n);
        return this;
    }

    Code ldc(Object constant) {
        m.visitLdcInsn(constant);
        return this;
    }

    Code jump(int opcode, Label to) {
        m.visitJumpInsn(opcode, to);
        return this;
    }

    Code at(Label... labels) {
        for (Label l : labels)
            m.visitLabel(l);
        return this;
    }

    Code line(int number) {
        Label here = new Label();
        m.visitLabel(here);
        m.visitLineNumber(number, here);
        return this;
    }

    Code type(int opcode, String type) {
        m.visitTypeInsn(opcode, type);
        return this;
    }

    Code field(int opcode, String owner, String name, String desc) {
        m.visitFieldInsn(opcode, owner, name, desc);
        return this;
    }

    Code call(int opcode, String owner, String name, String desc) {
        m.visitMethodInsn(opcode, owner, name, desc, opcode == INVOKEINTERFACE);
        return this;
    }

    Code init(String owner, String desc) {
        return call(INVOKESPECIAL, owner, "<init>", desc);
    }

    Code guard(Label start, Label end, Label handler, String type) {
        m.visitTryCatchBlock(start, end, handler, type);
        return this;
    }

    /** {@code throw new RuntimeException(message)}. */
    Code fail(String message) {
        return type(NEW, "java/lang/IllegalStateException").op(DUP).ldc(message)
                .init("java/lang/IllegalStateException", "(Ljava/lang/String;)V").op(ATHROW);
    }

    Code full(Object[] locals, Object... stack) {
        m.visitFrame(F_FULL, locals.length, locals, stack.length, stack);
        return this;
    }

    /** The one form that classes below version 50 take; ASM writes it as attribute StackMap. */
    Code expanded(Object[] locals, Object... stack) {
        m.visitFrame(F_NEW, locals.length, locals, stack.length, stack);
        return this;
    }

    Code same() {
        m.visitFrame(F_SAME, 0, null, 0, null);
        return this;
    }

    Code same1(Object type) {
        m.visitFrame(F_SAME1, 0, null, 1, new Object[] {type});
        return this;
    }

    Code append(Object... locals) {
        m.visitFrame(F_APPEND, locals.length, locals, 0, null);
        return this;
    }

    Code chop(int n) {
        m.visitFrame(F_CHOP, n, null, 0, null);
        return this;
    }

    Code nops(int n) {
        for (int i = 0; i < n; i++)
            m.visitInsn(NOP);
        return this;
    }

    static Object[] types(Object... types) {
        return types;
    }
}
