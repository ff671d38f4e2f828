import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;

/** Fills its heap at 'f' up to some KB, each time 32 KB more, at 'a' to the last byte, and drops all of it at 'd'. In between it allocates nothing. */
public class Hungry {
    static volatile Object[] held;
    static volatile byte[] room;
    static int sum, times;

    static void fill(int left) {
        room = new byte[left];
        for (int size = 1 << 20; size >= 1; size /= 2) {
            try {
                while (true) held = new Object[] {held, new byte[size]};
            } catch (OutOfMemoryError e) {
                sum += size;
            }
        }
        room = null;
    }

    static int work(int n) {
        return sum + n;
    }

    public static void main(String[] args) throws Exception {
        byte[] full = "full\n".getBytes(), free = "free\n".getBytes(), ready = "ready\n".getBytes();
        FileOutputStream out = new FileOutputStream(FileDescriptor.out);
        FileInputStream in = new FileInputStream(FileDescriptor.in);
        fill(0);
        held = null;
        out.write(ready);
        for (int c = in.read(); c >= 0; c = in.read()) {
            if (c == 'f' || c == 'a') {
                fill(c == 'a' ? 0 : ++times << 15);
                out.write(full);
            } else if (c == 'd') {
                held = null;
                System.gc();
                out.write(free);
            }
            sum = work(c);
        }
    }
}
