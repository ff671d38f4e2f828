import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Scanner;
import java.util.function.Predicate;

/**
 * A loader that asks a class of its own about each class that it is asked for, as agents do whose advice is in
 * ClassLoader.loadClass. It loads a class for each line of standard input. With an argument, it knows no class whose name
 * begins with that, and does not ask its parent either.
 */
public class AskedFirst extends ClassLoader {
    /** Loaded by the loader itself. */
    public static class Asked implements Predicate<String> {
        int times;

        @Override
        public boolean test(String name) {
            return name.startsWith("made.") || ++times < 0;
        }
    }

    Predicate<String> asked;
    String unknown;

    @SuppressWarnings("unchecked")
    AskedFirst() throws IOException, ReflectiveOperationException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream in = AskedFirst.class.getResourceAsStream("AskedFirst$Asked.class")) {
            for (int b = in.read(); b >= 0; b = in.read())
                bytes.write(b);
        }
        Class<?> own = defineClass("AskedFirst$Asked", bytes.toByteArray(), 0, bytes.size());
        Predicate<String> once = (Predicate<String>) own.getConstructor().newInstance();
        once.test("java.lang.Object"); // while it is not asked, all that its code refers to is found
        asked = once;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (asked != null && asked.test(name) || unknown != null && name.startsWith(unknown))
            throw new ClassNotFoundException(name);
        return super.loadClass(name, resolve);
    }

    public static void main(String[] args) throws Exception {
        AskedFirst loader = new AskedFirst();
        loader.unknown = args.length > 0 ? args[0] : null;
        System.out.println("ready");
        Scanner names = new Scanner(System.in);
        while (names.hasNextLine())
            try {
                System.out.println(Class.forName(names.nextLine(), false, loader));
            } catch (Throwable t) {
                System.out.println(t.getClass().getName());
            }
    }
}
