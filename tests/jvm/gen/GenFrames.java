package gen;

import static gen.Code.types;
import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Label;

/** What is hard about locals and frames: slots that change type, trailing Top, Uninitialized types, dead code. */
final class GenFrames {
    static final String OBJECT = "java/lang/Object", STRING = "java/lang/String", ANY = "java/lang/Throwable";
    static final Integer INT = INTEGER;

    static void all() {
        overwritten();
        trailingTop();
        uninitialized();
        deadCode();
        manyLocals();
        localsAtTheLimit();
        stackAtTheLimit();
        wholeMethodHandlers();
        deepReturns();
        unbalanced();
        otherLocks();
        stackedSwitch();
        everyFrameForm();
        emptyFrames();
        storedAtTheEnd();
    }

    /** The last instruction of a range stores another type than the handler knows; behind it code goes on that a loop comes back to. */
    static void storedAtTheEnd() {
        String error = "java/lang/RuntimeException", zero = "java/lang/ArithmeticException", self = "cases/StoredAtTheEnd";
        Label a = new Label(), b = new Label(), h = new Label(), d = new Label(), e = new Label(), k = new Label();
        Label s = new Label(), t = new Label(), u = new Label(), f = new Label();
        new Unit(V1_8, self)
                .method(ACC_PUBLIC, "<init>", "()V", c -> c.var(ALOAD, 0).init(OBJECT, "()V").op(RETURN))
                .fun("object", "(I)I", c -> c
                        .guard(a, b, h, zero)
                        .type(NEW, error).op(DUP).init(error, "()V").var(ASTORE, 1).num(5).var(ISTORE, 2)
                        .at(a).num(1).var(ILOAD, 0).op(IDIV).var(ISTORE, 2)
                        .type(NEW, self).op(DUP).init(self, "()V").var(ASTORE, 1)
                        .at(b).full(types(INT, self, INT)).inc(0, 1).var(ILOAD, 0).num(10).jump(IF_ICMPLT, b).var(ILOAD, 2).op(IRETURN)
                        .at(h).full(types(INT, error, INT), zero).op(POP)
                        .var(ALOAD, 1).call(INVOKEVIRTUAL, error, "getMessage", "()Ljava/lang/String;").op(POP).num(19).op(IRETURN))
                .fun("number", "(I)I", c -> c
                        .guard(d, e, k, zero)
                        .ldc("text").var(ASTORE, 300)
                        .at(d).num(1).var(ILOAD, 0).op(IDIV).var(ISTORE, 300)
                        .at(e).full(wide(INT)).inc(0, 1).var(ILOAD, 0).num(10).jump(IF_ICMPLT, e).var(ILOAD, 300).op(IRETURN)
                        .at(k).full(wide(STRING), zero).op(POP)
                        .var(ALOAD, 300).call(INVOKEVIRTUAL, STRING, "length", "()I").op(IRETURN))
                // a finally handler has its exception in the same local
                .fun("noted", "(I)I", c -> c
                        .guard(s, t, u, zero).guard(t, u, f, null)
                        .type(NEW, error).op(DUP).init(error, "()V").var(ASTORE, 1)
                        .at(s).num(10).var(ILOAD, 0).op(IDIV, POP).type(NEW, self).op(DUP).init(self, "()V").var(ASTORE, 1)
                        .at(t).var(ILOAD, 0).op(IRETURN)
                        .at(u).full(types(INT, error), zero).op(POP).num(-1).op(IRETURN)
                        .at(f).full(types(INT), ANY).var(ASTORE, 1).var(ALOAD, 1).op(ATHROW))
                .write();
    }

    private static Object[] wide(Object last) {
        Object[] locals = new Object[301];
        java.util.Arrays.fill(locals, TOP);
        locals[0] = INT;
        locals[300] = last;
        return locals;
    }

