/** Asks the agent that changes nothing (floor.c), or adds some constants, to retransform classes. */
public class Floor {
    /** Classes in internal form with commas between them, NAME* for all that begin so: how many, ns in all, ns of the longest batch. */
    static native long[] retransform(String names, int batch, int constants);

    static String tell(String names, int batch) {
        return tell(names, batch, 0);
    }

    static String tell(String names, int batch, int constants) {
        long[] told = retransform(names, batch, constants);
        return told[0] + " " + told[1] + " " + told[2];
    }
}
