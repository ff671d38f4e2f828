package gen;

import static gen.Code.types;
import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Label;

/** Old class files: jsr and ret, no frames, dead code that is never typed, 45.3 and the short Code of 45.2, both kinds of 50. */
final class GenOld {
    static final String OBJECT = "java/lang/Object";
    static final Integer INT = INTEGER;

    static void all() {
        for (int version : new int[] {V1_5, V1_4, V1_2, V1_1}) {
            String name = "cases/Subroutines" + (version & 0xffff);
            subroutines(version, name).write();
        }
        deadCode();
        oldConstructors();
        backwardsConstructor();
        handlerOfBothPhases();
        subroutineInConstructor();
        beforeOne1();
        fifty();
        subroutineAtTheEnd();
        longSubroutine();
        stackMap();
    }

    /** Frames in the form of CLDC, the attribute StackMap, which a JVM does not look at but ASM reads. */
    static void stackMap() {
        for (int version : new int[] {V1_5, V1_1}) {
            Label loop = new Label(), done = new Label(), s = new Label(), e = new Label(), h = new Label(), n = new Label();
            Label yes = new Label(), join = new Label();
            new Unit(version, "cases/StackMap" + (version & 0xffff))
                    .fun("loop", "(I)I", c -> c
                            .guard(s, e, h, "java/lang/ArithmeticException")
                            .num(0).var(ISTORE, 1)
                            .at(loop).expanded(types(INT, INT)).var(ILOAD, 0).jump(IFLE, done)
                            .at(s).var(ILOAD, 1).num(12).var(ILOAD, 0).num(-2).op(IADD, IDIV, IADD).var(ISTORE, 1)
                            .at(e).inc(0, -1).jump(GOTO, loop)
                            .at(h).expanded(types(INT, INT), "java/lang/ArithmeticException").op(POP)
                            .inc(1, 1000).inc(0, -1).jump(GOTO, loop)
                            .at(done).expanded(types(INT, INT)).num(100).var(ILOAD, 0).op(IDIV).var(ILOAD, 1).op(IADD, IRETURN))
                    .fun("made", "(I)Ljava/lang/String;", c -> c
                            .at(n).type(NEW, "java/lang/String").op(DUP).var(ILOAD, 0).jump(IFNE, yes)
                            .ldc("zero").jump(GOTO, join)
                            .at(yes).expanded(types(INT), n, n).ldc("other")
                            .at(join).expanded(types(INT), n, n, "java/lang/String")
                            .init("java/lang/String", "(Ljava/lang/String;)V").op(ARETURN))
                    .write();
        }
    }

