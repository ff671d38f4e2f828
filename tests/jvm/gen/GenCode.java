package gen;

import static gen.Code.types;
import static org.objectweb.asm.Opcodes.*;
import static org.objectweb.asm.TypeReference.LOCAL_VARIABLE;

import org.objectweb.asm.Label;

/** Instructions: switches at every padding, dup forms, arrays, everything with an odd shape. */
final class GenCode {
    static final String OBJECT = "java/lang/Object", STRING = "java/lang/String";
    static final Integer INT = INTEGER;

    static void all() {
        switches();
        dups();
        arrays();
        calls();
        manyArguments();
        manyHandlers();
        annotatedBehind();
    }

    /** An annotation of a local variable that is live nowhere, behind all code: no JVM looks at it. */
    static void annotatedBehind() {
        Label end = new Label();
        new Unit(V1_8, "cases/AnnotatedBehind")
                .fun("run", "(I)I", c -> {
                    c.num(10).var(ILOAD, 0).op(IDIV, IRETURN).at(end);
                    c.m.visitLocalVariableAnnotation(LOCAL_VARIABLE << 24, null, new Label[] {end}, new Label[] {end},
                            new int[] {0}, "Lcases/Any;", true).visitEnd();
                })
                .write();
    }

    /** tableswitch and lookupswitch behind 0 to 3 nops: all four paddings before, and again after insertion. */
    static void switches() {
        Unit u = new Unit(V1_8, "cases/SwitchPaddings");
        for (int pad = 0; pad < 4; pad++) {
            int nops = pad;
            u.fun("table" + pad, "(I)I", c -> {
                Label[] l = labels(5);
                c.nops(nops).var(ILOAD, 0);
                c.m.visitTableSwitchInsn(-1, 2, l[4], l[0], l[1], l[1], l[2]);
                c.at(l[0]).same().num(10).op(IRETURN)
                        .at(l[1]).same().num(20).var(ILOAD, 0).op(IDIV, IRETURN)
                        .at(l[2]).same().num(30).op(IRETURN)
                        .at(l[4]).same().fail("table");
            });
            u.fun("lookup" + pad, "(I)I", c -> {
                Label[] l = labels(5);
                c.nops(nops).var(ILOAD, 0);
                c.m.visitLookupSwitchInsn(l[3], new int[] {Integer.MIN_VALUE, -5, 0, 7, Integer.MAX_VALUE},
                        new Label[] {l[0], l[1], l[2], l[0], l[1]});
                c.at(l[0]).same().num(1).op(IRETURN)
                        .at(l[1]).same().num(2).op(IRETURN)
                        .at(l[2]).same().num(3).var(ILOAD, 0).op(IDIV, IRETURN)
                        .at(l[3]).same().num(4).op(IRETURN);
            });
        }
        // in a loop to pc 0, with a switch that jumps backward, one without pairs, and one with a single entry
        u.fun("back", "(I)I", c -> {
            Label top = new Label(), out = new Label(), next = new Label();
            c.at(top).same().inc(0, -1).var(ILOAD, 0);
            c.m.visitTableSwitchInsn(0, 0, next, out);
            c.at(next).same().var(ILOAD, 0);
            c.m.visitLookupSwitchInsn(top, new int[0], new Label[0]);
            c.at(out).same().var(ILOAD, 0).op(IRETURN);
        });
        u.write();
    }

    static Label[] labels(int n) {
        Label[] l = new Label[n];
        for (int i = 0; i < n; i++)
            l[i] = new Label();
        return l;
    }

