/** Writes the source of a program of 5,000 classes in 50 families, which it loads. What that takes is printed in milliseconds. */
public final class Families {
    private static final int CLASSES = 5000, FAMILIES = 50;

    public static void main(String[] arguments) {
        System.out.println("interface Task { }\ninterface Part { }\ninterface Whole extends Part { }");
        for (int i = 0; i < FAMILIES; i++)
            System.out.println("class Base" + i + " implements Whole" + (i == 0 ? ", Task" : "") + " { int f() { return " + i + "; } }\n"
                    + "class Middle" + i + " extends Base" + i + " implements Comparable<Part> { public int compareTo(Part p) { return 0; } }");
        for (int i = 0; i < CLASSES; i++)
            System.out.println("class C" + i + " extends Middle" + i % FAMILIES + " { int f() { return " + i + "; } }");
        System.out.println("public final class Wide {\n"
                + "    public static void main(String[] arguments) throws Exception {\n"
                + "        long start = System.nanoTime();\n"
                + "        for (int i = 0; i < " + CLASSES + "; i++) Class.forName(\"C\" + i);\n"
                + "        System.out.println(\"loading: \" + (System.nanoTime() - start) / 1e6);\n"
                + "    }\n"
                + "}");
    }
}