    /** Frames that know no local though there are some, as another agent wrote them; arrays of eight dimensions. */
    static void emptyFrames() {
        Label a = new Label(), b = new Label(), h = new Label(), s = new Label(), e = new Label();
        Label l = new Label(), k = new Label();
        new Unit(V1_8, "cases/EmptyFrames")
                .fun("run", "(JID)I", c -> c
                        .guard(s, e, h, ANY)
                        .var(ILOAD, 2).jump(IFEQ, a)
                        .at(s).num(10).var(ILOAD, 2).num(-1).op(IADD, IDIV).jump(GOTO, b)
                        .at(e).at(a).full(types()).num(7)
                        .at(b).full(types(), INT).num(1).op(IADD, IRETURN)
                        .at(h).full(types(), ANY).op(POP).num(-7).op(IRETURN))
                .fun("dimensions", "(I)I", c -> {
                    c.num(2).num(3).m.visitMultiANewArrayInsn("[[[[[[[[Z", 2);
                    c.var(ASTORE, 1).var(ILOAD, 0).num(7).jump(IF_ICMPEQ, l)
                            .var(ALOAD, 1).var(ILOAD, 0).op(AALOAD).num(2).op(AALOAD).jump(IFNULL, l).fail("not null")
                            .at(l).full(types(INT, "[[[[[[[[Z"))
                            .var(ALOAD, 1).num(1).op(AALOAD, DUP).num(0).op(ACONST_NULL, AASTORE)
                            .var(ILOAD, 0).jump(IFGT, k)
                            .op(ARRAYLENGTH, IRETURN)
                            .at(k).full(types(INT, "[[[[[[[[Z"), "[[[[[[[Z").num(1).op(AALOAD, ARRAYLENGTH, IRETURN);
                })
                .write();
    }

    /** Parameters of every size are overwritten by other types, halves of longs included. */
    static void overwritten() {
        Label l = new Label(), k = new Label(), h = new Label(), a = new Label(), b = new Label();
        Label loop = new Label(), done = new Label();
        new Unit(V1_8, "cases/OverwrittenArguments")
                // J 0-1, D 2-3, I 4, Object 5: then int 0, long 1-2, Object 3
                .fun("mix", "(JDILjava/lang/Object;)J", c -> c
                        .var(ILOAD, 4).var(ISTORE, 0)
                        .op(LCONST_1).var(LSTORE, 1)
                        .var(ALOAD, 5).var(ASTORE, 3)
                        .var(ILOAD, 0).jump(IFGT, l)
                        .fail("mix")
                        .at(l).full(types(INT, LONG, OBJECT, INT, OBJECT))
                        .var(ALOAD, 3).call(INVOKEVIRTUAL, OBJECT, "hashCode", "()I").op(I2L)
                        .var(LLOAD, 1).op(LADD, LRETURN))
                // the second half of a long parameter becomes an int, which kills the long
                .fun("half", "(J)I", c -> c
                        .num(3).var(ISTORE, 1)
                        .var(ILOAD, 1).jump(IFNE, k).fail("never")
                        .at(k).full(types(TOP, INT))
                        .num(12).var(ILOAD, 1).op(IDIV, IRETURN))
                // a double over a reference and an int; the handler knows nothing about them
                .fun("wide", "(Ljava/lang/String;I)D", c -> c
                        .guard(a, b, h, "java/lang/ArithmeticException")
                        .var(ILOAD, 1)
                        .op(DCONST_1).var(DSTORE, 0)
                        .at(a).num(10).op(SWAP, IDIV, I2D).var(DLOAD, 0).op(DADD)
                        .at(b).op(DRETURN)
                        .at(h).full(types(DOUBLE), "java/lang/ArithmeticException").op(POP)
                        .var(DLOAD, 0).op(DNEG, DRETURN))
                // `this` overwritten in an instance method, in a loop that merges to Top
                .method(ACC_PUBLIC, "<init>", "()V", c -> c.var(ALOAD, 0).init(OBJECT, "()V").op(RETURN))
                .method(ACC_PUBLIC, "lost", "(I)I", c -> c
                        .at(loop).full(types(TOP, INT))
                        .inc(1, -1)
                        .var(ILOAD, 1).jump(IFLE, done)
                        .op(FCONST_2).var(FSTORE, 0).jump(GOTO, loop)
                        .at(done).same()
                        .num(100).var(ILOAD, 1).op(IDIV, IRETURN))
                .write();
    }

