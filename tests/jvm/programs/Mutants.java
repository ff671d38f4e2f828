import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Random;

/**
 * Damages class files, the same way every time, defines and links each, and prints the VM's result. The code
 * never runs. Arguments: how many of each file, then the files. With -Dsave=3.14 that mutant is written to 3.14.class.
 */
public class Mutants {
    static final class Loader extends ClassLoader {
        Loader() {
            super(Mutants.class.getClassLoader());
        }

        Class<?> define(byte[] b) {
            return defineClass(null, b, 0, b.length);
        }
    }

    public static void main(String[] args) throws Exception {
        int each = Integer.parseInt(args[0]);
        for (int f = 1; f < args.length; f++) {
            byte[] original = Files.readAllBytes(Paths.get(args[f]));
            Random random = new Random(f * 7919L + original.length);
            for (int i = 0; i < each; i++)
                print(f + "." + i, mutate(original, random));
            for (int length = 0; length < original.length; length += 1 + original.length / 40) {
                byte[] b = new byte[length];
                System.arraycopy(original, 0, b, 0, length);
                print(f + ".cut" + length, b);
            }
        }
    }

    static void print(String id, byte[] b) throws Exception {
        if (id.equals(System.getProperty("save")))
            Files.write(Paths.get(id + ".class"), b);
        System.out.println(id + " " + outcome(b));
    }

    static byte[] mutate(byte[] original, Random random) {
        byte[] b = original.clone();
        int changes = 1 + random.nextInt(3);
        for (int c = 0; c < changes; c++) {
            int at = random.nextInt(b.length);
            switch (random.nextInt(4)) {
                case 0: b[at] ^= 1 << random.nextInt(8); break;
                case 1: b[at] = (byte) random.nextInt(256); break;
                case 2: b[at] = (byte) 0xff; break;
                default: b[at] += random.nextBoolean() ? 1 : -1;
            }
        }
        if (random.nextInt(10) == 0) {
            int from = random.nextInt(b.length), n = random.nextInt(Math.min(8, b.length - from) + 1);
            byte[] shorter = new byte[b.length - n];
            System.arraycopy(b, 0, shorter, 0, from);
            System.arraycopy(b, from + n, shorter, from, b.length - from - n);
            return shorter;
        }
        return b;
    }

    /** Errors of linking depend on the order in which the VM verifies methods, which is not fixed. */
    static String outcome(byte[] b) {
        Class<?> c;
        try {
            c = new Loader().define(b);
        } catch (Throwable t) {
            return "define: " + t;
        }
        try {
            c.getDeclaredMethods();
            return "linked";
        } catch (Throwable t) {
            return "link: " + t.getClass().getName();
        }
    }
}
