package app;

import java.util.function.IntUnaryOperator;

/** Code in a named module: it can see nothing but java.base. */
public class Main {
    //= app/Main.step(I)I 20 2
    static int step(int x) {
        if (x % 10 == 9)
            throw new IllegalStateException("step " + x);
        return x;
    }

    static class Counter {
        int n;

        //= app/Main$Counter.<init>()V 1 0
        //= app/Main$Counter.add(I)V 18 0
        void add(int x) {
            n += x;
        }
    }

    //= app/Main.main([Ljava/lang/String;)V 1 0
    public static void main(String[] args) {
        Counter c = new Counter();
        IntUnaryOperator op = Main::step;
        for (int i = 0; i < 20; i++)
            try {
                c.add(op.applyAsInt(i));
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage());
            }
        System.out.println(c.n + " " + Main.class.getModule() + " " + Main.class.getModule().getDescriptor().requires().size());
    }
}
