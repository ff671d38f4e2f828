package gen;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.objectweb.asm.Label;

/** The types of locals, by slot, and of the stack, by value, as ASM names them. TOP stands for null, too. */
final class State {
    static final Object HALF = "second half";

    final Object[] locals;
    final List<Object> stack = new ArrayList<>();

    State(int slots) {
        locals = new Object[slots];
    }

    State copy() {
        State s = new State(locals.length);
        System.arraycopy(locals, 0, s.locals, 0, locals.length);
        s.stack.addAll(stack);
        return s;
    }

    static boolean wide(Object type) {
        return type == LONG || type == DOUBLE;
    }

    void store(int slot, Object type) {
        kill(slot);
        if (wide(type))
            kill(slot + 1);
        locals[slot] = type;
        if (wide(type))
            locals[slot + 1] = HALF;
    }

    private void kill(int slot) {
        if (locals[slot] == HALF)
            locals[slot - 1] = null;
        if (wide(locals[slot]))
            locals[slot + 1] = null;
        locals[slot] = null;
    }

    /** May `type` be stored without changing what is frozen? */
    boolean mayStore(int slot, Object type, Object[] frozen) {
        if (slot + (wide(type) ? 2 : 1) > locals.length)
            return false;
        State s = copy();
        s.store(slot, type);
        for (int i = 0; i < frozen.length; i++)
            if (frozen[i] != null && !frozen[i].equals(s.locals[i]))
                return false;
        return true;
    }

    void replace(Object old, Object type) {
        for (int i = 0; i < locals.length; i++)
            if (locals[i] == old)
                locals[i] = type;
        stack.replaceAll(t -> t == old ? type : t);
    }

    boolean uninitialized() {
        return Arrays.stream(locals).anyMatch(State::uninitialized) || stack.stream().anyMatch(State::uninitialized);
    }

    static boolean uninitialized(Object type) {
        return type instanceof Label || type == UNINITIALIZED_THIS;
    }

    static boolean reference(Object type) {
        return type == NULL || type instanceof String && type != HALF;
    }

    static Object merge(Object a, Object b) {
        if (Objects.equals(a, b))
            return a;
        if (!reference(a) || !reference(b))
            return null;
        return a == NULL ? b : b == NULL ? a : Body.OBJECT;
    }

    /** Where this and another way meet; their stacks are alike but for references. */
    State meet(State other) {
        if (other == null)
            return copy();
        State s = copy();
        for (int i = 0; i < locals.length; i++)
            s.locals[i] = merge(locals[i], other.locals[i]);
        s.tidy();
        for (int i = 0; i < stack.size(); i++)
            s.stack.set(i, merge(stack.get(i), other.stack.get(i)));
        return s;
    }

    /** Gives up some types that need not be known further on. */
    State forget(Random random, Object[] frozen) {
        State s = copy();
        for (int i = 0; i < locals.length; i++)
            if (frozen[i] == null && s.locals[i] != UNINITIALIZED_THIS && random.nextInt(6) == 0)
                s.locals[i] = null;
        s.tidy();
        return s;
    }

    private void tidy() {
        for (int i = 0; i < locals.length; i++) {
            if (wide(locals[i]) && locals[i + 1] != HALF)
                locals[i] = null;
            if (locals[i] == HALF && (i == 0 || !wide(locals[i - 1])))
                locals[i] = null;
        }
    }

    /** The locals as a frame has them; trailing TOPs go, but not always. */
    Object[] entries(Random random) {
        int end = locals.length;
        while (end > 0 && locals[end - 1] == null)
            end--;
        if (random.nextInt(8) == 0 && end + 2 < locals.length)
            end += random.nextInt(3);
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < end; i++)
            if (locals[i] != HALF)
                list.add(locals[i] == null ? TOP : locals[i]);
        return list.toArray();
    }
}
