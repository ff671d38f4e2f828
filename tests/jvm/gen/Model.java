package gen;

import static org.objectweb.asm.Opcodes.*;

import java.util.Random;
import org.objectweb.asm.Label;

/** Code being written, with what is known of locals and stack kept along, so that all of it is valid. */
class Model {
    final Random random;
    final Code c;
    final int version;
    State now;       // null: unreachable
    Object[] frozen; // types of locals that must stay, for loops and handlers
    int last;        // local of its own: for subroutines
    int budget;      // of instructions; below 0 what is begun is only ended
    private boolean framed; // no instruction since the last frame

    Model(Random random, Code c, int version) {
        this.random = random;
        this.c = c;
        this.version = version & 0xffff;
    }

    void push(Object type) {
        now.stack.add(type);
        done();
    }

    void pop(int n) {
        for (; n > 0; n--)
            now.stack.remove(now.stack.size() - 1);
        done();
    }

    void done() {
        framed = false;
        budget--;
    }

    void place(Label l, State state) {
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

    void jump(int opcode, Label to) {
        c.jump(opcode, to);
        done();
        if (opcode == GOTO)
            now = null;
    }

    void burn() {
        c.call(INVOKESTATIC, "Trace", "burn", "()V");
        done();
    }

    /** Freezes what is known, but for what is given up. */
    State freeze() {
        State s = now.forget(random, frozen);
        for (int i = 0; i < frozen.length; i++)
            if (s.locals[i] != null)
                frozen[i] = s.locals[i];
        return s;
    }

    int slotOf(Object type) {
        int from = random.nextInt(now.locals.length);
        for (int i = 0; i < now.locals.length; i++) {
            int slot = (from + i) % now.locals.length;
            if (type.equals(now.locals[slot]))
                return slot;
        }
        return -1;
    }

    int freeSlot(Object type) {
        for (int i = 0; i < 20; i++) {
            int slot = random.nextInt(last);
            if (now.mayStore(slot, type, frozen) && (slot < 14 || slot > 250) && slot + 1 < last)
                return slot;
        }
        return -1;
    }

    static int typed(int integer, Object type) { // of ILOAD, ISTORE, IRETURN
        return integer + (type == INTEGER ? 0 : type == LONG ? 1 : type == FLOAT ? 2 : type == DOUBLE ? 3 : 4);
    }
}