    /** Frames that spell out trailing Tops, in full and in append form. */
    static void trailingTop() {
        Label a = new Label(), b = new Label(), d = new Label(), e = new Label();
        new Unit(V1_8, "cases/TrailingTop")
                .fun("run", "(I)I", c -> c
                        .num(5).var(ISTORE, 3)
                        .var(ILOAD, 0).jump(IFGT, a).fail("run")
                        .at(a).full(types(INT, TOP, TOP, INT, TOP, TOP))
                        .var(ILOAD, 0).num(10).jump(IF_ICMPGT, b)
                        .var(ILOAD, 3).op(IRETURN)
                        .at(b).chop(1)
                        .num(7).var(ISTORE, 1)
                        .var(ILOAD, 0).num(20).jump(IF_ICMPGT, d)
                        .num(50).var(ILOAD, 0).num(-15).op(IADD, IDIV, IRETURN)
                        .at(d).chop(2)
                        .num(1).var(ISTORE, 2)
                        .var(ILOAD, 0).num(30).jump(IF_ICMPGT, e).num(30).op(IRETURN)
                        .at(e).append(TOP, TOP)
                        .num(40).op(IRETURN))
                .write();
    }

    /** Uninitialized(offset) on the stack and in locals, over branches, switches and handlers. */
    static void uninitialized() {
        String sb = "java/lang/StringBuilder";
        Label n = new Label(), f = new Label(), j = new Label();
        Label n2 = new Label(), f2 = new Label(), j2 = new Label(), t0 = new Label(), t1 = new Label(), h = new Label();
        Label n3 = new Label(), n4 = new Label(), c0 = new Label(), c1 = new Label(), d = new Label();
        Label back = new Label(), n5 = new Label(), out = new Label(), top = new Label();
        new Unit(V1_8, "cases/UninitializedTypes")
                .fun("onStack", "(Z)Ljava/lang/String;", c -> c
                        .at(n).type(NEW, STRING).op(DUP)
                        .var(ILOAD, 0).jump(IFEQ, f)
                        .ldc("yes").jump(GOTO, j)
                        .at(f).full(types(INT), n, n).ldc("no")
                        .at(j).full(types(INT), n, n, STRING)
                        .init(STRING, "(Ljava/lang/String;)V").op(ARETURN))
                .fun("inLocals", "(I)Ljava/lang/String;", c -> c
                        .guard(t0, t1, h, null)
                        .at(n2).type(NEW, sb).op(DUP).var(ASTORE, 1).var(ASTORE, 2)
                        .at(t0).num(10).var(ILOAD, 0).op(IDIV).var(ISTORE, 3)
                        .at(t1).var(ILOAD, 3).num(5).jump(IF_ICMPGT, f2)
                        .var(ALOAD, 2).ldc("small").init(sb, "(Ljava/lang/String;)V").jump(GOTO, j2)
                        .at(f2).full(types(INT, n2, n2, INT))
                        .var(ALOAD, 1).ldc("large").init(sb, "(Ljava/lang/String;)V")
                        .at(j2).full(types(INT, sb, sb, INT))
                        .var(ALOAD, 1).var(ALOAD, 2).var(ASTORE, 1)
                        .call(INVOKEVIRTUAL, sb, "toString", "()Ljava/lang/String;").op(ARETURN)
                        .at(h).full(types(INT, n2, n2), ANY).op(POP)
                        .var(ALOAD, 1).op(DUP).ldc("zero").init(sb, "(Ljava/lang/String;)V")
                        .call(INVOKEVIRTUAL, sb, "toString", "()Ljava/lang/String;").op(ARETURN))
                // two different objects wait at once, through a switch
                .fun("two", "(I)I", c -> {
                    c.at(n3).type(NEW, STRING).op(DUP)
                            .at(n4).type(NEW, STRING).op(DUP)
                            .var(ILOAD, 0);
                    c.m.visitLookupSwitchInsn(d, new int[] {-1, 70000}, new Label[] {c0, c1});
                    c.at(c0).full(types(INT), n3, n3, n4, n4).ldc("c0").init(STRING, "(Ljava/lang/String;)V")
                            .op(POP).init(STRING, "()V").num(0).op(IRETURN)
                            .at(c1).full(types(INT), n3, n3, n4, n4).fail("two")
                            .at(d).full(types(INT), n3, n3, n4, n4).init(STRING, "()V")
                            .init(STRING, "(Ljava/lang/String;)V")
                            .call(INVOKEVIRTUAL, STRING, "length", "()I").op(IRETURN);
                })
                // an object is made at pc 0, and a loop leads back there
                .fun("atZero", "(I)I", c -> c
                        .at(n5).at(top).same().type(NEW, OBJECT)
                        .var(ILOAD, 0).jump(IFLE, out)
                        .at(back).op(DUP).init(OBJECT, "()V").op(POP).inc(0, -1).jump(GOTO, top)
                        .at(out).same1(n5)
                        .op(POP).var(ILOAD, 0).op(IRETURN))
                .write();
    }

