package cases;

/** Eight threads in the same hot methods: every call is counted. */
public class Threads {
    static int sink;

    //= leaf(I)I 2400000 0
    static int leaf(int x) {
        return x * 31 + 7;
    }

    //= sometimes(I)I 800000 8000
    static int sometimes(int i) {
        if (i % 100 == 0)
            throw SHARED;
        return i;
    }

    static final RuntimeException SHARED = new RuntimeException("shared");

    //= synced(I)V 80000 0
    static synchronized void synced(int x) {
        sink += x;
    }

    //= <clinit>()V 1 0
    //= work()V 8 0
    static void work() {
        int sum = 0;
        for (int i = 0; i < 300000; i++)
            sum += leaf(i);
        for (int i = 0; i < 100000; i++)
            try {
                sum += sometimes(i);
            } catch (RuntimeException e) {
                sum--;
            }
        for (int i = 0; i < 10000; i++)
            synced(1);
        synced0 += sum & 1;
    }

    static volatile int synced0;

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(Threads::work);
            threads[i].start();
        }
        for (Thread t : threads)
            t.join();
        System.out.println(sink);
    }
}
