package cases;

import java.util.ArrayList;
import java.util.List;

/** The heap is exhausted and freed again, several times; counting goes on. */
public class OutOfMemory {
    //= fill(Ljava/util/List;)V 4 4
    static void fill(List<Object> list) {
        while (true)
            list.add(chunk());
    }

    // the last call of each round is the one that fails, here or in ArrayList
    //= chunk()[B >=40 0..4
    static byte[] chunk() {
        return new byte[100000];
    }

    //= trial()Z 4 0
    static boolean trial() {
        List<Object> list = new ArrayList<>();
        try {
            fill(list);
            return false;
        } catch (OutOfMemoryError e) {
            int n = list.size();
            list.clear();
            return n > 10;
        }
    }

    //= after(I)I 1000 0
    static int after(int i) {
        return i + 1;
    }

    public static void main(String[] args) {
        int n = 0;
        for (int i = 0; i < 4; i++) {
            System.out.println(trial());
            for (int k = 0; k < 250; k++)
                n = after(n);
        }
        System.out.println(n);
    }
}