    /** Code that nothing reaches, with the frames it must have, in the middle and at the end. */
    static void deadCode() {
        Label l = new Label(), d2 = new Label(), s0 = new Label(), ok = new Label();
        Label t0 = new Label(), t1 = new Label(), h = new Label();
        new Unit(V1_8, "cases/DeadCode")
                .fun("run", "(I)I", c -> {
                    Label dead = new Label(), spin = new Label(), sw = new Label();
                    c.num(0).var(ISTORE, 4).var(ILOAD, 0).jump(IFGT, l).jump(GOTO, ok)
                            .at(dead).same().num(1).op(IRETURN)
                            .at(d2).full(types(LONG, DOUBLE), FLOAT, ANY).op(ATHROW)
                            .at(spin).full(types()).op(NOP).jump(GOTO, spin)
                            .at(sw).full(types(INT), INT);
                    c.m.visitTableSwitchInsn(0, 1, ok, l, s0);
                    c.at(s0).full(types(INT)).fail("dead")
                            .at(l).same().num(100).var(ILOAD, 0).op(IDIV, IRETURN)
                            .at(ok).same().fail("run")
                            .at(new Label()).full(types(OBJECT, TOP, INT), ANY).op(ATHROW);
                })
                // a handler whose range is dead, and a method that ends in a dead return
                .fun("handler", "(I)V", c -> c
                        .guard(t0, t1, h, null)
                        .op(RETURN)
                        .at(t0).same().num(1).op(POP).op(RETURN)
                        .at(t1).at(h).full(types(INT), ANY).op(POP).op(RETURN))
                .write();
    }

    /** 300 locals, all live: long and int in turn; wide loads, stores and iinc. */
    static void manyLocals() {
        Label loop = new Label(), out = new Label(), fail = new Label();
        Object[] live = new Object[201];
        live[0] = INT;
        for (int i = 1; i <= 200; i++)
            live[i] = i % 2 == 1 ? LONG : INT;
        new Unit(V1_8, "cases/ManyLocals")
                .fun("run", "(I)J", c -> {
                    // slots: 0 n; then (long, int) pairs from 1: 3k+1 long, 3k+3 int
                    for (int k = 0; k < 100; k++)
                        c.ldc((long) k).var(LSTORE, 3 * k + 1).num(k).var(ISTORE, 3 * k + 3);
                    c.at(loop).full(live)
                            .var(ILOAD, 0).jump(IFEQ, out)
                            .var(ILOAD, 0).jump(IFLT, fail)
                            .inc(300, 1000).inc(300, -1).inc(3, 30000).inc(255, 1).inc(258, -32768)
                            .var(LLOAD, 298).var(LLOAD, 1).op(LADD).var(LSTORE, 298)
                            .inc(0, -1).jump(GOTO, loop)
                            .at(out).same()
                            .op(LCONST_0);
                    for (int k = 0; k < 100; k++)
                        c.var(LLOAD, 3 * k + 1).op(LADD).var(ILOAD, 3 * k + 3).op(I2L, LADD);
                    c.op(LRETURN)
                            .at(fail).same().fail("negative");
                })
                .write();
    }

