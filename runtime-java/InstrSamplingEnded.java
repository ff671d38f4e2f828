package java.lang;

/**
 * The calls of a task that a tick has seen (InstrSampling) and that have ended, in the order of their ends.
 *
 * <p>A method may be found to call itself only while calls of it run that are not on the task's stack, so that each of them counts as
 * an outermost one. The last one to end takes back here what those within it have added. Those are the ones that did not begin
 * before it: what had ended when it began had seen a tick, and so had begun before that.
 */
final class InstrSamplingEnded {
    /** Numbers of a call: the method, when it began, when it ended, and what it has added, in ns. */
    private static final int START = 1, END = 2, TIME = 3, NUMBERS = 4;

    /** How many calls a task keeps, at first and at most. */
    private static final int FEW = 4, MOST = 128;

    /** Calls become one if they took 1 / SMALL of the time since at most. */
    private static final int SMALL = 16;

    /** Nanoseconds after an array could not be had in which none is asked for, and when that was. */
    private static final long NO_MEMORY = 1000000000;

    private static long noMemory;

    private InstrSamplingEnded() {}

    /** Initializes this class: with an exhausted stack that could fail, and would not be tried again. */
    static void initialize() {
        noMemory = InstrUnsafe.get(InstrSampling.TICK) - NO_MEMORY;
    }

    /** A call ends and has added `time`. Returns what calls of the same method within it have added, which are forgotten. */
    static long end(InstrTask task, int id, long start, long now, long time) {
        long[] ended = task.ended;
        if (ended == null && (task.ended = ended = array(FEW * NUMBERS)) == null) return 0;
        int first = task.endedEnd;
        long within = 0;
        boolean found = false;
        while (first > 0 && ended[first - NUMBERS + END] > start) {
            first -= NUMBERS;
            if (ended[first] == id && ended[first + START] >= start) {
                within += ended[first + TIME];
                found = true;
            }
        }
        if (found) forget(task, id, start, first);
        if (task.endedEnd == ended.length) ended = makeRoom(task);
        int at = task.endedEnd;
        set(ended, at, id, start, now, time);
        task.endedEnd = at + NUMBERS;
        return within;
    }

    private static void set(long[] ended, int at, long id, long start, long end, long time) {
        ended[at] = id;
        ended[at + START] = start;
        ended[at + END] = end;
        ended[at + TIME] = time;
    }

    /** Forgets calls of a method that did not begin before `start`, from an index on. */
    private static void forget(InstrTask task, int id, long start, int from) {
        long[] ended = task.ended;
        int to = from;
        for (int at = from; at < task.endedEnd; at += NUMBERS) {
            if (ended[at] == id && ended[at + START] >= start) continue;
            if (to != at) set(ended, to, ended[at], ended[at + START], ended[at + END], ended[at + TIME]);
            to += NUMBERS;
        }
        task.endedEnd = to;
    }

    private static long[] makeRoom(InstrTask task) {
        long[] ended = task.ended, more = ended.length < MOST * NUMBERS ? array(2 * ended.length) : null;
        if (more == null) {
            shrink(task);
            return ended;
        }
        for (int at = 0; at < ended.length; at++) more[at] = ended[at];
        return task.ended = more;
    }

    /** Frees a quarter of the array, once in many calls: merges calls of long ago, or forgets the oldest. */
    private static void shrink(InstrTask task) {
        long[] ended = task.ended;
        int most = ended.length / 4 * 3;
        merge(task);
        int gone = task.endedEnd - most;
        if (gone <= 0) return;
        for (int at = gone; at < task.endedEnd; at++) ended[at - gone] = ended[at];
        task.endedEnd = most;
    }

    /**
     * Makes one of two calls of a method that followed each other. A call that began meanwhile, and is around some of that, will miss
     * it; that is why it is a small part of the time since then.
     */
    private static void merge(InstrTask task) {
        long[] ended = task.ended;
        int end = task.endedEnd, to = 0;
        long now = ended[end - NUMBERS + END];
        for (int at = 0; at < end; at += NUMBERS) {
            int next = at + NUMBERS;
            while (next < end && ended[next] != ended[at]) next += NUMBERS;
            if (next < end && ended[at + TIME] + ended[next + TIME] <= (now - ended[next + END]) / SMALL) {
                ended[next + START] = ended[at + START];
                ended[next + TIME] += ended[at + TIME];
            } else {
                if (to != at) set(ended, to, ended[at], ended[at + START], ended[at + END], ended[at + TIME]);
                to += NUMBERS;
            }
        }
        task.endedEnd = to;
    }

    /** Null if there is no memory, or was none a moment ago: each attempt in vain costs a garbage collection. */
    static long[] array(int length) {
        long now = InstrUnsafe.get(InstrSampling.TICK);
        if (now - noMemory < NO_MEMORY) return null;
        try {
            return new long[length];
        } catch (VirtualMachineError none) {
            noMemory = now;
            return null;
        }
    }
}
