package cases;

/** Value classes (preview in JDK 28): fields set before super(), in branches of the constructor. */
public class ValueClasses {
    //= $Pair.equals(Ljava/lang/Object;)Z 1 0
    value record Pair(int a, long b) {
        //= $Pair.equals(Ljava/lang/Object;)Z 1 0
        //= $Pair.<init>(IJ)V 5 1
        Pair {
            if (a > 100)
                throw new IllegalArgumentException("a " + a);
        }
    }

    static value class Range {
        final int low;
        final long size;

        //= $Range.<init>(IIZ)V 4 1
        Range(int low, int high, boolean swap) {
            if (swap) {
                this.low = high;
                this.size = low - (long) high;
            } else {
                this.low = low;
                this.size = high - (long) low;
            }
            if (low == 13)
                throw new IllegalStateException("thirteen");
            super();
        }

        //= $Range.sum()J 3 0
        long sum() {
            return low + size;
        }
    }

    public static void main(String[] args) {
        System.out.println(new Pair(1, 2) == new Pair(1, 2));
        System.out.println(new Pair(1, 3).equals(new Pair(3, 1)));
        try {
            System.out.println(new Pair(101, 0).a());
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        for (int i = 11; i < 15; i++)
            try {
                System.out.println(new Range(i, 20, i % 2 == 0).sum());
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage());
            }
    }
}
