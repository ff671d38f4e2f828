package cases;

/** Nested, inner, local and anonymous classes; private access between them. */
public class Nested {
    private int secret = 5;

    //= <init>()V 3 0

    //= peek(I)I 6 0
    private int peek(int add) {
        return secret + add;
    }

    class Inner {
        private final int depth;

        //= $Inner.<init>(Lcases/Nested;I)V 2 0
        private Inner(int depth) {
            this.depth = depth;
        }

        //= $Inner.read()I 2 0
        private int read() {
            return peek(depth);
        }

        class Deeper {
            //= $Inner$Deeper.<init>(Lcases/Nested$Inner;)V 2 0
            //= $Inner$Deeper.read()I 2 0
            int read() {
                return Inner.this.depth + Nested.this.peek(100) + secret++;
            }
        }
    }

    static class Fixed {
        private static int counter;

        //= $Fixed.<init>()V 4 0
        //= $Fixed.next()I 4 0
        private int next() {
            return ++counter;
        }
    }

    interface Task {
        int run(int x);
    }

    //= local(I)Lcases/Nested$Task; 2 0
    Task local(int base) {
        class Local implements Task {
            int calls;

            //= $1Local.<init>(Lcases/Nested;I)V 2 0
            //= $1Local.run(I)I 6 2
            public int run(int x) {
                if (++calls == 3)
                    throw new IllegalStateException("third");
                return base + x + secret;
            }
        }
        return new Local();
    }

    public static void main(String[] args) {
        Nested n = new Nested();
        Inner i = n.new Inner(1);
        Inner j = new Nested().new Inner(2);
        System.out.println(i.read() + j.read());
        System.out.println(i.new Deeper().read() + j.new Deeper().read());
        for (int k = 0; k < 4; k++)
            System.out.println(new Fixed().next());
        for (int b = 0; b < 2; b++) {
            Task t = n.local(b * 10);
            for (int k = 0; k < 3; k++)
                try {
                    System.out.println(t.run(k));
                } catch (IllegalStateException e) {
                    System.out.println(e.getMessage());
                }
        }
        Nested m = new Nested();
        Task anonymous = new Task() {
            int state = 1;

            //= $1.<init>(Lcases/Nested;)V 1 0
            //= $1.run(I)I 2 0
            public int run(int x) {
                return m.peek(x) + state++;
            }
        };
        System.out.println(anonymous.run(1) + anonymous.run(2));
    }
}
