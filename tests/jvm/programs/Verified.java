/** The verifier loads the classes that `pick` returns with this one, and links them only later. */
public class Verified {
    static class Shape {}

    static class Circle extends Shape {}

    static class Square extends Shape {}

    static Shape pick(int number) {
        if (number > 0) return new Circle();
        return new Square();
    }

    public static void main(String[] args) {
        System.out.println(pick(0).getClass().getName() + " " + pick(1).getClass().getName());
    }
}
