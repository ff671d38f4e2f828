import java.util.ArrayList;
import java.util.List;

/** Allocates 400,000 objects in a chain of calls, of which 20,000, the Leaked, stay reachable. */
public class Leaking {
    static final class Leaked {
        long a, b, c, d;
    }

    static final class Gone {
        long a, b, c, d, e, f;
    }

    static final List<Object> KEPT = new ArrayList<>();
    static volatile Object latest;

    static void inner(int i) {
        if (i % 20 == 0) KEPT.add(new Leaked());
        else latest = new Gone();
    }

    static void outer(int i) {
        inner(i);
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 400_000; i++) outer(i);
        latest = null;
        System.out.println("kept " + KEPT.size());
    }
}
