package gen;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.Type;

/** ldc of Class, MethodHandle, MethodType and Dynamic; invokedynamic with bootstrap methods of the class itself. */
final class GenConstants {
    static final String SELF = "cases/LoadedConstants", STRING = "java/lang/String";
    static final String LOOKUP = "java/lang/invoke/MethodHandles$Lookup", HANDLE = "java/lang/invoke/MethodHandle";

    static void all() {
        Handle condy = new Handle(H_INVOKESTATIC, SELF, "condy",
                "(L" + LOOKUP + ";Ljava/lang/String;Ljava/lang/Class;I)Ljava/lang/Object;", false);
        Handle wide = new Handle(H_INVOKESTATIC, SELF, "wide",
                "(L" + LOOKUP + ";Ljava/lang/String;Ljava/lang/Class;)J", false);
        Handle indy = new Handle(H_INVOKESTATIC, SELF, "indy",
                "(L" + LOOKUP + ";Ljava/lang/String;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/CallSite;", false);
        Label ok = new Label();
        ConstantDynamic inner = new ConstantDynamic("inner", "Ljava/lang/Object;", condy, 5);
        new Unit(V11, SELF)
                .fun("condy", "(L" + LOOKUP + ";Ljava/lang/String;Ljava/lang/Class;I)Ljava/lang/Object;", c -> c
                        .var(ILOAD, 3).jump(IFGE, ok).fail("bootstrap")
                        .at(ok).same()
                        .var(ALOAD, 1).var(ILOAD, 3).call(INVOKESTATIC, STRING, "valueOf", "(I)Ljava/lang/String;")
                        .call(INVOKEVIRTUAL, STRING, "concat", "(Ljava/lang/String;)Ljava/lang/String;").op(ARETURN))
                .fun("wide", "(L" + LOOKUP + ";Ljava/lang/String;Ljava/lang/Class;)J", c -> c
                        .ldc(1L << 40).op(LRETURN))
                .fun("indy", "(L" + LOOKUP + ";Ljava/lang/String;Ljava/lang/invoke/MethodType;)"
                        + "Ljava/lang/invoke/CallSite;", c -> c
                        .type(NEW, "java/lang/invoke/ConstantCallSite").op(DUP)
                        .var(ALOAD, 0).ldc(Type.getObjectType(SELF)).ldc("target").var(ALOAD, 2)
                        .call(INVOKEVIRTUAL, LOOKUP, "findStatic", "(Ljava/lang/Class;Ljava/lang/String;"
                                + "Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/MethodHandle;")
                        .init("java/lang/invoke/ConstantCallSite", "(L" + HANDLE + ";)V").op(ARETURN))
                .fun("target", "(IJ)J", c -> c.var(LLOAD, 1).var(ILOAD, 0).op(I2L, LDIV, LRETURN))
                .fun("dynamic", "()Ljava/lang/Object;", c -> c.ldc(inner).op(ARETURN))
                .fun("dynamicLong", "(I)J", c -> c
                        .ldc(new ConstantDynamic("w", "J", wide)).var(ILOAD, 0).op(I2L, LDIV, LRETURN))
                .fun("failing", "()Ljava/lang/Object;", c -> c
                        .ldc(new ConstantDynamic("bad", "Ljava/lang/Object;", condy, -1)).op(ARETURN))
                .fun("called", "(IJ)J", c -> {
                    c.var(ILOAD, 0).var(LLOAD, 1);
                    c.m.visitInvokeDynamicInsn("anything", "(IJ)J", indy);
                    c.op(LRETURN);
                })
                .fun("type", "()Ljava/lang/String;", c -> c
                        .ldc(Type.getType("[[I")).call(INVOKEVIRTUAL, "java/lang/Class", "getName", "()Ljava/lang/String;")
                        .ldc(Type.getMethodType("(IJ)V"))
                        .call(INVOKEVIRTUAL, "java/lang/invoke/MethodType", "toString", "()Ljava/lang/String;")
                        .call(INVOKEVIRTUAL, STRING, "concat", "(Ljava/lang/String;)Ljava/lang/String;").op(ARETURN))
                .fun("handle", "(IJ)J", c -> c
                        .ldc(new Handle(H_INVOKESTATIC, SELF, "target", "(IJ)J", false))
                        .var(ILOAD, 0).var(LLOAD, 1)
                        .call(INVOKEVIRTUAL, HANDLE, "invokeExact", "(IJ)J").op(LRETURN))
                .write();
    }
}
