import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** Does one thing repeatedly, `AllocationTotals THING TIMES`; prints the bytes that the thread allocated by the VM's count. */
public class AllocationTotals {
    static Object keep;

    public static class Copied implements Cloneable {
        int a;
        long b;

        public Copied() {}

        @Override
        public Object clone() throws CloneNotSupportedException {
            return super.clone();
        }
    }

    public static int plus(int x) {
        return x + 1000;
    }

    static void collections() {
        List<Object> list = new ArrayList<>();
        for (int k = 0; k < 50; k++) list.add(k * 1000);
        Map<Object, Object> map = new HashMap<>();
        for (Object o : list) map.put(o, o);
        keep = map;
    }

    static void strings(int i) {
        StringBuilder text = new StringBuilder();
        for (int k = 0; k < 20; k++) text.append(k).append("abc");
        keep = "x" + i + "y" + text;
        keep = ("a" + i).split("1");
        keep = ("a" + i).toCharArray();
    }

    static void reflection(int i) throws Exception {
        keep = Copied.class.getConstructor().newInstance();
        keep = Array.newInstance(String.class, i % 7);
        keep = Array.newInstance(int.class, 3, 4);
        keep = AllocationTotals.class.getDeclaredMethods();
        keep = AllocationTotals.class.getDeclaredMethod("plus", int.class).invoke(null, i);
    }

    static void clones(int i) throws Exception {
        keep = new Copied().clone();
        keep = new int[i % 10].clone();
        keep = new String[i % 10][3].clone();
        keep = Arrays.copyOf(new String[5], 9);
        keep = Arrays.copyOf(new Object[5], 9);
        keep = Arrays.copyOfRange(new byte[9], 2, 5);
    }

    static class Deeper extends Copied {
        Object c;

        @Override
        public Object clone() throws CloneNotSupportedException {
            return super.clone(); // not a native method
        }
    }

    static class Plain implements Cloneable {
        long a, b, c;
    }

    static class Heir extends Plain {
        Object copy() throws CloneNotSupportedException {
            return super.clone(); // a native method
        }
    }

    static class Own implements Cloneable {
        long a, b;

        Object copy() throws CloneNotSupportedException {
            return clone(); // the one of the object's class
        }
    }

    static class Overriding extends Own {
        int c;

        @Override
        public Object clone() throws CloneNotSupportedException {
            return super.clone();
        }
    }

    static final int[] INTS = new int[10];
    static final String[] STRINGS = {"a", "b", "c"};
    static final Object[] OBJECTS = new Object[5];
    static final Copied COPIED = new Copied();
    static final Deeper DEEPER = new Deeper();
    static final Heir HEIR = new Heir();

    static final Own OWN = new Own(), OVERRIDING = new Overriding();

    static final Object[] keeps = new Object[14];

    /** Methods for which compilers have code of their own. They cannot remove it, because each result is stored. */
    static void copies(int i) throws Exception {
        keeps[0] = INTS.clone();
        keeps[1] = STRINGS.clone();
        keeps[2] = COPIED.clone();
        keeps[3] = DEEPER.clone();
        keeps[4] = HEIR.copy();
        keeps[5] = Arrays.copyOf(STRINGS, 9);
        keeps[6] = Arrays.copyOf(OBJECTS, 9);
        keeps[7] = Arrays.copyOf(OBJECTS, 9, String[].class);
        keeps[8] = Arrays.copyOfRange(STRINGS, 1, 3);
        keeps[9] = Arrays.copyOf(INTS, 50);
        keeps[10] = Array.newInstance(String.class, i & 7);
        keeps[11] = Array.newInstance(int.class, i & 7);
        keeps[12] = OWN.copy();
        keeps[13] = OVERRIDING.copy();
    }

    static java.lang.reflect.Constructor<?> constructor;

    static void constructors() throws Exception {
        keep = constructor.newInstance();
    }

