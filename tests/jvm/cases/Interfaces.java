package cases;

/** Default, static and private interface methods, interface initialisers, super calls through interfaces. */
public class Interfaces {
    interface Shape {
        //= $Shape.<clinit>()V 1 0
        int MARK = note("Shape.<clinit>");

        int sides();

        //= $Shape.describe()Ljava/lang/String; 2 0
        default String describe() {
            return twice(sides()) + "/" + count(this);
        }

        //= $Shape.twice(I)I 2 0
        private int twice(int x) {
            return x * 2;
        }

        //= $Shape.count(Lcases/Interfaces$Shape;)I 3 1
        static int count(Shape s) {
            if (s == null)
                throw new NullPointerException("no shape");
            return s.sides() + helper();
        }

        //= $Shape.helper()I 2 0
        private static int helper() {
            return 1000;
        }
    }

    interface Round extends Shape {
        //= $Round.describe()Ljava/lang/String; 1 0
        @Override
        default String describe() {
            return "round " + Shape.super.describe();
        }
    }

    interface Coloured {
        //= $Coloured.describe()Ljava/lang/String; 1 0
        default String describe() {
            return "coloured";
        }
    }

    static class Square implements Shape {
        //= $Square.<init>()V 1 0
        //= $Square.sides()I 2 0
        public int sides() {
            return 4;
        }
    }

    static class Disc implements Round, Coloured {
        //= $Disc.<init>()V 2 0
        //= $Disc.sides()I 3 0
        public int sides() {
            return 0;
        }

        //= $Disc.describe()Ljava/lang/String; 1 0
        public String describe() {
            return Coloured.super.describe() + " " + Round.super.describe();
        }
    }

    interface Lazy {
        //= $Lazy.<clinit>()V 0 0
        int NEVER = note("Lazy.<clinit>");
    }

    interface Broken {
        //= $Broken.<clinit>()V 1 1
        int VALUE = fail();

        //= $Broken.call()V 0 0
        default void call() {
            System.out.println("never");
        }
    }

    //= note(Ljava/lang/String;)I 1 0
    static int note(String s) {
        System.out.println("initialise " + s);
        return 1;
    }

    //= fail()I 1 1
    static int fail() {
        throw new IllegalStateException("broken interface");
    }

    static class Plain implements Lazy {}

    //= $Plain.<init>()V 1 0

    public static void main(String[] args) {
        Shape s = new Square();
        System.out.println(s.describe());
        System.out.println(new Disc().describe());
        Disc d = new Disc();
        System.out.println(((Shape) d).sides());
        try {
            Shape.count(null);
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(new Plain().getClass().getSimpleName());
        for (int i = 0; i < 2; i++)
            try {
                System.out.println(new Broken() {}.getClass().getName());
            } catch (Throwable t) {
                System.out.println(t.getClass().getName());
            }
        try {
            System.out.println(Broken.VALUE);
        } catch (NoClassDefFoundError e) {
            System.out.println("still broken");
        }
    }
}
