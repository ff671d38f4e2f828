/** The test has `other` in local 0 instead of 1, as optimizers may: `this` is not needed any more. */
public class Moved {
    Moved() {
        Object other = null;
        checked();
    }

    static void checked() {
    }

    void once() {
        Object other = null;
        checked();
    }

    int looped(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            checked();
            sum += i;
        }
        if (sum > 100) throw new IllegalStateException();
        return sum;
    }

    public static void main(String[] args) {
        Moved moved = new Moved();
        moved.once();
        System.out.println(moved.looped(3));
        try {
            moved.looped(100);
        } catch (IllegalStateException expected) {
            System.out.println("thrown");
        }
    }
}
