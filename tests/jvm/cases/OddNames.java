package cases;

import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import support.Try;

/** Class and method names that need escaping in JSON and care in modified UTF-8 (see GenNames). */
public class OddNames {
    //= "cases/Odd) \"n\u00e4me\"\u20ac\ud83d\ude00\\.quote\"backslash\\(I)I" 2 1
    //= "cases/Odd) \"n\u00e4me\"\u20ac\ud83d\ude00\\.tab\tnewline\ncontrol\u0001(I)I" 1 0
    //= "cases/Odd) \"n\u00e4me\"\u20ac\ud83d\ude00\\.nul\u0000inside(I)I" 1 0
    //= "cases/Odd) \"n\u00e4me\"\u20ac\ud83d\ude00\\.\u00e9\u4e2d\ud83d\ude00(I)I" 1 0
    //= "cases/Odd) \"n\u00e4me\"\u20ac\ud83d\ude00\\.with space, comma(I)I" 1 0
    //= "cases/Odd) \"n\u00e4me\"\u20ac\ud83d\ude00\\.{b}&amp,{|b}(I)I" 1 0
    //= "cases/Odd) \"n\u00e4me\"\u20ac\ud83d\ude00\\.percent%s%n(I)I" 1 0
    //= "cases/Odd) \"n\u00e4me\"\u20ac\ud83d\ude00\\.1(I)I" 1 0
    //= "cases/Odd) \"n\u00e4me\"\u20ac\ud83d\ude00\\.-(I)I" 1 0
    //= "cases/Odd) \"n\u00e4me\"\u20ac\ud83d\ude00\\.xxxxxxxx*(I)I" 1 0
    //= "cases/Odd) \"n\u00e4me\"\u20ac\ud83d\ude00\\.run(I)I" 2 1
    //= "cases/Odd) \"n\u00e4me\"\u20ac\ud83d\ude00\\.same(ILcases/Odd) \"n\u00e4me\"\u20ac\ud83d\ude00\\;)Lcases/Odd) \"n\u00e4me\"\u20ac\ud83d\ude00\\;" 6 0
    public static void main(String[] args) throws Exception {
        byte[] b;
        try (InputStream in = OddNames.class.getResourceAsStream("/cases/odd-names.bin")) {
            b = in.readAllBytes();
        }
        var run = MethodHandles.lookup().defineClass(b).getMethod("run", int.class);
        Try.show("sum", () -> run.invoke(null, 5));
        Try.show("sum", () -> run.invoke(null, 0));
    }
}
