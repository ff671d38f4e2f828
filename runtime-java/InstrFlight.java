package java.lang;

/**
 * The exceptions that a thread has under way. An exception is known by its identity hash code, so that none is
 * kept from being collected; a row is what is counted, see InstrExceptions.
 *
 * <p>Some exceptions the JVM throws again and again, those without a stack trace. When one was first seen on its way
 * the frames that it came to then are noted: what is seen next is the same flight only if it is in one of those.
 */
final class InstrFlight {
    /** Of an entry of the stack: these, one after the other. */
    static final int HASH = 0, ROW = 1, CAUGHT = 2, METHOD = 3, AT = 4, ENTRY = 5;

    /** Entries of the stack; when there are more the oldest is forgotten. */
    static final int MOST = 64;

    /** Something is being looked up: what is thrown and caught meanwhile is our own. */
    boolean busy;

    /** The exception on its way to a handler; 0: none. */
    int hash;

    /** The row that counts it, as long as nobody has caught it. */
    int row;

    /** Frames as InstrExceptionsNative.stack gives them; null: there is only one such flight. */
    long[] frames;

    /** Which of those it was in last. */
    int at;

    /** How much of the stack is in use. */
    int top;

    /**
     * What may go on its way again: exceptions whose handler is running a finally block (CAUGHT is the row that
     * counts them now, METHOD whose handler it is), and those that were under way when another one was thrown (CAUGHT
     * is -1).
     */
    int[] stack;

    /** The frames of each entry. */
    long[][] stackFrames;

    void push(int hash, int row, int caught, int method, long[] frames, int at) {
        if (top == stackFrames.length && top < MOST) grow();
        if (top == MOST) {
            for (int i = ENTRY; i < MOST * ENTRY; i++) stack[i - ENTRY] = stack[i];
            for (int i = 1; i < MOST; i++) stackFrames[i - 1] = stackFrames[i];
            top--;
        }
        int entry = top * ENTRY;
        stack[entry + HASH] = hash;
        stack[entry + ROW] = row;
        stack[entry + CAUGHT] = caught;
        stack[entry + METHOD] = method;
        stack[entry + AT] = at;
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

    /** Another exception comes between. */
    void suspend() {
        if (hash != 0) push(hash, row, -1, 0, frames, at);
        hash = 0;
        frames = null;
    }

    /** Takes up what was suspended. `now` is where it is, if the frames of some are to be looked at. False: it was not. */
    boolean resume(int hash, long[] now) {
        for (int i = top - 1; i >= 0; i--) {
            int entry = i * ENTRY;
            if (stack[entry + HASH] != hash || stack[entry + CAUGHT] >= 0) continue;
            int in = stack[entry + AT];
            if (stackFrames[i] != null && (in = find(stackFrames[i], in, now)) < 0) continue;
            take(i);
            at = in;
            return true;
        }
        return false;
    }

    /** The row that counts an exception as caught which a handler of the method has now, and throws again. -1: none. */
    int release(int hash, int method) {
        for (int i = top - 1; i >= 0; i--) {
            int entry = i * ENTRY;
            if (stack[entry + HASH] != hash || stack[entry + CAUGHT] < 0 || stack[entry + METHOD] != method) continue;
            take(i);
            return stack[entry + CAUGHT];
        }
        return -1;
    }

    /** Entries above are over. */
    private void take(int i) {
        int entry = i * ENTRY;
        hash = stack[entry + HASH];
        row = stack[entry + ROW];
        at = stack[entry + AT];
        frames = stackFrames[i];
        while (top > i) stackFrames[--top] = null;
    }

    /** Is anything of this exception noted with frames? */
    boolean hasFrames(int hash) {
        if (this.hash == hash && frames != null) return true;
        for (int i = top - 1; i >= 0; i--) if (stack[i * ENTRY] == hash && stackFrames[i] != null) return true;
        return false;
    }

    /**
     * In which of the frames an exception is that came from frame `at`: the first that is in the same method as the frame that it is
     * in now, and has the same callers. -1: in none.
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
