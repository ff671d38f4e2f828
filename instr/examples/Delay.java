// A kit: makes one call in a hundred late, as a slow network would.
//
//      javac -g -cp $(instr kit jar) -d classes Delay.java
//      jar cf delay.jar -C classes .
//      instr run kit=delay.jar -- java -jar app.jar

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

@instr.kit.Advice("com.acme.Shop.order(..)")
final class Delay {
    static void enter() {
        long end = System.nanoTime() + 100_000_000;
        if (ThreadLocalRandom.current().nextInt(100) > 0) return;
        for (long left; (left = end - System.nanoTime()) > 0;) LockSupport.parkNanos(left);
    }
}
