package cases;

/** Class initialisers: order, failure, failure seen again, concurrent first use. */
public class Initialisers {
    static class Good {
        static final long[] TABLE;

        //= $Good.<clinit>()V 1 0
        static {
            TABLE = new long[10];
            for (int i = 0; i < TABLE.length; i++)
                TABLE[i] = i * (long) i;
            System.out.println("Good");
        }
    }

    static class Parent {
        //= $Parent.<clinit>()V 1 0
        static int count = say("Parent");
    }

    static class Child extends Parent {
        //= $Child.<clinit>()V 1 0
        static int count = say("Child") + Parent.count;
    }

    static class Bad {
        static int value;

        //= $Bad.<clinit>()V 1 1
        static {
            value = Integer.parseInt("not a number");
        }

        //= $Bad.touch()V 0 0
        static void touch() {}
    }

    static class Caught {
        static int value;

        //= $Caught.<clinit>()V 1 0
        static {
            try {
                Bad.touch();
            } catch (NoClassDefFoundError e) {
                value = 77;
            }
        }
    }

    static class Slow {
        static volatile int runs;

        //= $Slow.<clinit>()V 1 0
        static {
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                throw new Error(e);
            }
            runs++;
        }

        //= $Slow.runs()I 4 0
        static int runs() {
            return runs;
        }
    }

    //= say(Ljava/lang/String;)I 2 0
    static int say(String s) {
        System.out.println(s);
        return s.length();
    }

    //= lambda$main$* 4 0
    public static void main(String[] args) throws Exception {
        System.out.println(Good.TABLE[7]);
        System.out.println(Child.count);
        for (int i = 0; i < 2; i++)
            try {
                Bad.touch();
            } catch (LinkageError e) {
                System.out.println(e.getClass().getName() + " " + (i == 0 ? e.getCause() : "again"));
            }
        System.out.println(Caught.value);
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> Slow.runs());
            threads[i].start();
        }
        for (Thread t : threads)
            t.join();
        System.out.println(Slow.runs);
    }
}
