package cases;

/** System.exit among the arguments of super(...), on a virtual thread: that constructor has not thrown. */
public class VirtualExit {
    static class Base {
        //= $Base.<init>(I)V 2 0
        Base(int x) {}
    }

    static class Sub extends Base {
        //= $Sub.<init>(I)V 3 1 open
        Sub(int x) {
            super(argument(x));
        }
    }

    //= argument(I)I 4 1 open
    static int argument(int x) {
        if (x == 1) throw new IllegalArgumentException();
        if (x == 2) System.exit(4);
        return x;
    }

    //= main([Ljava/lang/String;)V 1 0 open
    public static void main(String[] args) throws Exception {
        Thread.ofVirtual().start(VirtualExit::run).join();
        System.out.println("never");
    }

    //= run()V 1 0 open
    static void run() {
        new Base(argument(0));
        new Sub(0);
        try {
            new Sub(1);
        } catch (IllegalArgumentException expected) {
            System.out.println("thrown");
        }
        new Sub(2);
    }
}
