package gen;

import static org.objectweb.asm.Opcodes.*;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random but valid classes, the same for the same seed: `GenRandom FOLDER FIRST COUNT`. The program RandomMethods runs
 * them. Their frames are written as known while generating, with types given up here and there.
 */
public final class GenRandom {
    static final int[] VERSIONS = {V1_8, V1_8, V1_6, V1_5, V1_8, V17, V1_2};
    static final Object[] TYPES = {INTEGER, INTEGER, LONG, FLOAT, DOUBLE, Body.STRING, Body.OBJECT, Body.INTS};

    public static void main(String[] args) {
        Unit.out = Path.of(args[0]);
        base();
        int first = Integer.parseInt(args[1]), count = Integer.parseInt(args[2]);
        for (int seed = first; seed < first + count; seed++)
            one(seed);
    }

    /** The super class of all: its constructor refuses negative numbers. */
    static void base() {
        org.objectweb.asm.Label fine = new org.objectweb.asm.Label();
        new Unit(V1_5, Body.BASE)
                .field(ACC_PUBLIC, "value", "I")
                .method(ACC_PUBLIC, "<init>", "(I)V", c -> c
                        .var(ALOAD, 0).init("java/lang/Object", "()V")
                        .var(ILOAD, 1).jump(IFGE, fine).fail("base")
                        .at(fine).var(ALOAD, 0).var(ILOAD, 1).field(PUTFIELD, Body.BASE, "value", "I").op(RETURN))
                .write();
    }

    static void one(int seed) {
        Random random = new Random(seed * 7919L);
        String name = "random/Random" + seed;
        int version = VERSIONS[seed % VERSIONS.length];
        Unit u = new Unit(version, name, Body.BASE, false);
        u.field(ACC_PUBLIC | ACC_STATIC, "count", "I").field(ACC_PUBLIC, "own", "I");
        List<String[]> callees = new ArrayList<>();
        for (int i = 0, n = 2 + random.nextInt(4); i < n; i++) {
            Object[] parameters = parameters(random);
            Object result = random.nextInt(5) == 0 ? null : TYPES[random.nextInt(TYPES.length)];
            boolean instance = random.nextInt(4) == 0;
            String method = (instance ? "v" : "m") + i, desc = descriptor(parameters, result);
            u.method(ACC_PUBLIC | (instance ? 0 : ACC_STATIC), method, desc, c -> new Body(random, c, version, name)
                    .calls(callees).method(instance, parameters, result));
            if (!instance)
                callees.add(new String[] {method, desc});
        }
        u.method(ACC_PUBLIC, "<init>", "(I)V", c -> new Body(random, c, version, name).calls(callees)
                .constructor(new Object[] {INTEGER}, false));
        Object[] more = {INTEGER, TYPES[random.nextInt(TYPES.length)]};
        u.method(ACC_PUBLIC, "<init>", descriptor(more, null), c -> new Body(random, c, version, name).calls(callees)
                .constructor(more, true));
        u.write();
    }

    static Object[] parameters(Random random) {
        Object[] result = new Object[1 + random.nextInt(5)];
        for (int i = 0; i < result.length; i++)
            result[i] = TYPES[random.nextInt(TYPES.length)];
        return result;
    }

    static String descriptor(Object[] parameters, Object result) {
        StringBuilder b = new StringBuilder("(");
        for (Object p : parameters)
            b.append(letter(p));
        return b.append(')').append(result == null ? "V" : letter(result)).toString();
    }

    static String letter(Object type) {
        if (type instanceof String)
            return ((String) type).startsWith("[") ? (String) type : "L" + type + ";";
        return type == INTEGER ? "I" : type == LONG ? "J" : type == FLOAT ? "F" : "D";
    }
}
