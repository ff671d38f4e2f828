package cases;

/** Constructors of classes that extend Object: nothing but their bodies can throw. */
public class PlainConstructors {
    static int made;

    static class Empty {
        //= $Empty.<init>()V 3 0
        Empty() {}
    }

    static class Numbers {
        final int number;
        long sum;

        //= $Numbers.<init>(I)V 6 2
        Numbers(int number) {
            this.number = 12 / number;
            sum += this.number;
        }

        //= $Numbers.<init>()V 3 1
        Numbers() {
            this(made++ % 3);
        }
    }

    class Inner {
        final Object held;

        //= $Inner.<init>(Lcases/PlainConstructors;Ljava/lang/Object;)V 4 1
        Inner(Object held) {
            if (held == null) throw new NullPointerException("nothing held");
            this.held = held;
        }
    }

    static class Looping {
        int turns;

        //= $Looping.<init>(I)V 2 1
        Looping(int times) {
            for (int i = 0; i < times; i++) {
                if (i == 5) throw new IllegalStateException("turn " + i);
                turns++;
            }
        }
    }

    static class Catching {
        String caught = "";

        //= $Catching.<init>(Ljava/lang/String;)V 3 1
        Catching(String text) {
            synchronized (this) {
                try {
                    caught += Integer.parseInt(text);
                } catch (NumberFormatException e) {
                    if (text.isEmpty()) throw new IllegalArgumentException("empty");
                    caught += text.length();
                }
            }
        }
    }

    static class Deep {
        final Deep next;

        //= $Deep.<init>(I)V 17 7
        Deep(int depth) {
            if (depth == 17) throw new ArithmeticException("too deep");
            next = depth % 10 == 0 ? null : new Deep(depth + 1);
        }
    }

    interface Maker {
        Object make();
    }

    //= show(Ljava/lang/String;Lcases/PlainConstructors$Maker;)V 20 0
    static void show(String what, Maker maker) {
        try {
            System.out.println(what + ": " + maker.make().getClass().getSimpleName());
        } catch (RuntimeException e) {
            System.out.println(what + ": " + e);
        }
    }

    //= <init>()V 1 0
    PlainConstructors() {}

    //= lambda$main$* 17 6
    public static void main(String[] args) {
        PlainConstructors outer = new PlainConstructors();
        for (int i = 0; i < 3; i++) show("empty", Empty::new);
        for (int i = 0; i < 3; i++) {
            int n = i;
            show("numbers", () -> new Numbers(n));
            show("chain", () -> new Numbers());
        }
        for (Object held : new Object[] {"a", 1, null, 'c'}) show("inner", () -> outer.new Inner(held));
        show("looping", () -> new Looping(5));
        show("looping", () -> new Looping(7));
        for (String text : new String[] {"12", "x", ""}) show("catching", () -> new Catching(text));
        show("deep", () -> new Deep(1));
        show("deep", () -> new Deep(11));
    }
}