    static Unit subroutines(int version, String name) {
        Unit u = new Unit(version, name);
        u.field(ACC_PUBLIC | ACC_STATIC, "steps", "I");
        // try { return 10 / n } finally { steps++ }, as javac 1.3 wrote it
        u.fun("finallyBlock", "(I)I", c -> {
            Label s = new Label(), e = new Label(), h = new Label(), sub = new Label();
            c.guard(s, e, h, null)
                    .at(s).num(10).var(ILOAD, 0).op(IDIV).var(ISTORE, 1)
                    .jump(JSR, sub).var(ILOAD, 1).op(IRETURN)
                    .at(e).at(h).var(ASTORE, 2).jump(JSR, sub).var(ALOAD, 2).op(ATHROW)
                    .at(sub).var(ASTORE, 3)
                    .field(GETSTATIC, name, "steps", "I").num(1).op(IADD).field(PUTSTATIC, name, "steps", "I")
                    .var(RET, 3);
        });
        // one subroutine inside another, called in a loop, slots with other types at each call
        u.fun("nested", "(I)J", c -> {
            Label loop = new Label(), out = new Label(), a = new Label(), b = new Label(), skip = new Label();
            c.op(LCONST_0).var(LSTORE, 1)
                    .at(loop).var(ILOAD, 0).jump(IFLE, out)
                    .num(5).var(ISTORE, 5).jump(JSR, a)
                    .op(FCONST_1).var(FSTORE, 5).jump(JSR, a)
                    .inc(0, -1).jump(GOTO, loop)
                    .at(out).var(LLOAD, 1).op(LRETURN)
                    .at(a).var(ASTORE, 3)
                    .var(ILOAD, 0).num(3).jump(IF_ICMPEQ, skip)
                    .jump(JSR, b)
                    .at(skip).jump(JSR, b).var(RET, 3)
                    .at(b).var(ASTORE, 4).var(LLOAD, 1).op(LCONST_1, LADD).var(LSTORE, 1).var(RET, 4);
        });
        // a subroutine that never returns, and one that leaves by return; wide ret
        u.fun("leaves", "(I)I", c -> {
            Label a = new Label(), b = new Label(), w = new Label(), l = new Label(), k = new Label();
            c.var(ILOAD, 0).jump(IFNE, l).jump(JSR, a)
                    .at(l).var(ILOAD, 0).num(1).jump(IF_ICMPNE, k).jump(JSR, b)
                    .at(k).jump(JSR, w).num(3).op(IRETURN)
                    .at(a).op(POP).fail("subroutine")
                    .at(b).op(POP).num(2).op(IRETURN)
                    .at(w).var(ASTORE, 300).var(RET, 300);
        });
        // a subroutine that never returns: it falls into code that is also reached without it
        u.fun("falls", "(I)I", c -> {
            Label s = new Label(), e = new Label(), h = new Label(), sub = new Label(), after = new Label();
            c.guard(s, e, h, null)
                    .var(ILOAD, 0).jump(IFEQ, after)
                    .at(s).num(10).var(ILOAD, 0).op(IDIV, POP).jump(JSR, sub).at(e).num(-1).op(IRETURN)
                    .at(h).var(ASTORE, 1).jump(JSR, sub).var(ALOAD, 1).op(ATHROW)
                    .at(sub).var(ASTORE, 2)
                    .at(after).var(ILOAD, 0).num(7).op(IADD, IRETURN);
        });
        // dead code that no verifier of that age looks at
        u.fun("dead", "(I)I", c -> {
            Label l = new Label(), d = new Label();
            c.jump(GOTO, l)
                    .op(IADD, LRETURN, POP2).var(RET, 0)
                    .at(d).op(DUP_X2).jump(JSR, d)
                    .at(l).var(ILOAD, 0).op(IRETURN);
        });
        if (version == V1_1)
            u.method(ACC_PUBLIC, "<init>", "()V", c -> c.var(ALOAD, 0).init(OBJECT, "()V").op(RETURN))
                    .method(ACC_PUBLIC, "toString", "()Ljava/lang/String;", c -> c
                            .var(ALOAD, 0).call(INVOKESPECIAL, OBJECT, "hashCode", "()I").op(POP)
                            .ldc("45").op(ARETURN));
        return u;
    }

    /** Version 49 has no frames at all: branches, loops, handlers and dead code. */
    static void deadCode() {
        Label l = new Label(), e = new Label(), s = new Label(), h = new Label(), x = new Label(), y = new Label();
        new Unit(V1_5, "cases/DeadCode49")
                .fun("run", "(I)I", c -> c
                        .guard(s, e, h, "java/lang/ArithmeticException")
                        .at(l).var(ILOAD, 0).jump(IFLT, x)
                        .at(s).num(10).var(ILOAD, 0).op(IDIV, IRETURN)
                        .op(IADD, DRETURN, ATHROW, IRETURN)
                        .at(e).at(h).op(POP).inc(0, 5).jump(GOTO, l)
                        .op(MONITOREXIT)
                        .at(x).fail("dead")
                        .at(y).op(SWAP).jump(GOTO, y))
                .write();
    }

