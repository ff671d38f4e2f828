package cases;

/** Runtime.halt: no hooks, no finally; what was counted is written all the same. */
public class Halt {
    //= work(I)I 25 5
    static int work(int n) {
        if (n % 5 == 0)
            throw new IllegalArgumentException();
        return n;
    }

    //= main([Ljava/lang/String;)V 1 0 open
    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 25; i++)
            try {
                sum += work(i);
            } catch (IllegalArgumentException e) {
                sum--;
            }
        System.out.println(sum);
        System.out.flush();
        Runtime.getRuntime().halt(7);
    }
}
