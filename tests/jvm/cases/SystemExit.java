package cases;

/** System.exit in the middle of a call; a shutdown hook still runs instrumented code. */
public class SystemExit {
    //= hook()V 1 0
    static void hook() {
        System.out.println("hook " + work(10));
    }

    //= work(I)I 31 0
    static int work(int n) {
        return n * n;
    }

    //= leave(I)I 1 0 open
    static int leave(int status) {
        try {
            System.exit(status);
            return 1;
        } finally {
            System.out.println("never");
        }
    }

    //= main([Ljava/lang/String;)V 1 0 open
    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(SystemExit::hook));
        int sum = 0;
        for (int i = 0; i < 30; i++)
            sum += work(i);
        System.out.println(sum);
        leave(3);
    }
}
