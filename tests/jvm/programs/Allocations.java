import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;

/**
 * Allocates in many ways. The lines `//= METHOD CLASS COUNT` say how many objects each method allocates; the harness
 * reads them. Each section runs twice, and this program prints the bytes that the VM counts for the second run;
 * if a section allocates only in its own method, the report must have twice that number.
 */
public class Allocations {
    static Object keep;
    static int caught;

    static class Point {
        int x;
        long y;

        Point(int x) {
            this.x = x;
        }
    }

    static class Wide extends Point {
        Object a, b, c;
        byte d;

        Wide() {
            super(7);
        }
    }

    //= objects Allocations$Point 2000
    //= objects Allocations$Wide 2000
    //= objects java.lang.Object 2000
    static void objects() {
        for (int i = 0; i < 1000; i++) {
            keep = new Point(i);
            keep = new Wide();
            keep = new Object();
        }
    }

    //= primitives boolean[] 60
    //= primitives byte[] 60
    //= primitives char[] 60
    //= primitives short[] 60
    //= primitives int[] 60
    //= primitives float[] 60
    //= primitives long[] 60
    //= primitives double[] 60
    static void primitives() {
        for (int i = 0; i < 30; i++) {
            keep = new boolean[i];
            keep = new byte[i];
            keep = new char[i];
            keep = new short[i];
            keep = new int[i];
            keep = new float[i];
            keep = new long[i];
            keep = new double[i];
        }
    }

    //= references java.lang.String[] 60
    //= references int[][] 60
    //= references java.lang.Runnable[][][] 2
    static void references() {
        for (int i = 0; i < 30; i++) {
            keep = new String[i];
            keep = new int[i][];
        }
        keep = new Runnable[1000][][];
    }

    //= dimensions int[][][] 4
    //= dimensions int[][] 6
    //= dimensions int[] 24
    //= dimensions long[][][] 2
    //= dimensions long[][] 4
    //= dimensions byte[][] 2
    //= dimensions java.lang.String[][][][] 2
    //= dimensions java.lang.String[][][] 10
    //= dimensions boolean[][] 2
    //= dimensions boolean[] 2000
    static void dimensions() {
        keep = new int[3][4][5];
        keep = new long[2][0][7];
        keep = new byte[0][3];
        keep = new String[5][6][][];
        keep = new boolean[1000][9];
        keep = new int[0][4][5];
    }

    static class Parent {
        final Object left;

        Parent(Object left, int[] right) {
            this.left = left;
        }
    }

    //= <init> java.lang.Object[] 20
    //= <init> int[] 20
    static class Child extends Parent {
        Child(int n) {
            super(new Object[n], n > 3 ? new int[n] : new int[3]);
        }
    }

    static void beforeSuper() {
        for (int i = 0; i < 10; i++) keep = new Child(i);
    }

    /** Many allocations in one expression: more sites in one method than fit the bits of a register. */
    //= nested Allocations$Point 8
    //= nested java.lang.Object[] 4
    static void nested() {
        keep = new Object[] {new Point(1), new Object[] {new Point(new Point(2).x), new Point(3)}};
    }

    static class Throwing {
        Throwing() {
            if (caught >= 0) throw new IllegalStateException();
        }
    }

    static class Broken {
        static final int X = Integer.parseInt("none");
    }

    //= failing Allocations$Throwing 40
    //= <init> java.lang.IllegalStateException 40
    static void failing() {
        for (int i = 0; i < 20; i++) {
            try {
                keep = new Throwing();
            } catch (IllegalStateException e) {
                caught++;
            }
            try {
                keep = new int[-i - 1];
            } catch (NegativeArraySizeException e) {
                caught++;
            }
            try {
                keep = new Point[3][-i - 1][2];
            } catch (NegativeArraySizeException e) {
                caught++;
            }
            try {
                keep = new Broken();
            } catch (LinkageError e) {
                caught++;
            }
            try {
                keep = new Abstract[-1];
            } catch (NegativeArraySizeException e) {
                caught++;
            }
        }
        try {
            keep = new long[Integer.MAX_VALUE][];
        } catch (OutOfMemoryError e) {
            caught++;
        }
        try {
            keep = new long[20000][20000];
        } catch (OutOfMemoryError e) {
            caught++;
        }
    }

    abstract static class Abstract {}

    interface Constants {
        Object FIRST = new Object(), SECOND = new short[17];
    }

    //= <clinit> java.lang.Object 1
    //= <clinit> short[] 1
    static void initialisers() {
        keep = Constants.SECOND;
    }

    //= work Allocations$Point 160000
    //= work byte[] 160000
    static void work() {
        for (int i = 0; i < 10000; i++) {
            Object mine = new Point(i);
            mine = new byte[i % 50];
            if (mine == null) caught++;
        }
    }

    static void threads() throws Exception {
        Method start = null;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException old) {
            // before JDK 21
        }
        Runnable body = new Runnable() {
            public void run() {
                work();
            }
        };
        Thread[] threads = new Thread[16];
        for (int i = 0; i < threads.length; i++) {
            if (start != null && i % 2 == 0) {
                try {
                    threads[i] = (Thread) start.invoke(null, body);
                    continue;
                } catch (java.lang.reflect.InvocationTargetException preview) {
                    start = null; // JDK 19 and 20 without preview features
                }
            }
            (threads[i] = new Thread(body)).start();
        }
        for (Thread t : threads) t.join();
    }

    interface Section {
        void run() throws Exception;
    }

    static long allocated() {
        com.sun.management.ThreadMXBean bean = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        return bean.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    static void measure(String name, Section section) throws Exception {
        section.run();
        allocated();
        long before = allocated();
        section.run();
        long after = allocated();
        allocated();
        System.out.println(name + " " + (after - before - nothing));
    }

    static long nothing;

    public static void main(String[] args) throws Exception {
        allocated();
        long first = allocated();
        nothing = allocated() - first;
        measure("objects", new Section() { public void run() { objects(); } });
        measure("primitives", new Section() { public void run() { primitives(); } });
        measure("references", new Section() { public void run() { references(); } });
        measure("dimensions", new Section() { public void run() { dimensions(); } });
        measure("nested", new Section() { public void run() { nested(); } });
        beforeSuper();
        beforeSuper();
        failing();
        failing();
        initialisers();
        threads();
        System.out.println("caught " + caught);
    }
}
