package gen;

import static gen.Code.types;
import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Label;

/** Large methods: branches that only just reach, code at the limit of the format, constant pools at theirs. */
final class GenLarge {
    static final String STRING = "java/lang/String";
    static final Integer INT = INTEGER;

    static void all() {
        longBranches();
        cascade();
        wideConstructor();
        sizes();
        pools();
    }

    /**
     * Exactly `bytes` bytes of code that runs through, with a hundred returns on the way, each for one value of local 0
     * from -1001 down. The only local is the int 0; `framed` says whether frames are written.
     */
    static void filler(Code c, int bytes, boolean framed) {
        int used = 0;
        for (int i = 0; i < 100; i++) {
            Label l = new Label();
            c.num(-1001 - i).var(ILOAD, 0).jump(IF_ICMPNE, l).var(ILOAD, 0).op(IRETURN).at(l);
            if (framed)
                c.full(types(INT));
            used += 3 + 1 + 3 + 1 + 1;
        }
        while (bytes - used >= 3) {
            c.inc(0, 0);
            used += 3;
        }
        c.nops(bytes - used);
    }

    static void longBranches() {
        Unit u = new Unit(V1_8, "cases/LongBranches");
        // the branch sits at some pc p, the target at p + 3 + 32760: in reach, as long as nothing is inserted
        u.fun("forwardGoto", "(I)I", c -> {
            Label far = new Label(), near = new Label();
            c.var(ILOAD, 0).jump(IFLE, near).jump(GOTO, far).at(near).same();
            filler(c, 32760, true);
            c.num(1).op(IRETURN).at(far).same().num(100).var(ILOAD, 0).op(IDIV, IRETURN);
        });
        int[] ifs = {IFEQ, IFNE, IFLT, IFGE, IFGT, IFLE, IF_ICMPEQ, IF_ICMPNE, IF_ICMPLT, IF_ICMPGE, IF_ICMPGT,
            IF_ICMPLE, IF_ACMPEQ, IF_ACMPNE, IFNULL, IFNONNULL};
        u.fun("forwardIfs", "(I)I", c -> {
            Label far = new Label();
            for (int i = 0; i < ifs.length; i++) {
                Label skip = new Label();
                // the branch is not taken when local 0 is not i
                c.var(ILOAD, 0).num(i).jump(IF_ICMPNE, skip);
                if (i < 6)
                    c.num(i == 0 || i == 3 || i == 5 ? 0 : i == 2 ? -7 : 7).jump(ifs[i], far);
                else if (i < 12)
                    c.num(5).num(i == 6 || i == 9 || i == 11 ? 5 : i == 10 ? 4 : 6).jump(ifs[i], far);
                else if (i < 14)
                    c.ldc("x").ldc(i == 12 ? "x" : "y").jump(ifs[i], far);
                else
                    (i == 14 ? c.op(ACONST_NULL) : c.ldc("x")).jump(ifs[i], far);
                c.at(skip).same();
            }
            filler(c, 32500, true);
            c.num(1).op(IRETURN).at(far).same().var(ILOAD, 0).num(1000).op(IADD, IRETURN);
        });
        u.fun("backwardGoto", "(I)I", c -> {
            Label top = new Label(), go = new Label();
            c.at(top).same().inc(0, -1).var(ILOAD, 0).jump(IFGT, go).num(10).var(ILOAD, 0).op(IDIV, IRETURN)
                    .at(go).same();
            filler(c, 32740, true);
            c.jump(GOTO, top);
        });
        u.fun("backwardIf", "(I)I", c -> {
            Label top = new Label();
            c.at(top).same().inc(0, -1);
            filler(c, 32750, true);
            c.var(ILOAD, 0).jump(IFGT, top).num(10).var(ILOAD, 0).op(IDIV, IRETURN);
        });
        // a widened `if` with things on the stack, an uninitialized object among them, and locals of all kinds
        u.fun("loaded", "(I)Ljava/lang/String;", c -> {
            Label n = new Label(), far = new Label();
            c.num(3).op(LCONST_1).at(n).type(NEW, STRING).op(DUP).var(ILOAD, 0).jump(IFLT, far);
            for (int i = 0; i < 60; i++) {
                Label l = new Label();
                c.var(ILOAD, 0).num(1000 + i).jump(IF_ICMPNE, l).op(ACONST_NULL, ARETURN)
                        .at(l).full(types(INT), INT, LONG, n, n);
            }
            for (int i = 0; i < 10700; i++)
                c.inc(0, 0);
            c.ldc("short").init(STRING, "(Ljava/lang/String;)V").op(ARETURN)
                    .at(far).full(types(INT), INT, LONG, n, n)
                    .ldc("long").init(STRING, "(Ljava/lang/String;)V").op(ARETURN);
        });
        // the branch is the last instruction of a try range and its target a handler's neighbour
        u.fun("guarded", "(I)I", c -> {
            Label s = new Label(), e = new Label(), h = new Label(), far = new Label();
            c.guard(s, e, h, "java/lang/ArithmeticException")
                    .at(s).num(10).var(ILOAD, 0).op(IDIV).jump(IFGT, far).at(e);
            filler(c, 32700, true);
            c.num(2).op(IRETURN)
                    .at(h).same1("java/lang/ArithmeticException").op(POP).num(-1).op(IRETURN)
                    .at(far).same().num(3).op(IRETURN);
        });
        u.fun("small", "(I)I", c -> c.num(10).var(ILOAD, 0).op(IDIV, IRETURN));
        u.write();
    }