    static void oldConstructors() {
        String self = "cases/OldConstructors";
        Label l = new Label(), e = new Label(), s = new Label(), h = new Label(), g = new Label();
        new Unit(V1_5, self, "cases/DelegateBase", false)
                .method(ACC_PUBLIC, "<init>", "(I)V", c -> c
                        .guard(s, e, h, null)
                        .var(ALOAD, 0).var(ILOAD, 1).jump(IFGT, l)
                        .num(2).init("cases/DelegateBase", "(I)V").jump(GOTO, s)
                        .at(l).var(ILOAD, 1).num(3).op(ISUB).init("cases/DelegateBase", "(I)V")
                        .at(s).num(6).var(ILOAD, 1).op(IDIV, POP, RETURN)
                        .at(e).at(h).op(POP).type(NEW, "java/lang/Error").op(DUP).init("java/lang/Error", "()V").op(ATHROW))
                .write();
    }

    /** A handler for what is thrown before super(), by it and after it: the state in which it throws is unknown. */
    static void handlerOfBothPhases() {
        Label s = new Label(), e = new Label();
        new Unit(V1_5, "cases/OldBothPhases", "cases/DelegateBase", false)
                .method(ACC_PUBLIC, "<init>", "(I)V", c -> c
                        .guard(s, e, e, null)
                        .at(s).num(10).var(ILOAD, 1).op(IDIV, POP)
                        .var(ALOAD, 0).var(ILOAD, 1).init("cases/DelegateBase", "(I)V")
                        .num(6).var(ILOAD, 1).num(-3).op(IADD, IDIV, POP, RETURN)
                        .at(e).op(POP).fail("both"))
                .fun("run", "(I)I", c -> c.num(10).var(ILOAD, 0).op(IDIV, IRETURN))
                .write();
    }

    /** Every delegate call lies before what jumps to it, one in the handler of a range that begins with dead code. */
    static void backwardsConstructor() {
        for (int version : new int[] {V1_4, V1_6}) {
            String base = "cases/DelegateBase";
            Label far = new Label(), s = new Label(), mid = new Label(), h = new Label(), back = new Label(), fail = new Label();
            new Unit(version, "cases/OldBackwards" + version, base, false)
                    .method(ACC_PUBLIC, "<init>", "(I)V", c -> c
                            .guard(s, h, h, null)
                            .jump(GOTO, far)
                            .at(s).op(NOP)
                            .at(mid).num(10).var(ILOAD, 1).op(IDIV, POP).jump(GOTO, back)
                            .at(h).op(POP).inc(1, 20).var(ALOAD, 0).var(ILOAD, 1).init(base, "(I)V").op(RETURN)
                            .at(back).var(ALOAD, 0).var(ILOAD, 1).init(base, "(I)V")
                            .num(6).var(ILOAD, 1).num(-3).op(IADD, IDIV, POP, RETURN)
                            .at(far).var(ILOAD, 1).num(9).jump(IF_ICMPEQ, fail).jump(GOTO, mid)
                            .at(fail).fail("early"))
                    .write();
        }
    }

    /** try/finally behind super(), with a subroutine, as old compilers wrote it in many constructors. */
    static void subroutineInConstructor() {
        String self = "cases/OldFinally", base = "cases/DelegateBase";
        Label s = new Label(), e = new Label(), h = new Label(), sub = new Label();
        new Unit(V1_4, self, base, false)
                .method(ACC_PUBLIC, "<init>", "(I)V", c -> c
                        .guard(s, e, h, null)
                        .var(ALOAD, 0).var(ILOAD, 1).init(base, "(I)V")
                        .at(s).num(60).var(ILOAD, 1).op(IDIV, POP).jump(JSR, sub).op(RETURN)
                        .at(e).at(h).var(ASTORE, 2).jump(JSR, sub).var(ALOAD, 2).op(ATHROW)
                        .at(sub).var(ASTORE, 3)
                        .var(ALOAD, 0).op(DUP).field(GETFIELD, base, "value", "I").num(100).op(IADD)
                        .field(PUTFIELD, base, "value", "I").var(RET, 3))
                .write();
    }