    /** Every form of dup, dup_x1, dup_x2, dup2, dup2_x1, dup2_x2, pop2 and swap, with a digest of the stack. */
    static void dups() {
        Unit u = new Unit(V1_8, "cases/DupForms");
        u.fun("ints", "(IIII)I", c -> c
                .var(ILOAD, 0).var(ILOAD, 1).op(DUP_X1, ISUB, IADD) // b a b -> b + (a - b)
                .var(ILOAD, 2).var(ILOAD, 3).op(DUP_X2, POP, IMUL, ISUB)
                .var(ILOAD, 0).var(ILOAD, 1).op(DUP2, ISUB, IMUL, SWAP, IDIV, IADD)
                .op(IRETURN));
        u.fun("overLong", "(JI)J", c -> c // dup_x2 form 2: int over long
                .var(LLOAD, 0).var(ILOAD, 2).op(DUP_X2, I2L, LSUB).op(DUP2_X1, POP2, I2L, LADD).op(LRETURN));
        u.fun("longs", "(JJ)J", c -> c // dup2 form 2, dup2_x2 form 4: long over long
                .var(LLOAD, 0).var(LLOAD, 2).op(DUP2_X2, LSUB, LDIV)
                .op(DUP2, LMUL).op(LRETURN));
        u.fun("longOverInts", "(IIJ)J", c -> c // dup2_x2 form 2: long over two ints
                .var(ILOAD, 0).var(ILOAD, 1).var(LLOAD, 2).op(DUP2_X2, L2I, IMUL, IADD, I2L, LADD).op(LRETURN));
        u.fun("intsOverLong", "(JII)J", c -> c // dup2_x2 form 3: two ints over a long
                .var(LLOAD, 0).var(ILOAD, 2).var(ILOAD, 3).op(DUP2_X2, IADD, I2L, LADD, L2I, ISUB, ISUB, I2L)
                .op(LRETURN));
        u.fun("longOverInt", "(IJ)J", c -> c // dup2_x1 form 2: long over int
                .var(ILOAD, 0).var(LLOAD, 1).op(DUP2_X1, L2I, IDIV, I2L, LADD).op(LRETURN));
        u.fun("doubles", "(DD)D", c -> c
                .var(DLOAD, 0).var(DLOAD, 2).op(DUP2_X2, DSUB, DMUL, DRETURN));
        u.fun("pops", "(IJLjava/lang/Object;)I", c -> c
                .var(ILOAD, 0).var(LLOAD, 1).op(POP2).var(ILOAD, 0).var(ALOAD, 3).op(SWAP, POP2)
                .var(ALOAD, 3).call(INVOKEVIRTUAL, OBJECT, "hashCode", "()I").op(ISUB, IRETURN));
        u.write();
    }

    /** multianewarray, arrays of arrays, every load and store, casts and instanceof on array types. */
    static void arrays() {
        Label no = new Label();
        new Unit(V1_8, "cases/ArrayCode")
                .fun("cube", "(III)I", c -> {
                    c.var(ILOAD, 0).var(ILOAD, 1).var(ILOAD, 2);
                    c.m.visitMultiANewArrayInsn("[[[J", 3);
                    c.var(ASTORE, 3)
                            .var(ALOAD, 3).num(0).op(AALOAD).num(0).op(AALOAD).num(0).op(LCONST_1, LASTORE)
                            .var(ALOAD, 3).op(ARRAYLENGTH)
                            .var(ALOAD, 3).num(0).op(AALOAD, ARRAYLENGTH, IADD)
                            .var(ALOAD, 3).num(0).op(AALOAD).num(0).op(AALOAD).num(0).op(LALOAD, L2I, IADD)
                            .op(IRETURN);
                })
                .fun("partial", "(I)Ljava/lang/Object;", c -> {
                    c.var(ILOAD, 0);
                    c.m.visitMultiANewArrayInsn("[[[Ljava/lang/String;", 1);
                    c.type(CHECKCAST, "[Ljava/lang/Object;").op(ARETURN);
                })
                .fun("kinds", "(Ljava/lang/Object;)Z", c -> c
                        .var(ALOAD, 0).type(INSTANCEOF, "[[I").jump(IFEQ, no)
                        .var(ALOAD, 0).type(CHECKCAST, "[[I").num(0).op(AALOAD)
                        .call(INVOKEVIRTUAL, "[I", "clone", "()Ljava/lang/Object;")
                        .type(CHECKCAST, "[I").num(1).op(IALOAD, IRETURN)
                        .at(no).same()
                        .var(ALOAD, 0).type(CHECKCAST, "[B").num(0).op(BALOAD, IRETURN))
                .write();
    }

