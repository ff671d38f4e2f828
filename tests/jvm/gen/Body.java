package gen;

import static org.objectweb.asm.Opcodes.*;

import java.util.List;
import java.util.Random;
import org.objectweb.asm.Label;

/** The code of one random method. */
final class Body extends Expressions {
    static final String ANY = "java/lang/Throwable", BASE = "random/Base", ARITHMETIC = "java/lang/ArithmeticException";

    private Object result;
    private boolean early; // a constructor before super()
    private boolean constructor;
    private Label subroutine; // of jsr

    Body(Random random, Code c, int version, String self) {
        super(random, c, version, self);
    }

    Body calls(List<String[]> methods) {
        callees = List.copyOf(methods);
        return this;
    }

    // --- whole methods ---

    void method(boolean instance, Object[] parameters, Object type) {
        begin(instance ? self : null, parameters, type);
        block(4);
        end();
    }

    /** A plain one, or one with code and branches before super() or this(). */
    void constructor(Object[] parameters, boolean branches) {
        constructor = early = true;
        begin(UNINITIALIZED_THIS, parameters, null);
        frozen[0] = UNINITIALIZED_THIS;
        if (branches)
            early(2);
        else
            delegate(false);
        if (now != null)
            block(3);
        end();
    }

    private void begin(Object receiver, Object[] parameters, Object type) {
        result = type;
        budget = 60 + random.nextInt(200);
        int slots = 6 + random.nextInt(8) + (random.nextInt(6) == 0 ? 260 : 0), at = 0;
        for (Object p : parameters)
            slots += State.wide(p) ? 2 : 1;
        now = new State(slots + 2);
        frozen = new Object[slots + 2];
        if (receiver != null)
            now.locals[at++] = receiver;
        for (Object p : parameters) {
            now.store(at, p);
            at += State.wide(p) ? 2 : 1;
        }
        last = slots + 1; // never anybody else's
        c.num(0).var(ISTORE, slots).op(LCONST_0, LCONST_0, POP2, POP2); // frames of dead code may need as much
        now.store(slots, INTEGER);
        done();
        if (random.nextInt(3) != 0)
            burn();
    }

    private void end() {
        if (now != null)
            leave();
        if (subroutine == null)
            return;
        c.at(subroutine).var(ASTORE, last)
                .field(GETSTATIC, self, "count", "I").num(1).op(IADD).field(PUTSTATIC, self, "count", "I")
                .var(RET, last);
    }

    private void early(int depth) {
        while (random.nextInt(3) != 0 && now != null)
            statement(depth);
        if (now == null)
            return;
        if (depth == 0 || random.nextBoolean()) {
            delegate(random.nextInt(3) == 0);
            return;
        }
        Label other = new Label(), join = new Label();
        State start = branch(other, 1), one = null;
        Object[] kept = frozen.clone();
        early(depth - 1);
        if (now != null) {
            one = now;
            jump(GOTO, join);
        }
        early = true;
        System.arraycopy(kept, 0, frozen, 0, kept.length);
        place(other, start);
        early(depth - 1);
        if (one != null)
            place(join, now == null ? one : now.meet(one));
        early = false;
        frozen[0] = null;
    }

    private void delegate(boolean other) {
        if (random.nextInt(3) == 0) {
            c.var(ALOAD, 0);
            push(UNINITIALIZED_THIS);
            expression(INTEGER, 2);
            c.field(PUTFIELD, self, "own", "I");
            pop(2);
        }
        c.var(ALOAD, 0);
        push(UNINITIALIZED_THIS);
        expression(INTEGER, 3);
        c.init(other ? self : BASE, "(I)V");
        pop(2);
        done();
        now.replace(UNINITIALIZED_THIS, self);
        early = false;
        frozen[0] = null;
    }

    // --- statements ---

    private void block(int depth) {
        for (int n = 1 + random.nextInt(4); n > 0 && now != null; n--)
            statement(depth);
        if (now == null && version >= 50 && random.nextInt(6) == 0)
            dead();
    }

    /** Code that nothing reaches, with types out of the air. */
    private void dead() {
        State s = new State(frozen.length);
        s.stack.add(LONG);
        s.stack.add(ANY);
        System.arraycopy(frozen, 0, s.locals, 0, frozen.length); // for the handlers around
        place(new Label(), s);
        c.op(ATHROW);
        done();
        now = null;
    }