    static void lambdas(int i) {
        Runnable r = () -> keep = i;
        r.run();
        keep = r;
        keep = Arrays.asList(1, 2, 3, i).stream().map(x -> x + 1).toArray();
    }

    /** Two lambdas of one class, whose objects have different sizes. */
    static void captures(int i) {
        long a = i, b = i + 1, c = i + 2, d = i + 3, e = i + 4;
        Runnable small = () -> keep = i, large = () -> keep = a + b + c + d + e;
        keeps[0] = small;
        keeps[1] = large;
    }

    public static class Made implements Cloneable {
        public long a;
    }

    /** Another version of Made, under a name of the same length. */
    public static class Much implements Cloneable {
        public long a, b, c, d, e, f, g;
    }

    public static class Maker extends Made implements Callable<Object> {
        @Override
        public Object call() throws CloneNotSupportedException {
            return new Object[] {new Object(), new Made(), super.clone()};
        }
    }

    /** Has Maker, in class files of this version, and Made, with the code of that class. */
    static class Versions extends ClassLoader {
        private final int version;

        private final String made;

        Versions(int version, String made) {
            this.version = version;
            this.made = made;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            String maker = "AllocationTotals$Maker", type = "AllocationTotals$Made";
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) return loaded;
            if (name.equals(maker)) return define(maker, maker);
            return name.equals(type) ? define(type, "AllocationTotals$" + made) : super.loadClass(name, resolve);
        }

        private Class<?> define(String name, String code) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (InputStream in = AllocationTotals.class.getResourceAsStream(code + ".class")) {
                for (int b = in.read(); b >= 0; b = in.read()) bytes.write(b);
                byte[] file = bytes.toString("ISO-8859-1").replace(code, name).getBytes("ISO-8859-1");
                file[7] = (byte) version;
                return defineClass(name, file, 0, file.length);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        static Callable<?> maker(int version, String made) throws Exception {
            return (Callable<?>) new Versions(version, made).loadClass("AllocationTotals$Maker").getConstructor().newInstance();
        }
    }

    static Callable<?>[] makers;

    /** Classes of one name that have different sizes; and code that cannot name the class that it instantiates. */
    static void versions() throws Exception {
        if (makers == null)
            makers = new Callable<?>[] {Versions.maker(49, "Made"), Versions.maker(49, "Much"), Versions.maker(48, "Made")};
        for (int i = 0; i < makers.length; i++) keeps[i] = makers[i].call();
    }

    /** Native methods of java.io create arrays and strings through JNI. */
    static void natives(String[] args) throws Exception {
        keep = new java.io.File(args[2]).list();
        try (java.io.FileInputStream in = new java.io.FileInputStream(args[3])) {
            keep = in.read(new byte[100]);
        }
    }

    /** The VM reports neither the exceptions that it throws itself nor any stack trace to agents. */
    static void exceptions() {
        try {
            ((Object) null).hashCode();
        } catch (NullPointerException e) {
            keep = e;
        }
    }

    static void run(String[] args, int i) throws Exception {
        switch (args[0]) {
            case "collections": collections(); break;
            case "strings": strings(i); break;
            case "reflection": reflection(i); break;
            case "clones": clones(i); break;
            case "copies": copies(i); break;
            case "constructors": constructors(); break;
            case "lambdas": lambdas(i); break;
            case "captures": captures(i); break;
            case "versions": versions(); break;
            case "natives": natives(args); break;
            default: exceptions();
        }
    }

    public static void main(String[] args) throws Exception {
        com.sun.management.ThreadMXBean bean = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        int times = Integer.parseInt(args[1]);
        constructor = Copied.class.getConstructor();
        for (int i = 0; i < 100; i++) run(args, i);
        bean.getThreadAllocatedBytes(id);
        long before = bean.getThreadAllocatedBytes(id);
        for (int i = 0; i < times; i++) run(args, i);
        System.out.println(bean.getThreadAllocatedBytes(id) - before);
    }
}
