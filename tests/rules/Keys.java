/** Long keys of rules: texts that differ behind their first 200 characters, and stacks of many frames. */
public class Keys {
    static void pair(String a, String b) {}

    static void apart(String a, Object b) {}

    static void number(Object n) {}

    static void end() {}

    static void far() {}

    static void named() {}

    static void bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb() {
        named();
    }

    /** The lines of ten frames in sequence are the ten lowest bits of the number. */
    static void stackWhoseLinesAreTheBitsOfANumber(int number, int depth, boolean isFar) {
        if (depth == 0 && isFar)
            far();
        else if (depth == 0)
            end();
        else if ((number >>> depth % 10 & 1) == 0)
            stackWhoseLinesAreTheBitsOfANumber(number, depth - 1, isFar);
        else
            stackWhoseLinesAreTheBitsOfANumber(number, depth - 1, isFar);
    }

    public static void main(String[] args) {
        String longest = new String(new char[300]).replace('\0', 'z');
        for (int i = 0; i < 30; i++) pair(longest + i, "b" + i % 3);
        apart("a, b", "c");
        for (int i = 0; i < 2; i++) apart("a", "b, c");
        for (int i = 0; i < 3; i++) apart("\"a", 'b');
        for (Object n : new Object[] {1000, 1000L, (short) 1000, (byte) 7, 7, 7L, 7.5}) number(n);
        bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb();
        for (int i = 0; i < 990; i++) {
            stackWhoseLinesAreTheBitsOfANumber(i, 30, false);
            stackWhoseLinesAreTheBitsOfANumber(i, 120, true);
        }
    }
}
