import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A program of short methods in hot loops: an interpreter of expressions, over objects with getters. */
public final class Shapes {
    private Shapes() {}

    interface Node {
        double value(Row row);
    }

    static final class Row {
        private final double[] cells;
        private final int id;

        Row(int id, double[] cells) {
            this.id = id;
            this.cells = cells;
        }

        int id() {
            return id;
        }

        double cell(int i) {
            return cells[i];
        }

        int width() {
            return cells.length;
        }
    }

    static final class Number implements Node {
        private final double number;

        Number(double number) {
            this.number = number;
        }

        @Override
        public double value(Row row) {
            return number;
        }
    }

    static final class Cell implements Node {
        private final int index;

        Cell(int index) {
            this.index = index;
        }

        private int at(Row row) {
            return index < row.width() ? index : 0;
        }

        @Override
        public double value(Row row) {
            return row.cell(at(row));
        }
    }

    abstract static class Pair implements Node {
        final Node left, right;

        Pair(Node left, Node right) {
            this.left = left;
            this.right = right;
        }

        abstract double of(double a, double b);

        @Override
        public double value(Row row) {
            return of(left.value(row), right.value(row));
        }
    }

    static final class Sum extends Pair {
        Sum(Node left, Node right) {
            super(left, right);
        }

        @Override
        double of(double a, double b) {
            return a + b;
        }
    }

    static final class Product extends Pair {
        Product(Node left, Node right) {
            super(left, right);
        }

        @Override
        double of(double a, double b) {
            return a * b;
        }
    }

    static final class Choice implements Node {
        private final Node test, yes, no;

        Choice(Node test, Node yes, Node no) {
            this.test = test;
            this.yes = yes;
            this.no = no;
        }

        private boolean positive(double x) {
            return x > 0;
        }

        @Override
        public double value(Row row) {
            return positive(test.value(row)) ? yes.value(row) : no.value(row);
        }
    }

    static Node node(int depth, int seed) {
        if (depth == 0) return seed % 3 == 0 ? new Number(Math.floorMod(seed, 7) - 3) : new Cell(Math.floorMod(seed, 6));
        Node a = node(depth - 1, seed * 31 + 1), b = node(depth - 1, seed * 17 + 5);
        switch (Math.floorMod(seed, 3)) {
            case 0: return new Sum(a, b);
            case 1: return new Product(a, new Number(0.5));
            default: return new Choice(a, b, new Sum(b, a));
        }
    }

    static long key(Row row, double value) {
        return Double.doubleToLongBits(value) % 64 + row.id() % 2;
    }

    static void add(Map<Long, int[]> groups, long key) {
        int[] group = groups.get(key);
        if (group == null) groups.put(key, group = new int[1]);
        group[0]++;
    }

    static List<Row> rows(int count) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) rows.add(new Row(i, new double[] {i, -i, i % 13, 1.5, i % 2 - 1}));
        return rows;
    }

    public static void main(String[] args) {
        List<Row> rows = rows(60000);
        Map<Long, int[]> groups = new HashMap<>();
        double sum = 0;
        for (int seed = 1; seed <= 12; seed++) {
            Node node = node(6, seed);
            for (Row row : rows) {
                double value = node.value(row);
                sum += value;
                add(groups, key(row, value));
            }
        }
        if (Double.isNaN(sum) || groups.isEmpty()) throw new IllegalStateException("wrong");
    }
}
