package instr.runtime;

import java.lang.ref.WeakReference;

/**
 * The state of a thread, which only that thread writes. Another thread reads the counters at exit, and takes records
 * under this object's lock. A virtual thread has neither: its events are added to the totals at once.
 */
final class OfflineThread {
    /** A bit of what mark returns: the method was already running when it was entered. */
    static final long AGAIN = 1L << 63;

    /** Words of a record: id (AGAIN in it), duration, self. All are complemented, so that 0 is a word that is not written yet. */
    private static final int RECORD = 3;

    private static final int RECORDS = 512;
    private static final long[] NO_BUFFER = {};
    private static final long[][] NO_PAGES = {};

    final WeakReference<Thread> owner;

    /** Nanoseconds spent in timed methods that have returned. Only grows. */
    private long children;

    /** One bit for each method that is running. */
    private long[] running = NO_BUFFER;

    /** pages[id >>> 5][(id & 31) * 2] counts calls, the element after it exceptions. */
    private long[][] pages = NO_PAGES;

    private long[] buffer = NO_BUFFER;
    private int position;

    /** Another thread has taken the records up to here. */
    private int drained;

    private final boolean isVirtual;

    OfflineThread(Thread thread, boolean isVirtual) {
        owner = new WeakReference<Thread>(thread);
        this.isVirtual = isVirtual;
    }

    void count(int id, int what) {
        int index = id >>> 5;
        long[][] pages = this.pages;
        if (index < pages.length && pages[index] != null) add(pages[index], id, what);
        else countSlowly(id, what);
    }

    private static void add(long[] page, int id, int what) {
        int row = (id & 31) << 1;
        if (what == Offline.CALL || what == Offline.CONSTRUCT) page[row]++;
        if (what == Offline.THROWN || what == Offline.CONSTRUCT) page[row + 1]++;
        if (what == Offline.INITIALIZED) page[row + 1]--;
    }

    private void countSlowly(int id, int what) {
        long[] page = isVirtual || !Offline.takePage() ? null : newPage(id >>> 5);
        if (page != null) add(page, id, what);
        else Offline.TOTALS.event(id, what);
    }

    private long[] newPage(int index) {
        try {
            long[] page = new long[64];
            long[][] longer = pages;
            if (index >= longer.length) {
                longer = new long[index + (index >>> 2) + 8][];
                System.arraycopy(pages, 0, longer, 0, pages.length);
            }
            longer[index] = page;
            pages = longer;
            return page;
        } catch (OutOfMemoryError nevermind) {
            return null;
        }
    }

    /** Returns the children's time, with AGAIN if the method is running; with fromNowOn, it is running from now on. */
    long mark(int id, boolean fromNowOn) {
        int word = id >>> 6;
        if (word >= running.length) {
            if (!fromNowOn) return children;
            long[] longer = new long[word + (word >>> 2) + 8];
            System.arraycopy(running, 0, longer, 0, running.length);
            running = longer;
        }
        long bit = 1L << id;
        if ((running[word] & bit) != 0) return children | AGAIN;
        if (fromNowOn) running[word] |= bit;
        return children;
    }

    /** Ends the call for which mark returned `saved`. */
    void close(long duration, long saved, int id) {
        boolean again = (saved & AGAIN) != 0;
        saved &= ~AGAIN;
        int word = id >>> 6;
        if (!again && word < running.length) running[word] &= ~(1L << id);
        long inner = children - saved, self = duration - inner;
        if (inner < 0 || self < 0) {
            // The entry was not recorded: stack or memory was used up.
            self = inner < 0 ? duration : 0;
            if (inner < 0) children += duration;
        } else {
            children = saved + duration;
        }
        if (isVirtual) Offline.TOTALS.time(id, duration, self, again);
        else append(again ? id | AGAIN : id, duration, self);
    }

    private void append(long id, long duration, long self) {
        if (position == buffer.length) flush();
        buffer[position] = ~id;
        buffer[position + 1] = ~duration;
        buffer[position + 2] = ~self;
        position += RECORD;
    }

    private synchronized void flush() {
        take();
        if (buffer.length == 0) {
            buffer = new long[RECORDS * RECORD];
        } else {
            for (int i = 0; i < buffer.length; i++) buffer[i] = 0;
        }
        position = 0;
        drained = 0;
    }

    /** Takes the records that are written. Any thread may call it, with the lock. */
    private void take() {
        long[] words = buffer;
        while (drained < words.length) {
            long id = words[drained], duration = words[drained + 1], self = words[drained + 2];
            if (id == 0 || duration == 0 || self == 0) break;
            Offline.TOTALS.time((int) ~id, ~duration, ~self, (~id & AGAIN) != 0);
            drained += RECORD;
        }
    }

    /** Takes the records of another thread, alive or dead. */
    synchronized void drain() {
        take();
    }

    /** Adds the counters to the totals: once, when the thread is dead or the JVM exits. Returns the number of pages. */
    int addCounters(OfflineTotals totals) {
        int found = 0;
        for (int i = 0; i < pages.length; i++) {
            long[] page = pages[i];
            if (page == null) continue;
            found++;
            for (int j = 0; j < 32; j++) totals.add((i << 5) + j, page[2 * j], page[2 * j + 1]);
        }
        return found;
    }
}
