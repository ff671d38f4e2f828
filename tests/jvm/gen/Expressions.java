package gen;

import static org.objectweb.asm.Opcodes.*;

import java.util.List;
import java.util.Random;
import org.objectweb.asm.Label;
import org.objectweb.asm.Type;

/** Random code that leaves one value on the stack, or jumps on one. */
abstract class Expressions extends Model {
    static final String OBJECT = "java/lang/Object", STRING = "java/lang/String", INTS = "[I";

    final String self;
    List<String[]> callees = List.of();

    Expressions(Random random, Code c, int version, String self) {
        super(random, c, version);
        this.self = self;
    }

    /** A statement that goes on in any case, while there are values on the stack. */
    abstract void aside(int depth);

    void expression(Object type, int depth) {
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

    void ternary(Object type, int depth) {
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

    void integer(int depth) {
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
    boolean invoke(Object type) {
        for (String[] m : callees) {
            if (!m[1].endsWith(")" + GenRandom.letter(type)) || random.nextInt(3) == 0)
                continue;
            int n = 0;
            for (Type t : Type.getArgumentTypes(m[1])) {
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

    static Object typeOf(Type t) {
        switch (t.getSort()) {
        case Type.INT: return INTEGER;
        case Type.LONG: return LONG;
        case Type.FLOAT: return FLOAT;
        case Type.DOUBLE: return DOUBLE;
        default: return t.getInternalName();
        }
    }

    void number(Object type, int depth) {
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

    void reference(String type, int depth) {
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
    void made(int depth) {
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
            aside(depth - 1);
        expression(STRING, depth - 1);
        frozen = kept;
        c.init(STRING, "(Ljava/lang/String;)V");
        pop(2);
        now.replace(n, STRING);
    }

    /** Jumps on something; gives the state at the target, and goes on where it falls through. */
    State branch(Label to, int depth) {
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
}