    /** Interface, special, static-interface and signature-polymorphic calls; jumps of all kinds. */
    static void calls() {
        String self = "cases/Jumps";
        Unit u = new Unit(V1_8, self);
        int[] ints = {IFEQ, IFNE, IFLT, IFGE, IFGT, IFLE};
        int[] compares = {IF_ICMPEQ, IF_ICMPNE, IF_ICMPLT, IF_ICMPGE, IF_ICMPGT, IF_ICMPLE};
        u.fun("all", "(IILjava/lang/Object;Ljava/lang/Object;)I", c -> {
            c.num(0).var(ISTORE, 4);
            Label first = new Label();
            c.jump(GOTO, first).at(first).append(INT);
            for (int i = 0; i < 6; i++) {
                Label a = new Label(), b = new Label();
                c.var(ILOAD, 0).jump(ints[i], a).inc(4, 1 << i).at(a).same()
                        .var(ILOAD, 0).var(ILOAD, 1).jump(compares[i], b).inc(4, 64 << i).at(b).same();
            }
            Label[] l = labels(4);
            c.var(ALOAD, 2).jump(IFNULL, l[0]).inc(4, 4096).at(l[0]).same()
                    .var(ALOAD, 2).jump(IFNONNULL, l[1]).inc(4, 8192).at(l[1]).same()
                    .var(ALOAD, 2).var(ALOAD, 3).jump(IF_ACMPEQ, l[2]).inc(4, 16384).at(l[2]).same()
                    .var(ALOAD, 2).var(ALOAD, 3).jump(IF_ACMPNE, l[3]).inc(4, 1000).at(l[3]).same()
                    .var(ILOAD, 4).op(IRETURN);
        });
        u.fun("list", "(Ljava/util/List;I)Ljava/lang/Object;", c -> c
                .var(ALOAD, 0).var(ILOAD, 1).call(INVOKEINTERFACE, "java/util/List", "get", "(I)Ljava/lang/Object;")
                .op(ARETURN));
        u.write();
    }

    /** 255 argument slots, in int and in long. */
    static void manyArguments() {
        new Unit(V1_8, "cases/ManyArguments")
                .fun("ints", "(" + "I".repeat(255) + ")I", c -> c.var(ILOAD, 0).var(ILOAD, 254).op(IDIV, IRETURN))
                .fun("longs", "(" + "J".repeat(127) + "I)J", c -> c
                        .var(LLOAD, 252).var(ILOAD, 254).op(I2L, LDIV, LRETURN))
                .method(ACC_PUBLIC, "<init>", "(" + "I".repeat(254) + ")V", c -> c
                        .var(ALOAD, 0).init(OBJECT, "()V").var(ILOAD, 254).var(ILOAD, 253).op(IDIV, POP, RETURN))
                .write();
    }

    /** An exception table with 65,535 entries takes no further one; 65,000 take a few. */
    static void manyHandlers() {
        Unit u = new Unit(V1_8, "cases/ManyHandlers");
        for (int n : new int[] {65535, 65000})
            u.fun("handlers" + n, "(I)I", c -> {
                Label s = new Label(), e = new Label(), h = new Label();
                for (int i = 0; i < n; i++)
                    c.guard(s, e, h, "java/lang/ClassCastException");
                c.at(s).num(10).var(ILOAD, 0).op(IDIV, IRETURN)
                        .at(e).at(h).full(types(INT), "java/lang/ClassCastException").op(POP).num(0).op(IRETURN);
            });
        u.write();
    }
}
