package cases;

/** The same private access as javac wrote it before nest mates: synthetic accessors, StringBuilder concatenation. */
public class NestedOld {
    private int secret = 3;

    //= <init>()V 1 0
    //= access$000(Lcases/NestedOld;)I 4 0
    //= access$008(Lcases/NestedOld;)I 4 0
    //= access$100(Lcases/NestedOld;I)I 4 2
    //= peek(I)I 4 2
    private int peek(int x) {
        if (x > 4)
            throw new IllegalArgumentException("x" + x);
        return x + secret;
    }

    class Inner {
        //= $Inner.<init>(Lcases/NestedOld;)V 1 0
        //= $Inner.go()I 4 2
        int go() {
            int before = secret;
            secret++;
            return before * 100 + peek(before);
        }
    }

    //= lambda$main$* 2 0
    public static void main(String[] args) {
        Inner inner = new NestedOld().new Inner();
        for (int i = 0; i < 4; i++)
            try {
                System.out.println("go " + inner.go() + " " + i + 'c' + 1.5f + null);
            } catch (IllegalArgumentException e) {
                System.out.println(e.getMessage());
            }
        Runnable r = () -> System.out.println("lambda in an old class file");
        r.run();
        r.run();
    }
}