    private void statement(int depth) {
        if (budget < 0 || depth <= 0) {
            assign();
            return;
        }
        switch (random.nextInt(early ? 12 : 14)) {
        case 0: case 1: branching(depth); break;
        case 2: case 3: loop(depth); break;
        case 4: choice(depth); break;
        case 5: case 6: guarded(depth); break;
        case 7: locked(depth); break;
        case 8: throwing(); break;
        case 9: increment(); break;
        case 10: case 11: assign(); break;
        case 12: stacked(depth); break;
        default: if (random.nextInt(3) == 0) leave(); else call(); break;
        }
    }

    private void assign() {
        Object type = GenRandom.TYPES[random.nextInt(GenRandom.TYPES.length)];
        int slot = freeSlot(type);
        expression(type, 3);
        if (slot < 0 || !now.mayStore(slot, type, frozen)) {
            c.op(State.wide(type) ? POP2 : POP);
            pop(1);
            return;
        }
        c.var(typed(ISTORE, type), slot);
        pop(1);
        now.store(slot, type);
    }

    private void increment() {
        int slot = slotOf(INTEGER);
        if (slot < 0)
            return;
        c.inc(slot, random.nextInt(4) == 0 ? random.nextInt(60000) - 30000 : random.nextInt(9) - 4);
        done();
        if (version < 50 && now.stack.isEmpty()) {
            if (early)
                return;
            if (subroutine == null)
                subroutine = new Label();
            c.jump(JSR, subroutine);
        }
    }

    private void call() {
        expression(INTEGER, 2);
        c.call(INVOKESTATIC, "Trace", "seen", "(I)I").op(POP);
        pop(1);
    }

    /** A statement above values on the stack, which are used afterwards. */
    private void stacked(int depth) {
        Object type = GenRandom.TYPES[random.nextInt(5)];
        expression(type, 2);
        expression(INTEGER, 1);
        block(depth - 1);
        if (now == null)
            return;
        c.call(INVOKESTATIC, "Trace", "seen", "(I)I").op(POP);
        pop(1);
        c.op(State.wide(type) ? POP2 : POP);
        pop(1);
    }

    private void leave() {
        if (early) {
            c.op(ACONST_NULL, ATHROW);
        } else if (result == null) {
            c.op(RETURN);
        } else {
            expression(result, 3);
            c.op(typed(IRETURN, result));
        }
        done();
        now = null;
    }

    private void throwing() {
        Label fine = new Label();
        State s = branch(fine, 1);
        if (random.nextBoolean()) {
            c.fail("random");
        } else {
            c.op(ACONST_NULL, ATHROW);
        }
        done();
        place(fine, s);
    }

    private void branching(int depth) {
        Label other = new Label(), join = new Label();
        State start = branch(other, 2), one = null;
        block(depth - 1);
        if (random.nextInt(3) == 0) { // no else
            place(other, now == null ? start : start.meet(now));
            return;
        }
        if (now != null) {
            one = now;
            jump(GOTO, join);
        }
        place(other, start);
        block(depth - 1);
        if (one != null)
            place(join, now == null ? one : now.meet(one));
    }

    private void loop(int depth) {
        if (version < 50 && now.uninitialized()) { // the old verifier has none of that
            assign();
            return;
        }
        Object[] kept = frozen.clone();
        State head = freeze();
        Label top = new Label(), out = new Label();
        place(top, head);
        burn();
        if (random.nextBoolean()) { // while
            State exit = branch(out, 2);
            block(depth - 1);
            if (now != null)
                jump(GOTO, top);
            place(out, exit);
        } else { // do
            block(depth - 1);
            if (now != null)
                branch(top, 2);
        }
        frozen = kept;
    }

