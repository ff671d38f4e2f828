package cases;

import support.Try;

/** Monitors left unpaired (see GenFrames): the VM's own exception at the return reaches the caller. */
public class UnbalancedLocks {
    //= UnbalancedMonitors.enterOnly(Ljava/lang/Object;)V 2 0..2
    //= UnbalancedMonitors.exitOnly(Ljava/lang/Object;)V 2 1..2
    public static void main(String[] args) {
        for (int i = 0; i < 2; i++) {
            Try.show("enter", () -> {
                UnbalancedMonitors.enterOnly(new Object());
                return "returned";
            });
            Try.show("exit", () -> {
                UnbalancedMonitors.exitOnly(new Object());
                return "returned";
            });
        }
    }
}
