package java.lang;

/**
 * Makes tasks, and keeps some with flights for the exceptions pass: for threads that throw for the first time while the
 * heap is full. Each use of one is made up for as soon as there is memory again.
 *
 * <p>A thread takes a spare task by an atomic write of its id. There are no monitors, which could make a virtual thread
 * leave its carrier (InstrThreads).
 */
final class InstrSpareTasks {
    private static final int SPARES = 128;

    /** The id of a task that nobody has taken. */
    private static final long FREE = -2;

    /** Null: the exceptions pass has not been on. */
    private static InstrTask[] spares;

    private static long tidOffset;

    /** Some have been taken. */
    private static volatile boolean incomplete;

    private InstrSpareTasks() {}

    static void prepare() throws Throwable {
        if (spares != null) return;
        tidOffset = InstrUnsafe.offset(InstrTask.class, "tid");
        InstrTask[] all = new InstrTask[SPARES];
        for (int i = 0; i < SPARES; i++) all[i] = newSpare();
        spares = all;
    }

    static InstrTask make(long tid) throws Throwable {
        InstrTask task;
        try {
            task = newTask(tid);
        } catch (OutOfMemoryError full) {
            task = take(tid);
            if (task == null) throw full;
            return task;
        }
        if (incomplete) refill();
        return task;
    }

    static InstrFlight makeFlight() throws Throwable {
        try {
            return newFlight();
        } catch (OutOfMemoryError full) {
            InstrTask task = take(-1);
            if (task == null) throw full;
            return task.flight;
        }
    }

    private static InstrTask newTask(long tid) throws Throwable {
        InstrTask task = (InstrTask) InstrUnsafe.allocate(InstrTask.class);
        task.stack = new int[16];
        task.tid = tid;
        return task;
    }

    private static InstrFlight newFlight() throws Throwable {
        InstrFlight flight = (InstrFlight) InstrUnsafe.allocate(InstrFlight.class);
        flight.stack = new int[4 * InstrFlight.ENTRY];
        flight.stackFrames = new long[4][];
        return flight;
    }

    private static InstrTask newSpare() throws Throwable {
        InstrTask task = newTask(FREE);
        task.flight = newFlight();
        return task;
    }

    /** Null: all are in use, or there are none. */
    private static InstrTask take(long tid) {
        InstrTask[] all = spares;
        for (int i = 0; all != null && i < SPARES; i++) {
            InstrTask task = all[i];
            if (task.tid != FREE || !InstrUnsafe.compareAndSet(task, tidOffset, FREE, tid)) continue;
            incomplete = true;
            return task;
        }
        return null;
    }

    /** Two threads may replace the same one: then one of the new tasks is not used. */
    private static void refill() throws Throwable {
        incomplete = false;
        try {
            for (int i = 0; i < SPARES; i++) if (spares[i].tid != FREE) spares[i] = newSpare();
        } catch (OutOfMemoryError full) {
            incomplete = true;
        }
    }
}
