package instr.rewritten;

/** Stands for the class that `instr rewrite` makes; only compiled against. */
final class InstrRows {
    private InstrRows() {}

    static native String[] rows();
}
