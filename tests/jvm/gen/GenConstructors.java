package gen;

import static gen.Code.types;
import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Label;

/** Constructors as no javac writes them: what the verifier allows before and around the delegate call. */
final class GenConstructors {
    static final String BASE = "cases/DelegateBase", STRING = "java/lang/String";
    static final Integer THIS = UNINITIALIZED_THIS, INT = INTEGER;

    static void all() {
        base();
        branches();
        handlerBefore();
        loopBefore();
        thisMoved();
        nestedCreation();
        delegatesFirst();
        neverDelegates();
        handlersAround();
        manyReturns();
    }

    /** {@code int value; Base(int v) { super(); if (v < 0) throw new ISE("base"); value = v; }} */
    static void base() {
        Label ok = new Label();
        new Unit(V1_8, BASE)
                .field(ACC_PUBLIC, "value", "I")
                .method(ACC_PUBLIC, "<init>", "(I)V", c -> c
                        .var(ALOAD, 0).init("java/lang/Object", "()V")
                        .var(ILOAD, 1).jump(IFGE, ok).fail("base")
                        .at(ok).full(types(BASE, INT))
                        .var(ALOAD, 0).var(ILOAD, 1).field(PUTFIELD, BASE, "value", "I").op(RETURN))
                .write();
    }

    /** Three delegate calls, super and this, in three branches which meet again. */
    static void branches() {
        String self = "cases/DelegateBranches";
        Label one = new Label(), two = new Label(), end = new Label(), fine = new Label();
        new Unit(V1_8, self, BASE, false)
                .method(ACC_PUBLIC, "<init>", "(I)V", c -> c
                        .var(ILOAD, 1).jump(IFNE, one)
                        .var(ALOAD, 0).num(10).init(BASE, "(I)V").jump(GOTO, end)
                        .at(one).full(types(THIS, INT))
                        .var(ILOAD, 1).num(1).jump(IF_ICMPNE, two)
                        .var(ALOAD, 0).ldc("twenty").init(self, "(Ljava/lang/String;)V").jump(GOTO, end)
                        .at(two).same()
                        .var(ALOAD, 0).var(ILOAD, 1).init(BASE, "(I)V")
                        .at(end).full(types(self, INT))
                        .var(ILOAD, 1).num(7).jump(IF_ICMPNE, fine).fail("seven")
                        .at(fine).same().op(RETURN))
                .method(ACC_PUBLIC, "<init>", "(Ljava/lang/String;)V", c -> c
                        .var(ALOAD, 0).var(ALOAD, 1).call(INVOKEVIRTUAL, STRING, "length", "()I")
                        .init(BASE, "(I)V").op(RETURN))
                .write();
    }

    /** A handler before super() that repairs, and another that rethrows; an exception that no handler takes. */
    static void handlerBefore() {
        Label t0 = new Label(), t1 = new Label(), h = new Label(), s = new Label();
        Label u0 = new Label(), u1 = new Label(), k = new Label(), end = new Label();
        String nfe = "java/lang/NumberFormatException", npe = "java/lang/NullPointerException";
        new Unit(V1_8, "cases/DelegateHandler", BASE, false)
                .method(ACC_PUBLIC, "<init>", "(Ljava/lang/String;)V", c -> c
                        .guard(t0, t1, h, nfe).guard(u0, u1, k, npe)
                        .at(t0).var(ALOAD, 1).call(INVOKESTATIC, "java/lang/Integer", "parseInt", "(Ljava/lang/String;)I")
                        .var(ISTORE, 2)
                        .at(t1).jump(GOTO, s)
                        .at(h).full(types(THIS, STRING), nfe).op(POP).num(77).var(ISTORE, 2)
                        .at(s).full(types(THIS, STRING, INT))
                        .at(u0).var(ALOAD, 1).call(INVOKEVIRTUAL, STRING, "isEmpty", "()Z").op(POP)
                        .at(u1).jump(GOTO, end)
                        .at(k).same1(npe).op(POP).type(NEW, "java/lang/Error").op(DUP)
                        .init("java/lang/Error", "()V").op(ATHROW)
                        .at(end).same()
                        .var(ILOAD, 2).num(5).op(SWAP, POP).op(POP)
                        .var(ALOAD, 0).var(ILOAD, 2).init(BASE, "(I)V").op(RETURN))
                .write();
    }

    /** A loop to pc 0 with `this` uninitialized, and a switch before super(). */
    static void loopBefore() {
        Label top = new Label(), out = new Label(), a = new Label(), b = new Label(), d = new Label();
        new Unit(V1_8, "cases/DelegateLoop", BASE, false)
                .method(ACC_PUBLIC, "<init>", "(II)V", c -> {
                    c.at(top).same()
                            .var(ILOAD, 1).jump(IFLE, out)
                            .inc(2, 3).inc(1, -1).jump(GOTO, top)
                            .at(out).same()
                            .var(ALOAD, 0).var(ILOAD, 2).var(ILOAD, 2);
                    c.m.visitTableSwitchInsn(8, 10, d, a, b, a);
                    c.at(a).full(types(THIS, INT, INT), THIS, INT).num(100).op(IADD).jump(GOTO, d)
                            .at(b).full(types(THIS, INT, INT), THIS, INT).op(INEG)
                            .at(d).full(types(THIS, INT, INT), THIS, INT)
                            .init(BASE, "(I)V").op(RETURN);
                })
                .write();
    }

