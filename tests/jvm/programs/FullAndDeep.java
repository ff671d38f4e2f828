import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * A full heap and an exhausted stack at once: an OutOfMemoryError stands for a StackOverflowError then, and passes thousands of frames. Prints
 * how many of each class each method has caught, and how many times the heap was collected meanwhile.
 */
public class FullAndDeep {
    static class Node {
        final byte[] bytes;
        final Node next;

        Node(int length, Node next) {
            bytes = new byte[length];
            this.next = next;
        }
    }

    static Object hold;
    static int filled, inRecursion, overflows, deep, deepOverflows, passed, returned, cleaned;

    static void fill() {
        Node list = null;
        for (int length = 1 << 16; length >= 16; length /= 2) {
            try {
                for (;;) hold = list = new Node(length, list);
            } catch (OutOfMemoryError full) {
                filled++;
            }
        }
    }

    static void allocate() {
        hold = new byte[1 << 26];
    }

    static int recurse(int depth) {
        try {
            return recurse(depth + 1) + 1;
        } catch (StackOverflowError overflow) {
            overflows++;
            try {
                allocate();
            } catch (OutOfMemoryError full) {
                inRecursion++;
            }
            if (inRecursion % 100 == 0) return 1;
            throw overflow;
        }
    }

    static int pass(int depth) {
        if (depth == 0) {
            allocate();
            return 1;
        }
        try {
            return pass(depth - 1) + 1;
        } finally {
            cleaned++;
        }
    }

    static void both() {
        try {
            returned += recurse(0);
        } catch (StackOverflowError overflow) {
            deepOverflows++;
        } catch (OutOfMemoryError full) {
            deep++;
        }
    }

    static void passing() {
        for (int i = 0; i < 20; i++) {
            try {
                returned += pass(200);
            } catch (OutOfMemoryError full) {
                passed++;
            }
        }
    }

    static long collections() {
        long count = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) count += collector.getCollectionCount();
        return count;
    }

    static void print(String type, String method, int count) {
        System.out.println("java.lang." + type + " " + method + " " + count);
    }

    public static void main(String[] args) {
        both(); // all of this is resolved before the heap is full
        passing();
        long before = collections();
        fill();
        both();
        passing();
        hold = null;
        before = collections() - before;
        print("OutOfMemoryError", "fill", filled);
        print("OutOfMemoryError", "recurse", inRecursion);
        print("OutOfMemoryError", "both", deep);
        print("OutOfMemoryError", "passing", passed);
        print("StackOverflowError", "recurse", overflows);
        print("StackOverflowError", "both", deepOverflows);
        System.out.println("collections " + before);
    }
}
