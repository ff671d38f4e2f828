package cases;

import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Eight threads define the same classes in loaders of their own at the same moment, and run them. */
public class ParallelLoading {
    static final String[] NAMES = {"A", "B", "C", "D"};
    static final AtomicLong SUM = new AtomicLong();

    public interface Piece {
        int run(int x);
    }

    //= $A.<init>()V 160 0
    //= $A.run(I)I 1600 160
    public static class A implements Piece {
        public int run(int x) {
            return 12 / (x - 3);
        }
    }

    //= $B.<init>()V 160 0
    //= $B.<clinit>()V 160 0
    //= $B.run(I)I 1600 0
    public static class B implements Piece {
        static final long[] TABLE = new long[20];

        public int run(int x) {
            return (int) TABLE[x] + x;
        }
    }

    //= $C.<init>()V 160 0
    //= $C.run(I)I 1600 1600
    //= $C.fail(I)V 1600 1600
    public static class C implements Piece {
        static void fail(int x) {
            throw new IllegalArgumentException();
        }

        public int run(int x) {
            fail(x);
            return 0;
        }
    }

    //= $D.<init>()V 160 0
    //= $D.run(I)I 1600 0
    //= $D.lambda$run$* 1600 0
    public static class D implements Piece {
        public int run(int x) {
            java.util.function.IntUnaryOperator op = y -> y * x;
            return op.applyAsInt(2);
        }
    }

    static final class Loader extends ClassLoader {
        //= $Loader.<init>()V 160 0
        Loader() {
            super(ParallelLoading.class.getClassLoader());
        }

        //= $Loader.define(Ljava/lang/String;)Ljava/lang/Class; 640 0
        Class<?> define(String name) throws Exception {
            byte[] b = Files.readAllBytes(Paths.get(getResource("cases/ParallelLoading$" + name + ".class").toURI()));
            return defineClass("cases.ParallelLoading$" + name, b, 0, b.length);
        }
    }

    //= work(Ljava/util/concurrent/CountDownLatch;)V 8 0
    static void work(CountDownLatch start) {
        try {
            start.countDown();
            start.await();
            for (int i = 0; i < 20; i++) {
                Loader loader = new Loader();
                for (String name : NAMES) {
                    Piece p = (Piece) loader.define(name).getConstructor().newInstance();
                    for (int x = 0; x < 10; x++)
                        try {
                            SUM.addAndGet(p.run(x));
                        } catch (ArithmeticException e) {
                            SUM.addAndGet(1000);
                        } catch (IllegalArgumentException e) {
                            SUM.addAndGet(100000);
                        }
                }
            }
        } catch (Exception e) {
            throw new Error(e);
        }
    }

    //= <clinit>()V 1 0
    //= lambda$main$* 8 0
    public static void main(String[] args) throws Exception {
        CountDownLatch start = new CountDownLatch(8);
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> work(start));
            threads[i].start();
        }
        for (Thread t : threads)
            t.join();
        System.out.println(SUM);
    }
}
