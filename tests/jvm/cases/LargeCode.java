package cases;

import support.Try;

/**
 * Methods up to the format's limit: skipped where they must be, unlike their neighbours (see GenLarge).
 * HotSpot compiles no method of more than 8,000 bytes: one that would grow past that is skipped, unless huge=yes.
 */
public class LargeCode {
    public static void main(String[] args) {
        //= LargeMethods.bytes65533(I)I skipped
        //= LargeMethods.bytes65535(I)I skipped
        //= LargeMethods.bytes65000(I)I 2 0
        //= LargeMethods.bytes30000(I)I 2 0
        //=huge LargeMethods.bytes7999(I)I 2 0
        //=skipped LargeMethods.bytes7999(I)I skipped
        //= LargeMethods.bytes7000(I)I 2 0
        //= LargeMethods.returns(I)I 3 0 or skipped
        //= LargeMethods.small(I)I 4 2
        //= LargeMethods.smallCaller(I)I 2 1
        Try.each("65533", x -> LargeMethods.bytes65533(x), 1, 2);
        Try.each("65535", x -> LargeMethods.bytes65535(x), 1, 2);
        Try.each("65000", x -> LargeMethods.bytes65000(x), 1, 2);
        Try.each("30000", x -> LargeMethods.bytes30000(x), 1, 2);
        Try.each("7999", x -> LargeMethods.bytes7999(x), 1, 2);
        Try.each("7000", x -> LargeMethods.bytes7000(x), 1, 2);
        Try.each("returns", x -> LargeMethods.returns(x), 1, 5999, 7000);
        Try.each("small", x -> LargeMethods.small(x), 5, 0);
        Try.each("caller", x -> LargeMethods.smallCaller(x), 5, 0);
    }
}
