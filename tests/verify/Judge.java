import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What this JVM's verifier says of the classes that mutants.c wrote, against what ours says: Judge FILE DIR [COUNT].
 * Each class is defined by a loader of its own, which takes all other classes of DIR from there, and linked. Ours must
 * never refuse what the JVM takes, and must refuse what the JVM refuses, unless the reason needs other classes. Prints
 * every difference, then a line of counts.
 */
public class Judge {
    private static final Map<String, byte[]> CLASSES = new HashMap<>();
    private static final Pattern TYPES = Pattern.compile(
        "Type (?:'([^']+)'|([a-z]+)(?:_2nd)?)(?: \\([^)]*\\))? is not assignable to (?:'([^']+)'|([a-z ]+))");

    private static final class Loader extends ClassLoader {
        private final String name;
        private final byte[] bytes;
        Throwable undefined;

        Loader(String name, byte[] bytes) {
            super(ClassLoader.getSystemClassLoader());
            this.name = name;
            this.bytes = bytes;
        }

        @Override
        protected Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(wanted)) {
                Class<?> loaded = findLoadedClass(wanted);
                if (loaded != null) return loaded;
                byte[] b = wanted.equals(name) ? bytes : CLASSES.get(wanted);
                if (b == null) return super.loadClass(wanted, resolve);
                try {
                    return defineClass(wanted, b, 0, b.length);
                } catch (Throwable t) {
                    if (wanted.equals(name)) undefined = t;
                    throw t;
                }
            }
        }
    }

    private static String nameOf(byte[] b) throws Exception {
        DataInputStream in = new DataInputStream(new java.io.ByteArrayInputStream(b));
        in.skipBytes(8);
        int n = in.readUnsignedShort();
        Object[] pool = new Object[n];
        for (int i = 1; i < n; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1: pool[i] = in.readUTF(); break;
                case 7: pool[i] = in.readUnsignedShort(); break;
                case 5: case 6: in.skipBytes(8); i++; break;
                case 8: case 16: case 19: case 20: in.skipBytes(2); break;
                case 15: in.skipBytes(3); break;
                default: in.skipBytes(4);
            }
        }
        in.skipBytes(2);
        return ((String) pool[(Integer) pool[in.readUnsignedShort()]]).replace('/', '.');
    }

    /** Null: taken; "?...": it did not come to verification, or to no end; else the reason. */
    private static String judge(String name, byte[] b) {
        Loader loader = new Loader(name, b);
        try {
            Class.forName(name, false, loader).getDeclaredMethods();
            return null;
        } catch (VerifyError | ClassFormatError e) {
            return loader.undefined != null ? "?" + e : String.valueOf(e);
        } catch (Throwable t) {
            return "?" + t;
        }
    }

    /** Does the reason turn on classes that ours knows nothing of? */
    private static boolean needsOthers(String reason) {
        if (reason.contains("protected")) return true;
        if (reason.contains("current class isn't assignable to reference class")) return true;
        if (reason.contains("Catch type is not a subclass of Throwable")) return true;
        if (reason.contains("Incompatible object argument") || reason.contains("Incompatible argument")
            || reason.contains("Wrong return type") || reason.contains("Incompatible type for")
            || reason.contains("Bad type in putfield/putstatic") || reason.contains("Can only throw Throwable objects")
            || reason.contains("Illegal use of nonvirtual function call"))
            return true; // of the old verifier, which does not tell the types
        Matcher m = TYPES.matcher(reason);
        if (!m.find() || m.group(1) == null || m.group(3) == null) return false;
        String from = m.group(1), to = m.group(3);
        if (from.startsWith("[") && to.startsWith("[")) {
            int i = from.lastIndexOf('['), k = to.lastIndexOf('[');
            return i == k && from.charAt(i + 1) == 'L' && to.charAt(k + 1) == 'L';
        }
        return !from.startsWith("[") && !to.startsWith("[");
    }

    public static void main(String[] args) throws Exception {
        Path root = Paths.get(args[1]);
        try (java.util.stream.Stream<Path> walk = Files.walk(root)) {
            for (Path p : (Iterable<Path>) walk.filter(f -> f.toString().endsWith(".class"))::iterator) {
                String name = root.relativize(p).toString();
                CLASSES.put(name.substring(0, name.length() - 6).replace('/', '.'), Files.readAllBytes(p));
            }
        }
        int taken = 0, refused = 0, unclear = 0, excused = 0, wrong = 0, records = 0;
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(args[0])))) {
            for (;; records++) {
                byte[] text;
                try {
                    text = new byte[in.readUnsignedShort()];
                } catch (EOFException end) {
                    break;
                }
                in.readFully(text);
                byte[] b = new byte[in.readInt()];
                in.readFully(b);
                String ours = new String(text, StandardCharsets.ISO_8859_1), name = nameOf(b);
                String theirs = judge(name, b);
                if (theirs != null && theirs.startsWith("?")) {
                    unclear++;
                    if (ours.isEmpty() || ours.startsWith("+") || !theirs.contains("NoClassDef")) continue;
                    continue;
                }
                boolean oursTakes = ours.isEmpty() || ours.startsWith("+");
                if (theirs == null) taken++;
                else refused++;
                if (oursTakes == (theirs == null)) continue;
                if (oursTakes && (needsOthers(theirs) || ours.startsWith("+"))) {
                    excused++;
                    continue;
                }
                wrong++;
                if (args.length > 2) Files.write(Paths.get(args[2], records + ".class"), b);
                System.out.println("DIFFERENT " + records + " " + name + "\n  ours: " + (ours.isEmpty() ? "taken" : ours)
                    + "\n  JVM:  " + (theirs == null ? "taken" : theirs.replace("\n", "\n        ")));
            }
        }
        System.out.println(records + " classes: the JVM took " + taken + ", refused " + refused + ", " + unclear
            + " did not come so far; " + excused + " refused for what needs other classes; " + wrong + " judged differently");
        System.exit(wrong == 0 && taken > 0 && refused > 0 ? 0 : 1);
    }
}
