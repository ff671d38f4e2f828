package cases;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicInteger;

/** Finalizers, one of them throwing, and a cleaner, run by the VM's own threads. */
@SuppressWarnings({"deprecation", "removal"})
public class Finalizers {
    static final AtomicInteger DONE = new AtomicInteger();

    static class Quiet {
        //= $Quiet.<init>()V 40 0
        //= $Quiet.finalize()V 40 0
        @Override
        protected void finalize() {
            DONE.incrementAndGet();
        }
    }

    static class Loud {
        //= $Loud.<init>()V 10 0
        //= $Loud.finalize()V 10 10
        @Override
        protected void finalize() throws Throwable {
            DONE.incrementAndGet();
            throw new IllegalStateException("ignored by the finalizer thread");
        }
    }

    /** Its constructor fails; its finalizer runs all the same. */
    static class Half {
        //= $Half.<init>()V 5 5
        Half() {
            throw new IllegalStateException("half made");
        }

        //= $Half.finalize()V 5 0
        @Override
        protected void finalize() {
            DONE.incrementAndGet();
        }
    }

    //= make()V 5 0
    static void make() {
        for (int i = 0; i < 8; i++)
            new Quiet();
        new Loud();
        new Loud();
        try {
            new Half();
        } catch (IllegalStateException e) {
            // expected
        }
    }

    //= <clinit>()V 1 0
    //= lambda$main$* 1 0
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 5; i++)
            make();
        AtomicInteger cleaned = new AtomicInteger();
        Cleaner.create().register(new Object(), () -> cleaned.incrementAndGet());
        for (int i = 0; i < 2000 && (DONE.get() < 55 || cleaned.get() < 1); i++) {
            System.gc();
            Thread.sleep(5);
        }
        Thread.sleep(20);
        System.out.println(DONE.get() + " " + cleaned.get());
    }
}
