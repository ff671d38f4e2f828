package cases;

import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import support.Try;

/** Class files of versions 45 to 50: jsr and ret, no frames, untyped dead code (see GenOld). */
public class OldClasses {
    static final int[] SOME = {1, 0, 5};

    //= <clinit>()V 1 0
    public static void main(String[] args) {
        //= Subroutines49.finallyBlock(I)I 3 1
        //= Subroutines48.finallyBlock(I)I 3 1
        //= Subroutines46.finallyBlock(I)I 3 1
        //= Subroutines45.finallyBlock(I)I 3 1
        Try.each("finally", x -> Subroutines49.finallyBlock(x) + 1000 * Subroutines49.steps, SOME);
        Try.each("finally", x -> Subroutines48.finallyBlock(x) + 1000 * Subroutines48.steps, SOME);
        Try.each("finally", x -> Subroutines46.finallyBlock(x) + 1000 * Subroutines46.steps, SOME);
        Try.each("finally", x -> Subroutines45.finallyBlock(x) + 1000 * Subroutines45.steps, SOME);
        //= Subroutines49.nested(I)J 3 0
        //= Subroutines48.nested(I)J 3 0
        //= Subroutines46.nested(I)J 3 0
        //= Subroutines45.nested(I)J 3 0
        Try.each("nested", x -> Subroutines49.nested(x), SOME);
        Try.each("nested", x -> Subroutines48.nested(x), SOME);
        Try.each("nested", x -> Subroutines46.nested(x), SOME);
        Try.each("nested", x -> Subroutines45.nested(x), SOME);
        //= Subroutines49.leaves(I)I 3 1
        //= Subroutines48.leaves(I)I 3 1
        //= Subroutines46.leaves(I)I 3 1
        //= Subroutines45.leaves(I)I 3 1
        Try.each("leaves", x -> Subroutines49.leaves(x), SOME);
        Try.each("leaves", x -> Subroutines48.leaves(x), SOME);
        Try.each("leaves", x -> Subroutines46.leaves(x), SOME);
        Try.each("leaves", x -> Subroutines45.leaves(x), SOME);
        //= Subroutines49.falls(I)I 3 0
        //= Subroutines48.falls(I)I 3 0
        //= Subroutines46.falls(I)I 3 0
        //= Subroutines45.falls(I)I 3 0
        Try.each("falls", x -> Subroutines49.falls(x), SOME);
        Try.each("falls", x -> Subroutines48.falls(x), SOME);
        Try.each("falls", x -> Subroutines46.falls(x), SOME);
        Try.each("falls", x -> Subroutines45.falls(x), SOME);
        //= Subroutines49.dead(I)I 3 0
        //= Subroutines48.dead(I)I 3 0
        //= Subroutines46.dead(I)I 3 0
        //= Subroutines45.dead(I)I 3 0
        Try.each("dead", x -> Subroutines49.dead(x), SOME);
        Try.each("dead", x -> Subroutines48.dead(x), SOME);
        Try.each("dead", x -> Subroutines46.dead(x), SOME);
        Try.each("dead", x -> Subroutines45.dead(x), SOME);
        //= Subroutines45.<init>()V 1 0
        //= Subroutines45.toString()Ljava/lang/String; 1 0
        Try.show("object", () -> new Subroutines45());

        //= StackMap49.loop(I)I 4 3
        //= StackMap45.loop(I)I 4 3
        //= StackMap49.made(I)Ljava/lang/String; 2 0
        //= StackMap45.made(I)Ljava/lang/String; 2 0
        Try.each("stack map", x -> StackMap49.loop(x), 5, 0, 1, -1);
        Try.each("stack map", x -> StackMap45.loop(x), 5, 0, 1, -1);
        Try.each("stack map", x -> StackMap49.made(x), 0, 1);
        Try.each("stack map", x -> StackMap45.made(x), 0, 1);

        //= DeadCode49.run(I)I 3 1
        Try.each("dead 49", x -> DeadCode49.run(x), 5, 0, -3);
        //= OldBackwards48.<init>(I)V 5 3
        //= OldBackwards50.<init>(I)V 5 3
        Try.each("backwards", x -> new OldBackwards48(x).value, 5, 0, 3, -1, 9);
        Try.each("backwards", x -> new OldBackwards50(x).value, 5, 0, 3, -1, 9);
        //= OldBothPhases.<init>(I)V 4 3 or skipped
        //= OldBothPhases.run(I)I 2 1
        Try.each("both phases", x -> new OldBothPhases(x).value, 5, 0, 3, -1);
        Try.each("both phases", x -> OldBothPhases.run(x), 5, 0);
        //= OldConstructors.<init>(I)V 4 2
        //= OldFinally.<init>(I)V 3 2
        //= DelegateBase.<init>(I)V 18 5
        Try.each("constructor", x -> new OldConstructors(x).value, 6, 2, 0, -2);
        Try.each("finally in constructor", x -> new OldFinally(x).value, 6, 0, -1);
        // 45.2, where parts of Code are shorter: VMs since 11 refuse it, in words that must stay
        Try.show("short code", () -> {
            try (InputStream in = OldClasses.class.getResourceAsStream("/broken/ShortCode.class")) {
                return MethodHandles.lookup().defineClass(in.readAllBytes());
            }
        });

        //= FiftyFramed.run(I)I 4 1
        //= FiftyBare.run(I)I 4 1
        //= FiftyWrong.run(I)I 4 1
        Try.each("50 framed", x -> FiftyFramed.run(x), 5, 0, -3, 101);
        Try.each("50 bare", x -> FiftyBare.run(x), 5, 0, -3, 101);
        Try.each("50 wrong", x -> FiftyWrong.run(x), 5, 0, -3, 101);
        // Twice: what could not be linked is linked again.
        for (String version : new String[] {"50", "49", "50", "49"}) {
            Try.show("subroutine at the end", () -> Class.forName("cases.SubroutineAtTheEnd" + version).getDeclaredMethods().length);
        }
        Try.each("subroutine at the end", x -> SubroutineAtTheEnd50.run(x) + SubroutineAtTheEnd49.other(x), 5, 6);
    }
}