    /** max_locals of 65,535 (no new local fits), 65,534 and 65,530. */
    static void localsAtTheLimit() {
        Unit u = new Unit(V1_8, "cases/LocalsAtTheLimit");
        for (int max : new int[] {65535, 65534, 65533, 65500}) {
            Label ok = new Label();
            u.fun("locals" + max, "(I)I", c -> c
                    .var(ILOAD, 0).var(ISTORE, max - 1)
                    .inc(max - 1, 5)
                    .var(ILOAD, 0).jump(IFGE, ok).fail("locals")
                    .at(ok).same()
                    .num(7).var(ISTORE, max - 1).var(ILOAD, max - 1).op(IRETURN));
        }
        u.write();
    }

    /** Thousands of values on the stack where it returns; and a declared max_stack of 65,535. */
    static void stackAtTheLimit() {
        Unit u = new Unit(V1_8, "cases/StackAtTheLimit");
        for (int depth : new int[] {6000, 100})
            u.fun("stack" + depth, "(I)I", c -> {
                for (int i = 0; i < depth; i++)
                    c.op(ICONST_1);
                c.op(POP).var(ILOAD, 0).op(IRETURN);
            });
        var m = u.writer.visitMethod(ACC_PUBLIC | ACC_STATIC, "declared", "(I)I", null, null);
        m.visitCode();
        new Code(m).num(10).var(ILOAD, 0).op(IDIV, IRETURN);
        m.visitMaxs(0, 0);
        m.visitEnd();
        byte[] b = u.bytes();
        // behind code_length, 5, stands bipush 10, iload_0; max_stack is 8 bytes before it
        for (int i = b.length - 10; i > 0; i--)
            if (b[i] == BIPUSH && b[i + 1] == 10 && b[i + 2] == 26 && b[i - 1] == 5 && b[i - 7] == 2) {
                b[i - 8] = b[i - 7] = (byte) 0xff;
                Unit.write(u.name + ".class", b);
                return;
            }
        throw new AssertionError("method not found");
    }

    /** Handlers over everything from pc 0 to the end, a loop to pc 0, a handler inside its own range. */
    static void wholeMethodHandlers() {
        Label s = new Label(), h = new Label(), e = new Label(), s2 = new Label(), h2 = new Label(), e2 = new Label();
        Label s3 = new Label(), e3 = new Label(), h3 = new Label(), m3 = new Label(), r3 = new Label();
        new Unit(V1_8, "cases/WholeMethod")
                .fun("caught", "(I)I", c -> c
                        .guard(s, e, h, null)
                        .at(s).num(10).var(ILOAD, 0).op(IDIV, IRETURN)
                        .at(h).full(types(INT), ANY).op(POP).num(-1).op(IRETURN)
                        .at(e))
                // its own handler's range covers the handler: the second exception loops back to pc 0 by hand
                .fun("retry", "(I)I", c -> c
                        .guard(s2, e2, h2, "java/lang/ArithmeticException")
                        .at(s2).same().num(10).var(ILOAD, 0).op(IDIV, IRETURN)
                        .at(h2).full(types(INT), "java/lang/ArithmeticException").op(POP)
                        .inc(0, 2).jump(GOTO, s2)
                        .at(e2))
                // nested ranges, both from 0; the inner rethrows, the outer does not cover the inner handler
                .fun("nested", "(I)I", c -> c
                        .guard(s3, m3, h3, "java/lang/IllegalStateException").guard(s3, e3, r3, null)
                        .at(s3).var(ILOAD, 0).call(INVOKESTATIC, "cases/WholeMethod", "caught", "(I)I")
                        .at(m3).num(1).op(IADD, IRETURN)
                        .at(e3)
                        .at(h3).full(types(INT), ANY).op(ATHROW)
                        .at(r3).same1(ANY).op(POP).num(-9).op(IRETURN))
                .fun("nothing", "()V", c -> c.op(RETURN))
                .fun("jumpToReturn", "(I)V", c -> {
                    Label r = new Label();
                    c.var(ILOAD, 0).jump(IFEQ, r).var(ILOAD, 0).jump(IFGT, r)
                            .fail("negative")
                            .at(r).same().op(RETURN);
                })
                .fun("spin", "(I)V", c -> {
                    Label top = new Label();
                    c.at(top).same().inc(0, -1).var(ILOAD, 0).jump(IFGT, top).op(RETURN);
                })
                .write();
    }

