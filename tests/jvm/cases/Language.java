package cases;

import java.io.*;
import java.util.*;
import java.util.function.*;

/** What javac makes of modern source: records, sealed types, enums, lambdas, method references, concatenation. */
public class Language {
    record Point(int x, long y, String name) {
        //= $Point.<init>(IJLjava/lang/String;)V 5 1
        Point {
            if (x < 0)
                throw new IllegalArgumentException("x " + x);
        }

        //= $Point.<init>(I)V 1 0
        Point(int both) {
            this(both, both, "both");
        }

        //= $Point.sum()J 2 0
        long sum() {
            return x + y;
        }
    }

    //= $Point.toString()Ljava/lang/String; 2 0
    //= $Point.equals(Ljava/lang/Object;)Z 2 0
    //= $Point.hashCode()I 1 0
    //= $Point.x()I 0 0
    //= $Point.name()Ljava/lang/String; 1 0

    sealed interface Expr permits Num, Add, Neg {}

    //= $Num.<init>(I)V 4 0
    //= $Num.value()I 4 0
    record Num(int value) implements Expr {}

    //= $Add.<init>(Lcases/Language$Expr;Lcases/Language$Expr;)V 2 0
    //= $Add.a()Lcases/Language$Expr; 2 0
    //= $Add.b()Lcases/Language$Expr; 2 0
    record Add(Expr a, Expr b) implements Expr {}

    //= $Neg.<init>(Lcases/Language$Expr;)V 1 0
    //= $Neg.e()Lcases/Language$Expr; 1 0
    record Neg(Expr e) implements Expr {}

    //= eval(Lcases/Language$Expr;)I 7 0
    static int eval(Expr e) {
        if (e instanceof Num n)
            return n.value();
        if (e instanceof Add add)
            return eval(add.a()) + eval(add.b());
        if (e instanceof Neg neg)
            return -eval(neg.e());
        throw new AssertionError();
    }

    //= $Op.<clinit>()V 1 0
    //= $Op.<init>(Ljava/lang/String;I)V 3 0
    //= $Op.values()[Lcases/Language$Op; 2..3 0
    //= $Op.$values()[Lcases/Language$Op; 1 0
    //= $Op.valueOf(Ljava/lang/String;)Lcases/Language$Op; 2 1
    enum Op {
        PLUS {
            //= $Op$1.<init>(Ljava/lang/String;I)V 1 0
            //= $Op$1.apply(II)I 2 0
            int apply(int a, int b) {
                return a + b;
            }
        },
        TIMES {
            //= $Op$2.<init>(Ljava/lang/String;I)V 1 0
            //= $Op$2.apply(II)I 1 0
            int apply(int a, int b) {
                return a * b;
            }
        },
        DIV {
            //= $Op$3.<init>(Ljava/lang/String;I)V 1 0
            //= $Op$3.apply(II)I 2 1
            int apply(int a, int b) {
                return a / b;
            }
        };

        abstract int apply(int a, int b);
    }

    //= byEnum(Lcases/Language$Op;)Ljava/lang/String; 4 1
    static String byEnum(Op op) {
        switch (op) {
            case PLUS:
                return "+";
            case TIMES:
                return "*";
            default:
                return "other";
        }
    }

    //= $1.<clinit>()V 0..1 0

    //= byString(Ljava/lang/String;)I 6 1
    static int byString(String s) {
        return switch (s) {
            case "Aa", "x" -> 1;
            case "BB" -> {
                int r = s.length();
                yield r * 10;
            }
            case "throw" -> throw new IllegalStateException(s);
            default -> -1;
        };
    }

    //= concat(IJDCLjava/lang/Object;Z)Ljava/lang/String; 3 0
    static String concat(int i, long j, double d, char c, Object o, boolean z) {
        return "i=" + i + " j=" + j + " d=" + d + c + o + z + null;
    }

    interface SerialFunction extends Function<Integer, Integer>, Serializable {}

    static class Holder {
        final int base;

        //= $Holder.<init>(I)V 3 0
        Holder(int base) {
            this.base = base;
        }

        //= $Holder.add(I)I 12 0
        int add(int x) {
            return base + x;
        }