    /** `this` leaves slot 0 while it is uninitialized: kept in another local, or on the stack alone. */
    static void thisMoved() {
        String self = "cases/DelegateMoved";
        Label l = new Label(), ok = new Label();
        new Unit(V1_8, self, BASE, false)
                .method(ACC_PUBLIC, "<init>", "(I)V", c -> c
                        .var(ALOAD, 0).var(ASTORE, 3).op(ACONST_NULL).var(ASTORE, 0)
                        .var(ILOAD, 1).jump(IFGE, ok).fail("moved")
                        .at(ok).full(types(NULL, INT, TOP, THIS))
                        .var(ALOAD, 3).var(ILOAD, 1).init(BASE, "(I)V")
                        .var(ILOAD, 1).num(6).jump(IF_ICMPNE, l).fail("six")
                        .at(l).full(types(NULL, INT, TOP, self))
                        .var(ALOAD, 3).field(GETFIELD, BASE, "value", "I").op(POP).op(RETURN))
                .method(ACC_PUBLIC, "<init>", "(J)V", c -> c
                        .var(ALOAD, 0).num(0).var(ISTORE, 0)
                        .num(24).var(LLOAD, 1).op(L2I, IDIV)
                        .init(BASE, "(I)V").op(RETURN))
                .write();
    }

    /** Objects of the same class are made before this(), and a conditional sits between new and their call. */
    static void nestedCreation() {
        String self = "cases/DelegateNested";
        Label n = new Label(), zero = new Label(), join = new Label();
        new Unit(V1_8, self, BASE, false)
                .method(ACC_PUBLIC, "<init>", "(I)V", c -> c
                        .var(ALOAD, 0).var(ILOAD, 1).init(BASE, "(I)V").op(RETURN))
                .method(ACC_PUBLIC, "<init>", "(IZ)V", c -> c
                        .var(ALOAD, 0)
                        .at(n).type(NEW, self).op(DUP)
                        .var(ILOAD, 2).jump(IFEQ, zero)
                        .var(ILOAD, 1).jump(GOTO, join)
                        .at(zero).full(types(THIS, INT, INT), THIS, n, n).num(-3)
                        .at(join).full(types(THIS, INT, INT), THIS, n, n, INT)
                        .init(self, "(I)V")
                        .field(GETFIELD, BASE, "value", "I").num(1).op(IADD)
                        .init(self, "(I)V").op(RETURN))
                .method(ACC_PUBLIC, "<init>", "()V", c -> c
                        .var(ALOAD, 0)
                        .type(NEW, BASE).op(DUP).num(4).init(BASE, "(I)V")
                        .field(GETFIELD, BASE, "value", "I").init(BASE, "(I)V").op(RETURN))
                .write();
    }

    /** An object of the same class is made before the delegate call, and initialised after it. */
    static void delegatesFirst() {
        for (int version : new int[] {V1_5, V1_8}) {
            String self = "cases/DelegateFirst" + version;
            new Unit(version, self, BASE, false)
                    .method(ACC_PUBLIC, "<init>", "(I)V", c -> c
                            .type(NEW, BASE).op(DUP)
                            .var(ALOAD, 0).var(ILOAD, 1).init(BASE, "(I)V")
                            .num(12).var(ILOAD, 1).num(-1).op(IADD, IDIV).num(-6).op(IADD).init(BASE, "(I)V")
                            .var(ALOAD, 0).op(SWAP).field(GETFIELD, BASE, "value", "I").field(PUTFIELD, BASE, "value", "I")
                            .op(RETURN))
                    .write();
        }
    }

    /** Constructors in which no delegate call exists or is reached. */
    static void neverDelegates() {
        Label spin = new Label();
        new Unit(V1_8, "cases/DelegateNever", BASE, false)
                .method(ACC_PUBLIC, "<init>", "()V", c -> c.fail("never"))
                .method(ACC_PUBLIC, "<init>", "(Ljava/lang/Runnable;)V", c -> c
                        .var(ALOAD, 1).call(INVOKEINTERFACE, "java/lang/Runnable", "run", "()V")
                        .at(spin).same().jump(GOTO, spin))
                .write();
    }

    /** Handlers on both sides of super(), which end right before it and begin right after it, one catching all. */
    static void handlersAround() {
        String self = "cases/DelegateAround", any = "java/lang/Throwable";
        Label a = new Label(), b = new Label(), ha = new Label(), d = new Label(), e = new Label(), hb = new Label();
        new Unit(V1_8, self, BASE, false)
                .method(ACC_PUBLIC, "<init>", "(I)V", c -> c
                        .guard(a, b, ha, null).guard(d, e, hb, null)
                        .at(a).var(ALOAD, 0).num(60).var(ILOAD, 1).op(IDIV)
                        .at(b).init(BASE, "(I)V")
                        .at(d).num(60).var(ILOAD, 1).num(-5).op(IADD).op(IDIV, POP).op(RETURN)
                        .at(e)
                        .at(ha).full(types(THIS, INT), any).op(ATHROW)
                        .at(hb).full(types(self, INT), any).op(POP)
                        .var(ALOAD, 0).num(-1).field(PUTFIELD, BASE, "value", "I").op(RETURN))
                .write();
    }

    /** A return of its own after each delegate call. */
    static void manyReturns() {
        String self = "cases/DelegateReturns";
        Label l = new Label(), m = new Label();
        new Unit(V1_8, self, BASE, false)
                .method(ACC_PUBLIC, "<init>", "(I)V", c -> c
                        .var(ILOAD, 1).jump(IFLT, l)
                        .var(ALOAD, 0).var(ILOAD, 1).init(BASE, "(I)V").op(RETURN)
                        .at(l).same()
                        .var(ILOAD, 1).num(-1).jump(IF_ICMPEQ, m)
                        .var(ALOAD, 0).var(ILOAD, 1).op(INEG).init(self, "(I)V").op(RETURN)
                        .at(m).same()
                        .fail("minus one"))
                .write();
    }
}
