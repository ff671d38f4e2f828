/** Fields that the JVM may flatten (JDK 28, --enable-preview): they have no reference to an object. */
public class Flat {
    value record Point(short x, short y) {}

    static class Base {
        final String name;

        Base(String name) {
            this.name = name;
        }
    }

    static class Shape extends Base {
        Point corner;
        Point missing;
        Integer edges;
        Integer none;
        Short brief;

        Shape(int i) {
            super("shape");
            corner = new Point((short) i, (short) -i);
            edges = i;
            brief = (short) i;
        }
    }

    static void look(Base shape) {}

    public static void main(String[] args) {
        for (int i = 0; i < 30000; i++) {
            look(new Shape(i % 3 + 1));
            if (i % 1000 == 0) System.gc();
        }
    }
}
