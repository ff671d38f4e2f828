package java.lang;

/**
 * What belongs to a thread of the operating system, which alone writes it: counters, and records that wait
 * to be collected. As a task it is that of the platform thread. Made by native code (no constructor runs),
 * and taken over by another thread when this one has ended.
 */
final class InstrBlock extends InstrTask {
    /** What InstrPad is to objects: elements that stay unused at the start of arrays of long, and of pages. */
    static final int HEAD = 8, PAGES_HEAD = 16;

    /** Thread.tid of the platform thread. */
    long tid;

    /** Thread.tid of the virtual thread whose task is at hand; 0: none. */
    long virtualTid;

    /** Where the next record goes in the buffer. */
    int position;

    /** No more pages for this block: events go to the buffer. */
    boolean full;

    /**
     * pages[PAGES_HEAD + (id >>> 5)][HEAD + (id & 31) * 2] counts calls, the element after it exceptions. Either
     * level may be missing.
     */
    long[][] pages;

    /** From HEAD on, records of two elements, both complemented, so that 0 is a record not written yet. */
    long[] buffer;

    InstrTask virtualTask;
}
