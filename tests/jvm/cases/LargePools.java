package cases;

import support.Try;

/** Constant pools that are full, nearly full, and so large that every new index is wide (see GenLarge). */
public class LargePools {
    public static void main(String[] args) {
        //= Pool65534.run(I)I 3 2 or skipped
        //= Pool65534.text()Ljava/lang/String; 1 0 or skipped
        //= Pool65530.run(I)I 3 2 or skipped
        //= Pool65530.text()Ljava/lang/String; 1 0 or skipped
        //= Pool65000.run(I)I 3 2
        //= Pool65000.text()Ljava/lang/String; 1 0
        //= Pool40000.run(I)I 3 2
        //= Pool40000.text()Ljava/lang/String; 1 0
        //= PoolHigh.run(I)J 3 2
        Try.each("65534", x -> Pool65534.run(x), 5, 0, -1);
        Try.show("65534", () -> Pool65534.text());
        Try.each("65530", x -> Pool65530.run(x), 5, 0, -1);
        Try.show("65530", () -> Pool65530.text());
        Try.each("65000", x -> Pool65000.run(x), 5, 0, -1);
        Try.show("65000", () -> Pool65000.text());
        Try.each("40000", x -> Pool40000.run(x), 5, 0, -1);
        Try.show("40000", () -> Pool40000.text());
        Try.each("high", x -> PoolHigh.run(x), 5, 0, -1);
    }
}