    /** Branches that go out of reach only because others before them were widened; a long switch among them. */
    static void cascade() {
        new Unit(V1_8, "cases/CascadingBranches")
                .fun("run", "(I)I", c -> {
                    int n = 40;
                    Label[] far = new Label[n];
                    for (int i = 0; i < n; i++)
                        far[i] = new Label();
                    for (int i = 0; i < n; i++)
                        c.var(ILOAD, 0).num(100 + i).jump(IF_ICMPEQ, far[i]);
                    Label s0 = new Label(), s1 = new Label();
                    c.var(ILOAD, 0);
                    c.m.visitTableSwitchInsn(1, 2, s0, s1, far[0]);
                    c.at(s1).same().num(55).op(IRETURN).at(s0).same();
                    filler(c, 32370, true);
                    c.num(-1).op(IRETURN);
                    for (int i = 0; i < n; i++)
                        c.at(far[i]).same().num(i).op(IRETURN);
                })
                .write();
    }

    /** A long branch before super(). */
    static void wideConstructor() {
        String base = "cases/DelegateBase", self = "cases/WideConstructor";
        new Unit(V1_8, self, base, false)
                .method(ACC_PUBLIC, "<init>", "(I)V", c -> {
                    Label far = new Label();
                    c.var(ALOAD, 0).var(ILOAD, 1).jump(IFLT, far);
                    for (int i = 0; i < 40; i++) {
                        Label l = new Label();
                        c.var(ILOAD, 1).num(2000 + i).jump(IF_ICMPNE, l)
                                .op(DUP).var(ILOAD, 1).init(base, "(I)V").op(RETURN)
                                .at(l).full(types(UNINITIALIZED_THIS, INT), UNINITIALIZED_THIS);
                    }
                    for (int i = 0; i < 10780; i++)
                        c.inc(1, 0);
                    c.var(ILOAD, 1).init(base, "(I)V").op(RETURN)
                            .at(far).full(types(UNINITIALIZED_THIS, INT), UNINITIALIZED_THIS)
                            .num(99).init(base, "(I)V").fail("far");
                })
                .write();
    }

    /** Methods of 65,533 and 65,535 bytes, of 60,000 with 3,000 returns, and around 8,000, beside a small one. */
    static void sizes() {
        Unit u = new Unit(V1_8, "cases/LargeMethods");
        for (int size : new int[] {65533, 65535, 65000, 30000, 7999, 7000})
            u.fun("bytes" + size, "(I)I", c -> {
                for (int i = 0; i < (size - 2) / 3; i++)
                    c.inc(0, 1);
                c.nops((size - 2) % 3).var(ILOAD, 0).op(IRETURN);
            });
        u.fun("returns", "(I)I", c -> {
            for (int i = 0; i < 6000; i++) {
                Label l = new Label();
                c.var(ILOAD, 0).num(i).jump(IF_ICMPNE, l).num(-1).op(IRETURN).at(l).same();
            }
            c.num(-2).op(IRETURN);
        });
        u.fun("small", "(I)I", c -> c.num(10).var(ILOAD, 0).op(IDIV, IRETURN));
        u.fun("smallCaller", "(I)I", c -> {
            c.var(ILOAD, 0).call(INVOKESTATIC, "cases/LargeMethods", "bytes65533", "(I)I")
                    .var(ILOAD, 0).call(INVOKESTATIC, "cases/LargeMethods", "small", "(I)I").op(IADD, IRETURN);
        });
        u.write();
    }

    /** Constant pools filled up to an index: 65,530 (nothing fits), 65,000, and 40,000 (all new indexes wide). */
    static void pools() {
        for (int last : new int[] {65530, 65534, 65000, 40000}) {
            Unit u = new Unit(V1_8, "cases/Pool" + last);
            u.fun("run", "(I)I", c -> {
                Label l = new Label();
                c.var(ILOAD, 0).jump(IFGE, l).fail("pool").at(l).same().num(10).var(ILOAD, 0).op(IDIV, IRETURN);
            });
            u.fun("text", "()Ljava/lang/String;", c -> c.ldc("the text").op(ARETURN));
            for (String s : new String[] {"Code", "StackMapTable", "SourceFile"})
                u.writer.newUTF8(s);
            int n = 0;
            while (u.writer.newUTF8("filler" + n++) < last) {
            }
            byte[] b = u.bytes();
            int count = (b[8] & 0xff) << 8 | b[9] & 0xff;
            if (count != last + 1)
                throw new AssertionError("constant pool count " + count);
            Unit.write(u.name + ".class", b);
        }
        // ldc_w and wide indexes everywhere: the class's own constants come last
        Unit u = new Unit(V1_8, "cases/PoolHigh");
        int n = 0;
        while (u.writer.newConst(1000000 + n++) < 60000) {
        }
        u.fun("run", "(I)J", c -> {
            Label l = new Label();
            c.var(ILOAD, 0).jump(IFGE, l).fail("high").at(l).same()
                    .ldc("late").call(INVOKEVIRTUAL, STRING, "length", "()I").ldc(123456789).op(IADD, I2L)
                    .ldc(1L << 50).op(LADD).num(10).var(ILOAD, 0).op(IDIV, I2L, LADD, LRETURN);
        });
        u.write();
    }
}