    /** Returns with more on the stack than the result, each a branch target, some within handlers. */
    static void deepReturns() {
        Label r = new Label(), q = new Label(), t0 = new Label(), t1 = new Label(), h = new Label();
        new Unit(V1_8, "cases/DeepReturns")
                .fun("ints", "(I)I", c -> c
                        .num(1).num(2).op(LCONST_1).var(ILOAD, 0)
                        .op(DUP).jump(IFGT, r)
                        .op(INEG)
                        .at(r).full(types(INT), INT, INT, LONG, INT).op(IRETURN))
                .fun("longs", "(J)J", c -> c
                        .op(DCONST_1, ACONST_NULL).var(LLOAD, 0).op(LCONST_0, LCMP).jump(IFGE, q)
                        .fail("longs")
                        .at(q).full(types(LONG), DOUBLE, NULL).var(LLOAD, 0).op(LRETURN))
                .fun("covered", "(I)F", c -> c
                        .guard(t0, t1, h, null)
                        .num(5).var(ILOAD, 0)
                        .at(t0).op(IDIV, I2F, FRETURN)
                        .at(t1).at(h).full(types(INT), ANY).num(3).op(FCONST_2, FRETURN))
                .fun("voids", "(I)V", c -> {
                    Label a = new Label(), b = new Label();
                    c.num(9).var(ILOAD, 0).jump(IFEQ, a).op(RETURN)
                            .at(a).same1(INT).var(ILOAD, 0).jump(IFEQ, b).op(RETURN)
                            .at(b).full(types(INT), INT).op(RETURN);
                })
                .write();
    }

    /** Monitors that are not paired: the return itself raises IllegalMonitorStateException in HotSpot. */
    static void unbalanced() {
        new Unit(V1_8, "cases/UnbalancedMonitors")
                .fun("enterOnly", "(Ljava/lang/Object;)V", c -> c
                        .var(ALOAD, 0).op(MONITORENTER, RETURN))
                .fun("exitOnly", "(Ljava/lang/Object;)V", c -> c
                        .var(ALOAD, 0).op(MONITOREXIT, RETURN))
                .write();
    }

    /**
     * synchronized (lock) { 100 / (n + 1) } as other compilers than javac have it. With Scala the handler does not cover
     * itself; with Kotlin a nop stands behind monitorenter, and monitorexit is not covered.
     */
    static void otherLocks() {
        Unit u = new Unit(V1_8, "cases/OtherLocks");
        for (String name : new String[] {"scala", "kotlin"})
            u.fun(name, "(Ljava/lang/Object;I)I", c -> {
                Label start = new Label(), end = new Label(), handler = new Label(), stored = new Label();
                boolean kotlin = name.equals("kotlin");
                c.var(ALOAD, 0).op(MONITORENTER);
                if (kotlin)
                    c.op(NOP);
                c.guard(start, end, handler, null);
                if (kotlin)
                    c.guard(handler, stored, handler, null);
                c.at(start).line(2).num(100).var(ILOAD, 1).num(1).op(IADD, IDIV).var(ISTORE, 1);
                if (kotlin)
                    c.at(end);
                c.line(3).var(ALOAD, 0).op(MONITOREXIT);
                if (!kotlin)
                    c.at(end);
                c.line(4).call(INVOKESTATIC, "java/lang/Thread", "interrupted", "()Z").op(POP);
                c.var(ILOAD, 1).op(IRETURN);
                c.at(handler).full(types("java/lang/Object", INT), "java/lang/Throwable");
                if (kotlin)
                    c.var(ASTORE, 2).at(stored);
                c.var(ALOAD, 0).op(MONITOREXIT);
                if (kotlin)
                    c.var(ALOAD, 2);
                c.op(ATHROW);
            });
        u.write();
    }

