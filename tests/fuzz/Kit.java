import instr.kit.Advice;
import instr.kit.AllArgs;
import instr.kit.Arg;
import instr.kit.Enter;
import instr.kit.Result;
import instr.kit.This;
import instr.kit.Thrown;

/** Advice for all methods and calls, which broken classes get (fuzz_edit.c). It never runs. */
final class Kit {
    private Kit() {}

    @Advice("**.*(..)")
    static final class Any {
        private Any() {}

        static long enter(@This Object self, @AllArgs Object[] arguments) {
            return 1;
        }

        static void exit(@Enter long entered, @Thrown Throwable thrown) {}
    }

    @Advice("**.*(.., String, ..)")
    static final class Some {
        private Some() {}

        static void enter(@Arg(0) Object first) {}

        static void exit(@Result Object result) {}
    }

    @Advice(value = "**.*(..)", calls = true, callers = "**")
    static final class Calls {
        private Calls() {}

        static void enter(@This Object self) {}

        static void exit(@Result Object result) {}
    }

    @Advice(value = "**.*(..)", outermost = true)
    static final class Outermost {
        private Outermost() {}

        static void enter() {}

        static void exit() {}
    }
}