    private void choice(int depth) {
        expression(INTEGER, 2);
        int n = 1 + random.nextInt(4), low = random.nextInt(5) - 2;
        Label[] labels = new Label[n], all;
        for (int i = 0; i < n; i++)
            labels[i] = new Label();
        Label none = new Label(), join = new Label();
        if (random.nextBoolean()) {
            all = new Label[n + 2];
            for (int i = 0; i < all.length; i++)
                all[i] = i < n ? labels[i] : random.nextBoolean() ? none : labels[random.nextInt(n)];
            c.m.visitTableSwitchInsn(low, low + all.length - 1, none, all);
        } else {
            int[] keys = new int[n];
            for (int i = 0; i < n; i++)
                keys[i] = low * 50 + i * (1 + i * 3);
            c.m.visitLookupSwitchInsn(none, keys, labels);
        }
        pop(1);
        State start = now, joined = null;
        now = null;
        for (int i = 0; i <= n; i++) {
            place(i < n ? labels[i] : none, now == null ? start : start.meet(now));
            block(depth - 1);
            if (now != null && random.nextBoolean()) {
                joined = now.meet(joined);
                jump(GOTO, join);
            }
        }
        if (joined != null)
            place(join, now == null ? joined : now.meet(joined));
    }

    /** try, with one or two ranges and a handler; above values on the stack the handler cannot go on. */
    private void guarded(int depth) {
        Object[] kept = frozen.clone();
        State known = freeze();
        known.stack.clear();
        boolean goesOn = now.stack.isEmpty();
        Label s = new Label(), e = new Label(), h = new Label(), s2 = new Label(), e2 = new Label(), join = new Label();
        String type = random.nextInt(3) == 0 ? null : random.nextBoolean() ? ARITHMETIC : "java/lang/RuntimeException";
        boolean two = random.nextInt(3) == 0;
        c.guard(s, e, h, type);
        if (two)
            c.guard(s2, e2, h, type);
        c.at(s).op(NOP);
        done();
        block(depth - 1);
        c.at(e);
        if (two && now != null) {
            assign();
            c.at(s2).op(NOP);
            done();
            block(depth - 1);
            c.at(e2);
        } else if (two) {
            two = false;
            if (version >= 50) // an entry must not be empty
                place(new Label(), known.copy());
            c.at(s2).op(ACONST_NULL, ATHROW).at(e2);
            done();
            now = null;
        }
        State after = now;
        if (now != null)
            jump(GOTO, join);
        frozen = kept;
        known.stack.add(type == null ? ANY : type);
        place(h, known);
        if (random.nextInt(4) == 0) {
            c.op(ATHROW);
            done();
            now = null;
        } else {
            c.op(POP);
            pop(1);
            block(depth - 1);
            if (now != null && !goesOn)
                if (early) {
                    c.op(ACONST_NULL, ATHROW);
                    done();
                    now = null;
                } else {
                    leave();
                }
        }
        if (after != null)
            place(join, now == null ? after : now.meet(after));
    }

    /** synchronized, as javac writes it. */
    private void locked(int depth) {
        int slot = freeSlot(OBJECT);
        if (slot < 0 || constructor) {
            assign();
            return;
        }
        c.ldc("lock").op(DUP).var(ASTORE, slot).op(MONITORENTER);
        done();
        now.store(slot, OBJECT);
        Object[] kept = frozen.clone();
        Object before = result;
        State known = freeze();
        known.locals[slot] = OBJECT;
        frozen[slot] = OBJECT;
        known.stack.clear();
        Label s = new Label(), e = new Label(), h = new Label(), join = new Label();
        c.guard(s, e, h, null);
        c.at(s).op(NOP);
        done();
        assign();
        if (random.nextBoolean())
            branchingOrAssign(depth - 1);
        State after = now;
        c.var(ALOAD, slot).op(MONITOREXIT).at(e);
        done();
        jump(GOTO, join);
        known.stack.add(ANY);
        place(h, known);
        c.var(ALOAD, slot).op(MONITOREXIT, ATHROW);
        done();
        frozen = kept;
        result = before;
        place(join, after);
    }

    private void branchingOrAssign(int depth) {
        Label other = new Label();
        State start = branch(other, 1);
        for (int i = 0; i < depth; i++)
            assign();
        place(other, start.meet(now));
    }

    @Override
    void aside(int depth) {
        switch (random.nextInt(3)) {
        case 0: branchingOrAssign(depth); break;
        case 1: throwing(); break;
        default:
            Object[] kept = frozen.clone();
            State head = freeze();
            Label top = new Label();
            place(top, head);
            burn();
            assign();
            branch(top, 1);
            frozen = kept;
        }
    }
}
