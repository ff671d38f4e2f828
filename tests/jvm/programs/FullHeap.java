import java.io.IOException;

/** For each line of standard input: fills its heap ("full") or empties it ("free"), and replies. What a full heap needs is there from the start. */
public class FullHeap {
    static final class Node {
        final byte[] bytes;
        final Node next;

        Node(int length, Node next) {
            bytes = new byte[length];
            this.next = next;
        }
    }

    static Object hold;

    static void fill() {
        Node list = null;
        for (int length = 1 << 16; length > 0; length /= 2) {
            try {
                for (;;) hold = list = new Node(length, list);
            } catch (OutOfMemoryError full) {
                continue;
            }
        }
    }

    static void reply(byte[] line) {
        System.out.write(line, 0, line.length);
        System.out.flush();
    }

    public static void main(String[] args) throws IOException {
        byte[] ready = {'r', 'e', 'a', 'd', 'y', '\n'}, full = {'f', 'u', 'l', 'l', '\n'}, free = {'f', 'r', 'e', 'e', '\n'};
        fill();
        hold = null;
        reply(ready);
        for (int c; (c = System.in.read()) >= 0;) {
            if (c != '\n') continue;
            if (hold == null) {
                fill();
                reply(full);
            } else {
                hold = null;
                reply(free);
            }
        }
    }
}
