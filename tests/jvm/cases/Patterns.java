package cases;

import java.util.List;

/** Switches on patterns, record deconstruction, sealed hierarchies, and the errors they raise. */
public class Patterns {
    sealed interface Shape permits Circle, Box, Group {}

    //= $Circle.<init>(D)V 3 0
    //= $Circle.r()D 3 1
    record Circle(double r) implements Shape {
        public double r() {
            if (r > 100)
                throw new ArithmeticException("radius");
            return r;
        }
    }

    //= $Box.<init>(JJ)V 4 0
    //= $Box.w()J >=1 0
    //= $Box.h()J >=1 0
    record Box(long w, long h) implements Shape {}

    //= $Group.<init>(Lcases/Patterns$Shape;Lcases/Patterns$Shape;)V 2 0
    //= $Group.a()Lcases/Patterns$Shape; >=1 0
    //= $Group.b()Lcases/Patterns$Shape; >=1 0
    record Group(Shape a, Shape b) implements Shape {}

    //= area(Lcases/Patterns$Shape;)D 9 2
    static double area(Shape s) {
        return switch (s) {
            case Circle(double r) -> r * r;
            case Box(long w, long h) when w == h -> w * w;
            case Box b -> b.w() * b.h();
            case Group(Circle(var r), Box(var w, var h)) -> r + w + h;
            case Group(Shape a, Shape b) -> area(a) + area(b);
        };
    }

    //= kind(Ljava/lang/Object;)Ljava/lang/String; 9 0
    static String kind(Object o) {
        return switch (o) {
            case null -> "null";
            case Integer i when i > 10 -> "big " + i;
            case Integer i -> "int " + i;
            case String s -> "text " + s.length();
            case int[] a -> "ints " + a.length;
            case List<?> l when l.isEmpty() -> "empty";
            case List<?> l -> "list " + l.get(0);
            case Enum<?> e -> "enum " + e.name();
            default -> o.getClass().getSimpleName();
        };
    }

    enum Colour { RED, GREEN }
    //= $Colour.<clinit>()V 1 0
    //= $Colour.<init>(Ljava/lang/String;I)V 2 0
    //= $Colour.$values()[Lcases/Patterns$Colour; 1 0

    public static void main(String[] args) {
        Shape[] shapes = {new Circle(2), new Box(3, 3), new Box(3, 4),
            new Group(new Circle(1), new Box(1, 1)), new Group(shape(), shape()),
            new Circle(1000)};
        for (Shape s : shapes)
            try {
                System.out.println(area(s));
            } catch (MatchException e) {
                System.out.println(e.getCause());
            }
        try {
            area(null);
        } catch (NullPointerException e) {
            System.out.println("null shape");
        }
        Object[] all = {null, 5, 50, "four", new int[3], List.of(), List.of(1), Colour.GREEN, 2.5};
        for (Object o : all)
            System.out.println(kind(o));
    }

    //= shape()Lcases/Patterns$Shape; 2 0
    static Shape shape() {
        return SHARED;
    }

    //= <clinit>()V 1 0
    static final Shape SHARED = new Box(5, 6);
}
