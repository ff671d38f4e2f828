package gen;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Label;

/** Names that need care in a table, in JSON and in modified UTF-8. The class is stored under a plain file name. */
final class GenNames {
    static final String SELF = "cases/Odd) \"n\u00e4me\"\u20ac\uD83D\uDE00\\";
    /** The first closing parenthesis is that of a name. */
    static final String TAKES_SELF = "(IL" + SELF + ";)L" + SELF + ";";
    static final String[] METHODS = {
        "quote\"backslash\\", "tab\tnewline\ncontrol\u0001", "nul\u0000inside", "\u00e9\u4e2d\uD83D\uDE00", "with space, comma",
        "<b>&amp;</b>".replace("<", "{").replace(">", "}").replace("/", "|").replace(";", ","), "percent%s%n", "1", "-",
        "x".repeat(60000),
    };

    static void all() {
        Unit u = new Unit(V1_8, SELF);
        for (String name : METHODS)
            u.fun(name, "(I)I", c -> c.num(10).var(ILOAD, 0).op(IDIV, IRETURN));
        u.method(ACC_PUBLIC | ACC_STATIC, "same", TAKES_SELF, c -> {
            Label more = new Label();
            c.var(ILOAD, 0).jump(IFNE, more).var(ALOAD, 1).op(ARETURN).at(more);
            c.m.visitFrame(F_SAME, 0, null, 0, null);
            c.var(ILOAD, 0).num(1).op(ISUB).var(ALOAD, 1).call(INVOKESTATIC, SELF, "same", TAKES_SELF).op(ARETURN);
        });
        u.method(ACC_PUBLIC | ACC_STATIC, "run", "(I)I", c -> {
            c.num(2).op(ACONST_NULL).call(INVOKESTATIC, SELF, "same", TAKES_SELF).op(POP);
            c.num(0).var(ISTORE, 1);
            for (String name : METHODS)
                c.var(ILOAD, 0).call(INVOKESTATIC, SELF, name, "(I)I").var(ILOAD, 1).op(IADD).var(ISTORE, 1);
            c.var(ILOAD, 1).op(IRETURN);
        });
        Unit.write("cases/odd-names.bin", u.bytes());
    }
}