    /** Version 45.2, where max_stack and max_locals take one byte and code_length takes two. */
    static void beforeOne1() {
        byte[] b = new Unit(V1_1, "cases/ShortCode")
                .fun("run", "(I)I", c -> c.num(10).var(ILOAD, 0).op(IDIV, IRETURN))
                .bytes();
        // find the one Code attribute: its body starts max_stack=2, max_locals=1, code_length=5, bipush 10
        for (int i = 0; i + 14 < b.length; i++)
            if (b[i] == 0 && b[i + 1] == 2 && b[i + 2] == 0 && b[i + 3] == 1 && b[i + 4] == 0 && b[i + 5] == 0
                    && b[i + 6] == 0 && b[i + 7] == 5 && b[i + 8] == BIPUSH) {
                byte[] shorter = new byte[b.length - 4];
                System.arraycopy(b, 0, shorter, 0, i);
                shorter[i] = 2;
                shorter[i + 1] = 1;
                shorter[i + 3] = 5;
                System.arraycopy(b, i + 8, shorter, i + 4, b.length - i - 8);
                shorter[i - 1] -= 4;
                shorter[5] = 2;
                Unit.write("broken/ShortCode.class", shorter);
                return;
            }
        throw new AssertionError("Code not found");
    }

    /** Version 50: right frames; none at all; wrong ones (the old verifier takes over), with dead code. */
    static void fifty() {
        for (String kind : new String[] {"Framed", "Bare", "Wrong"}) {
            boolean bare = kind.equals("Bare"), wrong = kind.equals("Wrong");
            Label top = new Label(), large = new Label(), fine = new Label();
            Label s = new Label(), e = new Label(), h = new Label();
            new Unit(V1_6, "cases/Fifty" + kind)
                    .fun("run", "(I)I", c -> {
                        c.guard(s, e, h, "java/lang/ArithmeticException").at(top);
                        if (!bare)
                            c.full(types(wrong ? FLOAT : INT));
                        c.var(ILOAD, 0).jump(IFGT, large)
                                .at(s).num(10).var(ILOAD, 0).op(IDIV, IRETURN)
                                .at(e).at(h);
                        if (!bare)
                            c.full(types(INT), "java/lang/ArithmeticException");
                        c.op(POP).inc(0, 1).jump(GOTO, top).at(large);
                        if (!bare)
                            c.full(types(INT));
                        c.var(ILOAD, 0).num(100).jump(IF_ICMPLE, fine).fail("fifty").at(fine);
                        if (!bare)
                            c.same();
                        c.var(ILOAD, 0).op(IRETURN);
                        if (bare)
                            c.op(LADD, DRETURN);
                    })
                    .write();
        }
    }

    /**
     * A jsr that is the last instruction, as its subroutine never returns: HotSpot up to 17 verifies it, but cannot
     * link the class; asked to do so again, it dies at the first call that it verifies by type checking.
     */
    static void subroutineAtTheEnd() {
        for (int version : new int[] {V1_6, V1_5}) {
            Label sub = new Label(), last = new Label();
            new Unit(version, "cases/SubroutineAtTheEnd" + version)
                    .fun("other", "(I)I", c -> c.var(ILOAD, 0).op(IRETURN))
                    .fun("run", "(I)I", c -> c
                            .jump(GOTO, last)
                            .at(sub).op(POP).var(ILOAD, 0).op(IRETURN)
                            .at(last).jump(JSR, sub))
                    .write();
        }
    }

    /** A jsr that spans nearly 32 K, with returns between that push its target out of reach. */
    static void longSubroutine() {
        new Unit(V1_5, "cases/LongSubroutine")
                .fun("run", "(I)I", c -> {
                    Label sub = new Label(), back = new Label();
                    c.jump(JSR, sub).at(back);
                    GenLarge.filler(c, 32600, false);
                    c.num(-1).op(IRETURN)
                            .at(sub).var(ASTORE, 1).inc(0, 1000).var(RET, 1);
                })
                .write();
    }
}
