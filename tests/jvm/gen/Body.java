package gen;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.objectweb.asm.Label;

/** The code of one random method. What is known of locals and stack is kept along, so that all of it is valid. */
final class Body {
    static final String OBJECT = "java/lang/Object", STRING = "java/lang/String", INTS = "[I", ANY = "java/lang/Throwable";
    static final String BASE = "random/Base", ARITHMETIC = "java/lang/ArithmeticException";

    private final Random random;
    private final Code c;
    private final int version;
    private final String self;
    private List<String[]> callees = List.of();
    private State now;           // null: unreachable
    private Object[] frozen;     // types of locals that must stay, for loops and handlers
    private Object result;
    private boolean early;       // a constructor before super()
    private boolean constructor;
    private boolean framed;      // no instruction since the last frame
    private int budget;
    private Label subroutine;    // of jsr
    private int subroutineSlot;

    Body(Random random, Code c, int version, String self) {
        this.random = random;
        this.c = c;
        this.version = version & 0xffff;
        this.self = self;
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
        subroutineSlot = slots + 1; // never anybody else's
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
        c.at(subroutine).var(ASTORE, subroutineSlot)
                .field(GETSTATIC, self, "count", "I").num(1).op(IADD).field(PUTSTATIC, self, "count", "I")
                .var(RET, subroutineSlot);
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

    // --- the model ---

    private void push(Object type) {
        now.stack.add(type);
        done();
    }

    private void pop(int n) {
        for (; n > 0; n--)
            now.stack.remove(now.stack.size() - 1);
        done();
    }

    private void done() {
        framed = false;
        budget--;
    }

    private void place(Label l, State state) {
        if (framed) { // two frames at one place cannot be
            c.op(NOP);
            framed = false;
        }
        now = state.copy();
        c.at(l);
        if (version >= 50) {
            c.expanded(now.entries(random), now.stack.toArray());
            framed = true;
        }
    }

    private void jump(int opcode, Label to) {
        c.jump(opcode, to);
        done();
        if (opcode == GOTO)
            now = null;
    }

    private void burn() {
        c.call(INVOKESTATIC, "Trace", "burn", "()V");
        done();
    }

    /** Freezes what is known, but for what is given up. */
    private State freeze() {
        State s = now.forget(random, frozen);
        for (int i = 0; i < frozen.length; i++)
            if (s.locals[i] != null)
                frozen[i] = s.locals[i];
        return s;
    }

    private int slotOf(Object type) {
        int from = random.nextInt(now.locals.length);
        for (int i = 0; i < now.locals.length; i++) {
            int slot = (from + i) % now.locals.length;
            if (type.equals(now.locals[slot]))
                return slot;
        }
        return -1;
    }

    private int freeSlot(Object type) {
        for (int i = 0; i < 20; i++) {
            int slot = random.nextInt(subroutineSlot);
            if (now.mayStore(slot, type, frozen) && (slot < 14 || slot > 250) && slot + 1 < subroutineSlot)
                return slot;
        }
        return -1;
    }

    private static int typed(int integer, Object type) { // of ILOAD, ISTORE, IRETURN
        return integer + (type == INTEGER ? 0 : type == LONG ? 1 : type == FLOAT ? 2 : type == DOUBLE ? 3 : 4);
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

    /** Jumps on something; gives the state at the target, and goes on where it falls through. */
    private State branch(Label to, int depth) {
        int opcode;
        switch (random.nextInt(4)) {
        case 0:
            expression(INTEGER, depth);
            expression(INTEGER, depth);
            opcode = IF_ICMPEQ + random.nextInt(6);
            pop(2);
            break;
        case 1:
            expression(random.nextBoolean() ? STRING : OBJECT, depth);
            opcode = random.nextBoolean() ? IFNULL : IFNONNULL;
            pop(1);
            break;
        default:
            expression(INTEGER, depth);
            opcode = IFEQ + random.nextInt(6);
            pop(1);
        }
        c.jump(opcode, to);
        done();
        return now.copy();
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

    // --- expressions ---

    private void expression(Object type, int depth) {
        if (depth > 0 && budget > 0 && random.nextInt(7) == 0) {
            ternary(type, depth - 1);
            return;
        }
        int slot = random.nextBoolean() ? slotOf(type) : -1;
        if (slot >= 0) {
            c.var(typed(ILOAD, type), slot);
            push(type);
        } else if (type == INTEGER) {
            integer(depth);
        } else if (type instanceof Integer) {
            number(type, depth);
        } else {
            reference((String) type, depth);
        }
    }

    private void ternary(Object type, int depth) {
        Label other = new Label(), join = new Label();
        State start = branch(other, depth);
        expression(type, depth);
        State one = now;
        jump(GOTO, join);
        place(other, start);
        expression(type, depth);
        place(join, now.meet(one));
        now.stack.set(now.stack.size() - 1, type);
    }

    private void integer(int depth) {
        int kind = depth <= 0 || budget < 0 ? 0 : random.nextInt(10);
        switch (kind) {
        case 1: case 2:
            expression(INTEGER, depth - 1);
            expression(INTEGER, depth - 1);
            c.op(new int[] {IADD, ISUB, IMUL, IXOR, IDIV, IREM}[random.nextInt(6)]);
            pop(1);
            break;
        case 3:
            Object type = GenRandom.TYPES[2 + random.nextInt(3)];
            expression(type, depth - 1);
            c.op(type == LONG ? L2I : type == FLOAT ? F2I : D2I);
            pop(1);
            push(INTEGER);
            break;
        case 4:
            expression(STRING, depth - 1);
            c.call(INVOKEVIRTUAL, STRING, "length", "()I");
            pop(1);
            push(INTEGER);
            break;
        case 5:
            expression(INTEGER, depth - 1);
            c.call(INVOKESTATIC, "Trace", "seen", "(I)I");
            done();
            break;
        case 6:
            expression(INTS, depth - 1);
            c.op(ARRAYLENGTH);
            pop(1);
            push(INTEGER);
            break;
        case 7:
            if (!callees.isEmpty() && invoke(INTEGER))
                break;
            c.field(GETSTATIC, self, "count", "I");
            push(INTEGER);
            break;
        case 8:
            expression(LONG, depth - 1);
            expression(LONG, depth - 1);
            c.op(LCMP);
            pop(2);
            push(INTEGER);
            break;
        default:
            c.num(random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(12) - 3);
            push(INTEGER);
        }
    }

    /** A method that was made before, if there is one with this result. */
    private boolean invoke(Object type) {
        for (String[] m : callees) {
            if (!m[1].endsWith(")" + GenRandom.letter(type)) || random.nextInt(3) == 0)
                continue;
            int n = 0;
            for (org.objectweb.asm.Type t : org.objectweb.asm.Type.getArgumentTypes(m[1])) {
                expression(typeOf(t), 1);
                n++;
            }
            c.call(INVOKESTATIC, self, m[0], m[1]);
            pop(n);
            push(type);
            budget -= 40;
            return true;
        }
        return false;
    }

    private static Object typeOf(org.objectweb.asm.Type t) {
        switch (t.getSort()) {
        case org.objectweb.asm.Type.INT: return INTEGER;
        case org.objectweb.asm.Type.LONG: return LONG;
        case org.objectweb.asm.Type.FLOAT: return FLOAT;
        case org.objectweb.asm.Type.DOUBLE: return DOUBLE;
        default: return t.getInternalName();
        }
    }

    private void number(Object type, int depth) {
        boolean wide = State.wide(type);
        if (depth > 0 && budget > 0 && random.nextBoolean()) {
            expression(type, depth - 1);
            expression(type, depth - 1);
            c.op(typed(new int[] {IADD, ISUB, IMUL}[random.nextInt(3)], type));
            pop(1);
        } else if (depth > 0 && budget > 0 && random.nextBoolean()) {
            expression(INTEGER, depth - 1);
            c.op(type == LONG ? I2L : type == FLOAT ? I2F : I2D);
            pop(1);
            push(type);
        } else {
            if (wide)
                c.ldc(type == LONG ? (Object) (random.nextLong() >> 20) : (Object) (random.nextInt(1000) / 8.0));
            else
                c.ldc(random.nextInt(1000) / 4.0f);
            push(type);
        }
    }

    private void reference(String type, int depth) {
        if (type.equals(INTS)) {
            expression(INTEGER, 0);
            c.num(7).op(IAND);
            c.m.visitIntInsn(NEWARRAY, T_INT);
            pop(1);
            push(INTS);
        } else if (depth > 0 && budget > 0 && random.nextBoolean()) {
            made(depth);
            now.stack.set(now.stack.size() - 1, type);
        } else if (random.nextInt(8) == 0) {
            c.op(ACONST_NULL);
            push(type);
        } else {
            c.ldc("text" + random.nextInt(100));
            push(type);
        }
    }

    /** A string made with new, its arguments computed, and more, while it is not initialized. */
    private void made(int depth) {
        Label n = new Label();
        int slot = version >= 50 && random.nextInt(3) == 0 ? freeSlot(n) : -1;
        now.replace(n, null);
        c.at(n).type(NEW, STRING).op(DUP);
        push(n);
        push(n);
        if (slot >= 0) {
            c.op(DUP).var(ASTORE, slot);
            now.store(slot, n);
        }
        Object[] kept = frozen.clone();
        if (slot >= 0)
            frozen[slot] = n;
        if (version >= 50 && depth > 1 && random.nextInt(3) == 0)
            onlyWhole(depth - 1);
        expression(STRING, depth - 1);
        frozen = kept;
        c.init(STRING, "(Ljava/lang/String;)V");
        pop(2);
        now.replace(n, STRING);
    }

    /** A statement that goes on in any case. */
    private void onlyWhole(int depth) {
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
