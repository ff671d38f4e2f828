/** Asks the agent that changes nothing (floor.c) to retransform classes. */
public class Floor {
    /** Classes in internal form with commas between them, NAME* for all that begin so: how many, ns in all, ns of the longest batch. */
    static native long[] retransform(String names, int batch);

    static String tell(String names, int batch) {
        long[] told = retransform(names, batch);
        return told[0] + " " + told[1] + " " + told[2];
    }
}