        //= $Holder.self()Ljava/util/function/Supplier; 1 0
        //= $Holder.lambda$self$* 2 0
        Supplier<Holder> self() {
            return () -> this;
        }
    }

    //= twice(I)I 5 0
    static int twice(int x) {
        return 2 * x;
    }

    //= varargs([Ljava/lang/Object;)I 3 0
    static int varargs(Object... all) {
        return all == null ? -1 : all.length;
    }

    static abstract class Generic<T extends Comparable<T>> {
        //= $Generic.<init>()V 1 0
        abstract T pick(T a, T b);
    }

    static class Max extends Generic<Integer> {
        //= $Max.<init>()V 1 0
        //= $Max.pick(Ljava/lang/Integer;Ljava/lang/Integer;)Ljava/lang/Integer; 3 1
        //= $Max.pick(Ljava/lang/Comparable;Ljava/lang/Comparable;)Ljava/lang/Comparable; 4 2
        Integer pick(Integer a, Integer b) {
            return a.compareTo(b) > 0 ? a : b;
        }
    }

    //= lambda$main$0(I)I 4 0
    //= lambda$main$* >=9 0
    //= $deserializeLambda$(Ljava/lang/invoke/SerializedLambda;)Ljava/lang/Object; 1 0
    // javac of JDK 28 makes a method for each lambda besides
    //= $deserializeLambda$$lambda$*(Ljava/lang/invoke/SerializedLambda;)Ljava/lang/Object; 0..1 0
    @SuppressWarnings({"unchecked", "rawtypes"})
    public static void main(String[] args) throws Exception {
        Point p = new Point(1, 2, "p"), q = new Point(1, 2, "p");
        System.out.println(p + " " + p.equals(q) + " " + p.equals("p") + " " + p.sum() + q.sum());
        System.out.println(new Point(9).name() + p.hashCode());
        System.out.println(new Point(3, 4, null));
        try {
            new Point(-1, 0, "");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(eval(new Add(new Num(1), new Neg(new Add(new Num(2), new Num(3))))) + eval(new Num(7)));

        for (Op op : Op.values())
            System.out.println(op + byEnum(op) + op.apply(6, 3));
        try {
            Op.DIV.apply(1, 0);
        } catch (ArithmeticException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(Op.valueOf("PLUS").apply(40, 2));
        try {
            Op.valueOf("MINUS");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        try {
            byEnum(null);
        } catch (NullPointerException e) {
            System.out.println("null enum");
        }
        for (String s : new String[] {"Aa", "BB", "x", "y", "C#", "throw"})
            try {
                System.out.println(byString(s));
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage());
            }

        for (int i = 0; i < 3; i++)
            System.out.println(concat(i, i * 10L, i / 2.0, (char) ('a' + i), i == 1 ? null : "o", i > 1));

        IntUnaryOperator inc = x -> x + 1;
        int total = 0;
        for (int i = 0; i < 4; i++)
            total += inc.applyAsInt(i);
        Holder h = new Holder(100);
        IntUnaryOperator bound = h::add, unbound = Language::twice;
        BiFunction<Holder, Integer, Integer> of = Holder::add;
        IntFunction<Holder> make = Holder::new;
        for (int i = 0; i < 5; i++)
            total += bound.applyAsInt(i) + unbound.applyAsInt(i) + of.apply(h, i);
        total += make.apply(1).add(2) + make.apply(3).add(4);
        Supplier<Holder> self = h.self();
        System.out.println(total + " " + (self.get() == self.get()));
        int captured = total;
        SerialFunction f = x -> x + captured;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(f);
        Object back = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        System.out.println(f.apply(1) + ((SerialFunction) back).apply(2));

        List<Integer> list = new ArrayList<>(List.of(5, 3, 9, 1));
        list.sort((a, b) -> b - a);
        System.out.println(list + " " + list.stream().filter(x -> x > 2).mapToInt(x -> x).sum());
        System.out.println(varargs() + varargs(1, 2) + varargs((Object[]) null));

        Generic g = new Max();
        System.out.println(g.pick(1, 2) + " " + g.pick(4, 3));
        try {
            g.pick("a", "b");
        } catch (ClassCastException e) {
            System.out.println("bridge");
        }
        try {
            g.pick(null, 1);
        } catch (NullPointerException e) {
            System.out.println("null");
        }
    }
}