    /** for (i = 0; i < n; i++) sum = sum + switch (i & 3) { case 0 -> 1; case 1 falls into the default -> 2 }. */
    static void stackedSwitch() {
        new Unit(V1_8, "cases/StackedSwitch")
                .fun("loop", "(I)I", c -> {
                    Label top = new Label(), zero = new Label(), other = new Label(), end = new Label();
                    c.num(0).var(ISTORE, 1).num(0).var(ISTORE, 2);
                    c.at(top).append(INT, INT).var(ILOAD, 2).var(ILOAD, 0).jump(IF_ICMPGE, end);
                    c.var(ILOAD, 1).var(ILOAD, 2).num(3).op(IAND);
                    c.m.visitLookupSwitchInsn(other, new int[] {0, 1}, new Label[] {zero, other});
                    c.at(zero).same1(INT).inc(2, 0);
                    c.at(other).same1(INT).num(2);
                    c.op(IADD).var(ISTORE, 1).inc(2, 1).jump(GOTO, top);
                    c.at(end).same().var(ILOAD, 1).op(IRETURN);
                })
                .write();
    }

    /** same, same extended, same1, same1 extended, chop 1-3, append 1-3 and full, each more than once. */
    static void everyFrameForm() {
        Unit u = new Unit(V1_8, "cases/FrameForms");
        for (int gap : new int[] {0, 70})
            u.fun("forms" + gap, "(I)I", c -> {
                Label[] l = new Label[12];
                for (int i = 0; i < l.length; i++)
                    l[i] = new Label();
                c.var(ILOAD, 0).jump(IFGE, l[0]).fail("forms")
                        .at(l[0]).same().nops(gap)
                        .num(1).var(ISTORE, 1).var(ILOAD, 0).jump(IFEQ, l[1]).nops(gap)
                        .at(l[1]).append(INT)
                        .op(LCONST_1).var(LSTORE, 2).op(FCONST_1).var(FSTORE, 4)
                        .var(ILOAD, 0).jump(IFEQ, l[2]).nops(gap)
                        .at(l[2]).append(LONG, FLOAT)
                        .op(ACONST_NULL).var(ASTORE, 5).op(DCONST_0).var(DSTORE, 6).ldc("s").var(ASTORE, 8)
                        .var(ILOAD, 0).jump(IFEQ, l[3]).nops(gap)
                        .at(l[3]).append(NULL, DOUBLE, STRING)
                        .var(ALOAD, 8).var(ILOAD, 0).jump(IFEQ, l[4]).nops(gap)
                        .at(l[4]).same1(STRING).op(POP)
                        .var(ILOAD, 0).jump(IFEQ, l[5]).nops(gap)
                        .at(l[5]).chop(1)
                        .var(ILOAD, 0).jump(IFEQ, l[6]).nops(gap)
                        .at(l[6]).chop(2)
                        .var(LLOAD, 2).var(ILOAD, 0).jump(IFEQ, l[7]).nops(gap)
                        .at(l[7]).same1(LONG).op(L2I).var(ISTORE, 1)
                        .var(ILOAD, 0).jump(IFEQ, l[8]).nops(gap)
                        .at(l[8]).chop(3)
                        .num(4).num(5).var(ILOAD, 0).jump(IFEQ, l[9]).op(SWAP).nops(gap)
                        .at(l[9]).full(types(INT), INT, INT).op(ISUB)
                        .var(ILOAD, 0).op(IADD).num(20).op(SWAP, IDIV, IRETURN);
            });
        u.write();
    }
}
