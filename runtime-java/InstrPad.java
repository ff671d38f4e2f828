package java.lang;

/**
 * A cache line that nobody writes, ahead of what one thread writes often: whatever the garbage collector
 * puts before such an object, another thread's hot data maybe, does not share a line with it.
 */
class InstrPad {
    long pad1, pad2, pad3, pad4, pad5, pad6, pad7, pad8;

    /** Else a subclass's field would be put into the gap between the header and these. */
    int gap;
}
