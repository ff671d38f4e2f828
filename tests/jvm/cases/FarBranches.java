package cases;

import support.Try;

/** Branches that no longer reach after insertion (see GenLarge); with huge=yes, else these methods are kept. */
public class FarBranches {
    public static void main(String[] args) {
        //=huge LongBranches.forwardGoto(I)I 3 0
        //=kept LongBranches.forwardGoto(I)I kept
        Try.each("goto", x -> LongBranches.forwardGoto(x), 5, -5, -1003);
        //=huge LongBranches.forwardIfs(I)I 18 0
        //=kept LongBranches.forwardIfs(I)I kept
        for (int i = 0; i < 18; i++)
            Try.each("if " + i, x -> LongBranches.forwardIfs(x), i == 17 ? -1050 : i);
        //=huge LongBranches.backwardGoto(I)I 4 2
        //=kept LongBranches.backwardGoto(I)I kept
        Try.each("back goto", x -> LongBranches.backwardGoto(x), 6, 1, -4, 0);
        //=huge LongBranches.backwardIf(I)I 4 2
        //=kept LongBranches.backwardIf(I)I kept
        Try.each("back if", x -> LongBranches.backwardIf(x), 6, 1, -4, -1003);
        //=huge LongBranches.loaded(I)Ljava/lang/String; 3 0
        //=kept LongBranches.loaded(I)Ljava/lang/String; kept
        Try.each("loaded", x -> LongBranches.loaded(x), 1, -1, 1007);
        //=huge LongBranches.guarded(I)I 4 0
        //=kept LongBranches.guarded(I)I kept
        Try.each("guarded", x -> LongBranches.guarded(x), 3, 0, 20, -1009);
        //= LongBranches.small(I)I 2 1
        Try.each("small", x -> LongBranches.small(x), 3, 0);
        //=huge CascadingBranches.run(I)I 6 0
        //=kept CascadingBranches.run(I)I kept
        Try.each("cascade", x -> CascadingBranches.run(x), 100, 139, 1, 2, 50, -1001);
        //=huge LongSubroutine.run(I)I 2 0
        //=kept LongSubroutine.run(I)I kept
        Try.each("subroutine", x -> LongSubroutine.run(x), 5, -2003);
        //=huge WideConstructor.<init>(I)V 3 1
        //=kept WideConstructor.<init>(I)V kept
        //= DelegateBase.<init>(I)V 3 0
        Try.each("constructor", x -> new WideConstructor(x).value, 5, 2003, -1);
    }
}
