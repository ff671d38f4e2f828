import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;

/**
 * For each line read from standard input: loads many large classes without linking them, then links them by
 * their first call, while an agent may be retransforming them.
 */
public class Linking extends ClassLoader {
    static final int METHODS = 1500, CLASSES = 24;

    /** A class with many methods, each of which calls the one before; the last gives METHODS. */
    static byte[] large(String name) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeInt(49);
        out.writeShort(7 + 3 * METHODS);
        String[] names = {name, null, "java/lang/Object", null, "()I", "Code"};
        for (int i = 0; i < names.length; i++)
            if (names[i] == null) {
                out.writeByte(7);
                out.writeShort(i);
            } else {
                out.writeByte(1);
                out.writeUTF(names[i]);
            }
        for (int i = 0; i < METHODS; i++) { // 7 + 3 i: name, NameAndType, Methodref
            out.writeByte(1);
            out.writeUTF("m" + i);
            out.writeByte(12);
            out.writeShort(7 + 3 * i);
            out.writeShort(5);
            out.writeByte(10);
            out.writeShort(2);
            out.writeShort(8 + 3 * i);
        }
        out.writeShort(0x21);
        out.writeShort(2);
        out.writeShort(4);
        out.writeInt(0);
        out.writeShort(METHODS);
        for (int i = 0; i < METHODS; i++) {
            out.writeShort(9);
            out.writeShort(7 + 3 * i);
            out.writeShort(5);
            out.writeShort(1);
            out.writeShort(6);
            // m[i-1]() + 1, but every 300th starts anew, for stacks are short
            boolean first = i % 300 == 0;
            byte[] code = first ? new byte[] {4, (byte) 0xac}
                    : new byte[] {(byte) 0xb8, (byte) ((6 + 3 * i) >> 8), (byte) (6 + 3 * i), 4, 0x60, (byte) 0xac};
            out.writeInt(12 + code.length);
            out.writeShort(2);
            out.writeShort(0);
            out.writeInt(code.length);
            out.write(code);
            out.writeInt(0);
        }
        out.writeShort(0);
        return bytes.toByteArray();
    }

    static int call(Class<?> c) throws ReflectiveOperationException {
        int sum = 0;
        for (int i = 299; i < METHODS; i += 300) {
            Method m = c.getMethod("m" + i);
            sum += (Integer) m.invoke(null);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        Linking loader = new Linking();
        Class<?>[] classes = new Class<?>[CLASSES];
        for (int i = 0; i < CLASSES; i++) {
            byte[] b = large("Large" + i);
            classes[i] = loader.defineClass("Large" + i, b, 0, b.length);
        }
        System.out.println("ready");
        if (System.in.read() < 0)
            return;
        AtomicReference<Throwable> wrong = new AtomicReference<>();
        CyclicBarrier barrier = new CyclicBarrier(2);
        Thread[] threads = new Thread[2];
        for (int t = 0; t < 2; t++) {
            int part = t;
            threads[t] = new Thread(() -> {
                try {
                    barrier.await();
                    for (int round = 0; round < 2; round++)
                        for (int i = part; i < CLASSES; i += 2)
                            if (call(classes[i]) != METHODS)
                                throw new AssertionError(classes[i].getName());
                } catch (Throwable e) {
                    wrong.set(e);
                }
            });
            threads[t].start();
        }
        for (Thread t : threads)
            t.join();
        System.out.println(wrong.get() == null ? "good" : wrong.get().toString());
    }
}
