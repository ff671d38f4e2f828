package acme;

/** What uses the prices; `main` ends the JVM itself. */
public class Main {
    public static int order(int... prices) {
        Prices all = new Prices();
        for (int price : prices) all.add(price, price > 100 ? Prices.Kind.REDUCED : Prices.Kind.PLAIN);
        return all.total();
    }

    public static void main(String[] args) {
        if (args.length == 0) System.exit(order(1) - 1);
        order(2000);
    }
}
