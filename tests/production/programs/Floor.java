/** Makes the agent that changes nothing, or only adds constants (floor.c), retransform classes. */
public class Floor {
    /** Takes internal names of classes, separated by commas, NAME* for a prefix. Returns their number, ns in all, ns of the longest batch. */
    static native long[] retransform(String names, int batch, int constants);

    static String tell(String names, int batch) {
        return tell(names, batch, 0);
    }

    static String tell(String names, int batch, int constants) {
        long[] figures = retransform(names, batch, constants);
        return figures[0] + " " + figures[1] + " " + figures[2];
    }
}
