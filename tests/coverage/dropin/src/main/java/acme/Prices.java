package acme;

import java.util.ArrayList;
import java.util.List;

/** Something for a build to test: partly covered, on purpose. */
public class Prices {
    public enum Kind {
        PLAIN,
        REDUCED {
            @Override
            int apply(int price) {
                return price / 2;
            }
        };

        int apply(int price) {
            return price;
        }
    }

    private final List<Integer> list = new ArrayList<>();

    public Prices add(int price, Kind kind) {
        if (price < 0) throw new IllegalArgumentException("negative");
        list.add(kind.apply(price));
        return this;
    }

    public int total() {
        int total = 0;
        for (int price : list) total += price;
        return total > 1000 ? total - 100 : total;
    }

    public String name(int total) {
        switch (total) {
            case 0:
                return "nothing";
            case 1:
                return "one";
            default:
                return list.stream().anyMatch(p -> p > 50) ? "much" : "some";
        }
    }

    public void never() {
        list.clear();
    }
}
