package cases;

import support.Try;

/** Branches that no longer reach after insertion (see GenLarge). */
public class FarBranches {
    public static void main(String[] args) {
        //= LongBranches.forwardGoto(I)I 3 0
        Try.each("goto", x -> LongBranches.forwardGoto(x), 5, -5, -1003);
        //= LongBranches.forwardIfs(I)I 18 0
        for (int i = 0; i < 18; i++)
            Try.each("if " + i, x -> LongBranches.forwardIfs(x), i == 17 ? -1050 : i);
        //= LongBranches.backwardGoto(I)I 4 2
        Try.each("back goto", x -> LongBranches.backwardGoto(x), 6, 1, -4, 0);
        //= LongBranches.backwardIf(I)I 4 2
        Try.each("back if", x -> LongBranches.backwardIf(x), 6, 1, -4, -1003);
        //= LongBranches.loaded(I)Ljava/lang/String; 3 0
        Try.each("loaded", x -> LongBranches.loaded(x), 1, -1, 1007);
        //= LongBranches.guarded(I)I 4 0
        Try.each("guarded", x -> LongBranches.guarded(x), 3, 0, 20, -1009);
        //= LongBranches.small(I)I 2 1
        Try.each("small", x -> LongBranches.small(x), 3, 0);
        //= CascadingBranches.run(I)I 6 0
        Try.each("cascade", x -> CascadingBranches.run(x), 100, 139, 1, 2, 50, -1001);
        //= LongSubroutine.run(I)I 2 0
        Try.each("subroutine", x -> LongSubroutine.run(x), 5, -2003);
        //= WideConstructor.<init>(I)V 3 1
        //= DelegateBase.<init>(I)V 3 0
        Try.each("constructor", x -> new WideConstructor(x).value, 5, 2003, -1);
    }
}
