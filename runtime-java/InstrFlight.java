package java.lang;

/**
 * The exceptions in flight on a thread: thrown, and not caught yet. An exception is identified by its identity hash
 * code, so that it can be collected. Rows are explained in InstrExceptions.
 *
 * <p>The JVM throws some exceptions, those without a stack trace, again and again. When such an exception leaves a
 * method, the frames that it can still reach are recorded. It is still the same flight only if the exception is seen
 * next in one of these frames.
 */
final class InstrFlight {
    /** The elements of an entry of the stack. */
    static final int HASH = 0, ROW = 1, AT = 2, REUSED = 3, ENTRY = 4;

    /** Maximum number of entries of the stack; beyond that the oldest is dropped. */
    static final int MOST = 64;

    /** In a full heap each attempt to record frames costs a garbage collection: after one that failed so many methods are left without another. */
    private static final int WITHOUT_FRAMES = 256;

    /** A row is being looked up: exceptions thrown and caught meanwhile are the runtime's own. */
    boolean busy;

    /** Hash code of the exception on its way to a handler; 0: none. */
    int hash;

    /** The row that counts it while it is uncaught. */
    int row;

    /** Does the JVM throw this object again and again? */
    boolean reused;

    /** Frames as InstrExceptionsNative.stack returns them; null: the hash code is sufficient. */
    long[] frames;

    /** The index of the frame in which it was last seen. */
    int at;

    /** Methods that exceptions still leave before frames are recorded again. */
    private int withoutFrames;

    /** The number of entries on the stack. */
    int top;

    /** Exceptions that were in flight when another one was thrown, and may continue their flight. */
    int[] stack;

    /** The frames of each entry. */
    long[][] stackFrames;

    /** An exception begins its flight, or continues it behind a handler that has passed it on. */
    void begin(int hash, int row, boolean reused) {
        suspend();
        this.row = row;
        this.reused = reused;
        this.hash = hash;
    }

    void end() {
        hash = 0;
        frames = null;
    }

    /** May frames be recorded? */
    boolean mayNote() {
        if (withoutFrames == 0) return true;
        withoutFrames--;
        return false;
    }

    /** There is no memory for frames: the hash code must be sufficient. */
    void forgetFrames() {
        frames = null;
        withoutFrames = WITHOUT_FRAMES;
    }

    /** Another exception is thrown meanwhile. */
    void suspend() {
        if (hash != 0) push();
        end();
    }

    private void push() {
        if (top == stackFrames.length && top < MOST) grow();
        if (top == MOST) {
            for (int i = ENTRY; i < MOST * ENTRY; i++) stack[i - ENTRY] = stack[i];
            for (int i = 1; i < MOST; i++) stackFrames[i - 1] = stackFrames[i];
            top--;
        }
        int entry = top * ENTRY;
        stack[entry + HASH] = hash;
        stack[entry + ROW] = row;
        stack[entry + AT] = at;
        stack[entry + REUSED] = reused ? 1 : 0;
        stackFrames[top] = frames;
        top++;
    }

    private void grow() {
        int[] longer = new int[stack.length * 2];
        long[][] longerFrames = new long[stackFrames.length * 2][];
        for (int i = 0; i < stack.length; i++) longer[i] = stack[i];
        for (int i = 0; i < stackFrames.length; i++) longerFrames[i] = stackFrames[i];
        stack = longer;
        stackFrames = longerFrames;
    }

    /**
     * Resumes a suspended flight. `now`: the current frames, if frames must be compared. False: it was not suspended.
     */
    boolean resume(int hash, long[] now) {
        for (int i = top - 1; i >= 0; i--) {
            int entry = i * ENTRY;
            if (stack[entry + HASH] != hash) continue;
            int in = stack[entry + AT];
            if (stackFrames[i] != null && (in = find(stackFrames[i], in, now)) < 0) continue;
            take(i);
            at = in;
            return true;
        }
        return false;
    }

    /** Makes entry i the current flight. The entries above it have ended. */
    private void take(int i) {
        int entry = i * ENTRY;
        hash = stack[entry + HASH];
        row = stack[entry + ROW];
        at = stack[entry + AT];
        reused = stack[entry + REUSED] != 0;
        frames = stackFrames[i];
        while (top > i) stackFrames[--top] = null;
    }

    /** Is this exception in flight, or suspended? */
    boolean has(int hash) {
        if (this.hash == hash) return true;
        for (int i = 0; i < top; i++) if (stack[i * ENTRY + HASH] == hash) return true;
        return false;
    }

    /** Were frames recorded for this exception? */
    boolean hasFrames(int hash) {
        if (this.hash == hash && frames != null) return true;
        for (int i = top - 1; i >= 0; i--) if (stack[i * ENTRY] == hash && stackFrames[i] != null) return true;
        return false;
    }

    /**
     * The index of the frame that an exception coming from frame `at` has reached: the first one of the same method as
     * the current frame, and with the same callers. -1: none.
     */
    static int find(long[] frames, int at, long[] now) {
        if (now == null || now.length == 0) return -1;
        for (int i = at + 1; 2 * i < frames.length; i++) {
            if (frames[2 * i] != now[0]) continue;
            int k = 2;
            while (k < now.length && 2 * i + k < frames.length && frames[2 * i + k] == now[k]) k++;
            if (k == now.length || 2 * i + k == frames.length) return i;
        }
        return -1;
    }
}
