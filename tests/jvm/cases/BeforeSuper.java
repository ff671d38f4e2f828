package cases;

import support.Try;

/** Generated constructors: branches, loops and handlers around the delegate call (see GenConstructors). */
public class BeforeSuper {
    //= DelegateBase.<init>(I)V 39 10
    public static void main(String[] args) {
        //= DelegateBranches.<init>(I)V 5 2
        //= DelegateBranches.<init>(Ljava/lang/String;)V 1 0
        Try.each("branches", x -> new DelegateBranches(x).value, 0, 1, 5, 7, -1);
        //= DelegateHandler.<init>(Ljava/lang/String;)V 4 2
        Try.show("handler", () -> new DelegateHandler("12").value);
        Try.show("handler", () -> new DelegateHandler("x").value);
        Try.show("handler", () -> new DelegateHandler(null).value);
        Try.show("handler", () -> new DelegateHandler("-12").value);
        //= DelegateLoop.<init>(II)V 5 1
        Try.each("loop", x -> new DelegateLoop(x, 2).value, 0, 1, 2, 3);
        Try.show("loop", () -> new DelegateLoop(5, -30).value);
        //= DelegateMoved.<init>(I)V 3 2
        Try.each("moved", x -> new DelegateMoved(x).value, 3, 6, -1);
        //= DelegateMoved.<init>(J)V 2 1
        Try.show("moved", () -> new DelegateMoved(8L).value);
        Try.show("moved", () -> new DelegateMoved(0L).value);
        //= DelegateNested.<init>(IZ)V 3 2
        //= DelegateNested.<init>(I)V 4 2
        //= DelegateNested.<init>()V 1 0
        Try.show("nested", () -> new DelegateNested(3, true).value);
        Try.show("nested", () -> new DelegateNested(-3, true).value);
        Try.show("nested", () -> new DelegateNested(3, false).value);
        Try.show("nested", () -> new DelegateNested().value);
        //= DelegateFirst49.<init>(I)V 4 3
        //= DelegateFirst52.<init>(I)V 4 3
        Try.each("first", x -> new DelegateFirst49(x).value, 3, 1, -1, 7);
        Try.each("first", x -> new DelegateFirst52(x).value, 3, 1, -1, 7);
        //= DelegateNever.<init>()V 2 2
        Try.show("never", () -> new DelegateNever());
        Try.show("never", () -> new DelegateNever());
        //= DelegateNever.<init>(Ljava/lang/Runnable;)V 1 1
        Try.show("never", () -> new DelegateNever(() -> {
            throw new IllegalStateException("way out");
        }));
        //= DelegateAround.<init>(I)V 4 2
        Try.each("around", x -> new DelegateAround(x).value, 3, 5, 0, -2);
        //= DelegateReturns.<init>(I)V 4 1
        Try.each("returns", x -> new DelegateReturns(x).value, 3, -4, -1);
    }
}
