package shop;

/** A program that other agents change: branches, a loop, a handler, an unused method. */
public class Main {
    private int orders;

    static int price(int n) {
        return n > 3 ? 1 : 2;
    }

    int order(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            if (i % 2 == 0) sum += price(i);
            else orders++;
        }
        return sum;
    }

    int refuse(int n) {
        try {
            if (n > 1) throw new IllegalStateException("refused");
            return 1;
        } catch (IllegalStateException e) {
            return 2;
        }
    }

    int never() {
        return orders;
    }

    public static void main(String[] args) {
        Main main = new Main();
        System.out.println(main.order(5) + " " + main.refuse(2) + " " + Boolean.getBoolean("woven"));
    }
}
