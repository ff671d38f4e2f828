import instr.kit.Advice;

/** A kit around the calls that the plug-in `edges` skips. */
final class Around {
    private Around() {}

    @Advice(value = "Edges.checked(int)", calls = true, callers = "Edges")
    static final class Checked {
        static void enter() {
            System.out.println("around");
        }
    }
}
