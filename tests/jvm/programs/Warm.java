import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Some fifty short and middling methods that all become hot: expressions are read from text, computed and written again;
 * results are counted, sorted and looked up. Prints one number. For tests of what compilers do with it.
 */
public final class Warm {
    private Warm() {}

    interface Node {
        int value(int[] variables);

        void write(StringBuilder out);
    }

    static final class Literal implements Node {
        private final int number;

        Literal(int number) {
            this.number = number;
        }

        @Override
        public int value(int[] variables) {
            return number;
        }

        @Override
        public void write(StringBuilder out) {
            out.append(number);
        }
    }

    static final class Variable implements Node {
        private final int index;

        Variable(char name) {
            index = indexOf(name);
        }

        private static int indexOf(char name) {
            return name - 'a';
        }

        private int in(int[] variables) {
            return index < variables.length ? variables[index] : 0;
        }

        @Override
        public int value(int[] variables) {
            return in(variables);
        }

        @Override
        public void write(StringBuilder out) {
            out.append((char) ('a' + index));
        }
    }

    abstract static class Binary implements Node {
        private final Node left, right;

        Binary(Node left, Node right) {
            this.left = left;
            this.right = right;
        }

        abstract int of(int a, int b);

        abstract char sign();

        Node left() {
            return left;
        }

        Node right() {
            return right;
        }

        @Override
        public int value(int[] variables) {
            return of(left().value(variables), right().value(variables));
        }

        @Override
        public void write(StringBuilder out) {
            out.append('(');
            left().write(out);
            out.append(sign());
            right().write(out);
            out.append(')');
        }
    }

    static final class Sum extends Binary {
        Sum(Node left, Node right) {
            super(left, right);
        }

        @Override
        int of(int a, int b) {
            return a + b;
        }

        @Override
        char sign() {
            return '+';
        }
    }

    static final class Product extends Binary {
        Product(Node left, Node right) {
            super(left, right);
        }

        @Override
        int of(int a, int b) {
            return a * b;
        }

        @Override
        char sign() {
            return '*';
        }
    }

    /** Division by 0 is an exception that the caller catches. */
    static final class Quotient extends Binary {
        Quotient(Node left, Node right) {
            super(left, right);
        }

        @Override
        int of(int a, int b) {
            return a / b;
        }

        @Override
        char sign() {
            return '/';
        }
    }

    static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        private boolean more() {
            return at < text.length();
        }

        private char peek() {
            return more() ? text.charAt(at) : 0;
        }

        private boolean take(char c) {
            if (peek() != c) return false;
            at++;
            return true;
        }

        private static boolean isDigit(char c) {
            return c >= '0' && c <= '9';
        }

        private int number() {
            int n = 0;
            while (isDigit(peek())) n = n * 10 + text.charAt(at++) - '0';
            return n;
        }

        private Node operand() {
            if (take('(')) {
                Node inner = sum();
                if (!take(')')) throw new IllegalStateException(text);
                return inner;
            }
            return isDigit(peek()) ? new Literal(number()) : new Variable(text.charAt(at++));
        }

        private Node product() {
            Node node = operand();
            while (true) {
                if (take('*')) node = new Product(node, operand());
                else if (take('/')) node = new Quotient(node, operand());
                else return node;
            }
        }

        Node sum() {
            Node node = product();
            while (take('+')) node = new Sum(node, product());
            return node;
        }
    }

    static int computed(Node node, int[] variables) {
        try {
            return node.value(variables);
        } catch (ArithmeticException zero) {
            return -1;
        }
    }

    static String text(Node node) {
        StringBuilder out = new StringBuilder();
        node.write(out);
        return out.toString();
    }

    static void count(Map<Integer, int[]> counts, int key) {
        int[] count = counts.get(key);
        if (count == null) counts.put(key, count = new int[1]);
        increment(count);
    }

    static void increment(int[] count) {
        count[0]++;
    }

    static final class ByLength implements Comparator<String> {
        @Override
        public int compare(String a, String b) {
            int order = length(a) - length(b);
            return order != 0 ? order : a.compareTo(b);
        }

        private static int length(String s) {
            return s.length();
        }
    }

    static synchronized int locked(int sum, int more) {
        return mixed(sum, more);
    }

    static int mixed(int sum, int more) {
        return sum * 31 + more;
    }

    static int kind(int value) {
        switch (Math.floorMod(value, 5)) {
            case 0: return 1;
            case 1: return 7;
            case 2: return 3;
            default: return value & 15;
        }
    }

    public static void main(String[] args) {
        String[] texts = {"a+b*(c+7)", "(a+1)*(b+2)/(c+3)", "12*a+34*b+56*c/(a+b)", "((a))", "a/b/c+a*b*c", "1+2+3+4*5*(6+a)"};
        Map<Integer, int[]> counts = new HashMap<>();
        int sum = 0;
        for (int round = 0; round < 12000; round++) {
            List<String> written = new ArrayList<>();
            int[] variables = {round % 17, round % 5, round % 3};
            for (String text : texts) {
                Node node = new Reader(text).sum();
                int value = computed(node, variables);
                count(counts, kind(value));
                sum = locked(sum, value);
                written.add(text(node));
            }
            Collections.sort(written, new ByLength());
            sum = mixed(sum, written.get(0).length());
        }
        System.out.println(sum + " " + counts.size());
    }
}
