import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.ref.WeakReference;
import java.util.concurrent.CountDownLatch;

/**
 * A StackOverflowError of a class loader of its own passes through the method of Passing, which another thread has entered before.
 * Replies to each line: "enter", "throw", "collect", which says whether the class loader was collected.
 */
public class LateOverflow {
    public static class Failure extends StackOverflowError {}

    static final class Passing {
        static void pass(Runnable runnable) {
            runnable.run();
        }
    }

    static final class Own extends ClassLoader {
        Class<?> define() throws Exception {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (InputStream in = LateOverflow.class.getResourceAsStream("LateOverflow$Failure.class")) {
                for (int b = in.read(); b >= 0; b = in.read()) bytes.write(b);
            }
            return defineClass("LateOverflow$Failure", bytes.toByteArray(), 0, bytes.size());
        }
    }

    static final CountDownLatch ENTERED = new CountDownLatch(1), GO = new CountDownLatch(1);
    static WeakReference<ClassLoader> loader;

    static void fail() {
        Error failure;
        ENTERED.countDown();
        try {
            GO.await();
            Own own = new Own();
            loader = new WeakReference<ClassLoader>(own);
            failure = (Error) own.define().getConstructor().newInstance();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        throw failure;
    }

    static void run() {
        try {
            Passing.pass(new Runnable() {
                @Override
                public void run() {
                    fail();
                }
            });
        } catch (StackOverflowError e) {
            // As expected.
        }
    }

    static Thread enter() throws Exception {
        Thread thread = new Thread() {
            @Override
            public void run() {
                LateOverflow.run();
            }
        };
        thread.start();
        ENTERED.await();
        return thread;
    }

    static boolean isCollected() throws Exception {
        for (int i = 0; i < 100 && loader.get() != null; i++) {
            System.gc();
            Thread.sleep(20);
        }
        return loader.get() == null;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Thread thread = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("enter")) {
                thread = enter();
            } else if (line.equals("throw")) {
                GO.countDown();
                thread.join();
                thread = null;
            }
            System.out.println(line.equals("collect") ? isCollected() : line);
        }
    }
}
