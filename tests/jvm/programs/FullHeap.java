import java.io.IOException;

/** For each line of standard input: fills its heap ("full") or empties it ("free"), and replies. What a full heap needs is there from the start. */
public class FullHeap {
    static void reply(byte[] line) {
        System.out.write(line, 0, line.length);
        System.out.flush();
    }

    public static void main(String[] args) throws IOException {
        byte[] ready = {'r', 'e', 'a', 'd', 'y', '\n'}, full = {'f', 'u', 'l', 'l', '\n'}, free = {'f', 'r', 'e', 'e', '\n'};
        FullAndDeep.fill();
        FullAndDeep.hold = null;
        reply(ready);
        for (int c; (c = System.in.read()) >= 0;) {
            if (c != '\n') continue;
            if (FullAndDeep.hold == null) {
                FullAndDeep.fill();
                reply(full);
            } else {
                FullAndDeep.hold = null;
                reply(free);
            }
        }
    }
}
