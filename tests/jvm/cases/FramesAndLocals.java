package cases;

import support.Try;

/** Generated methods whose locals and frames are unusual (see GenFrames). */
public class FramesAndLocals {
    static class Fixed {
        //= $Fixed.<init>()V 2 0
        //= $Fixed.hashCode()I 1 0
        @Override
        public int hashCode() {
            return 40;
        }
    }

    public static void main(String[] args) {
        //= StoredAtTheEnd.object(I)I 3 0
        //= StoredAtTheEnd.number(I)I 3 0
        //= StoredAtTheEnd.noted(I)I 3 0
        //= StoredAtTheEnd.<init>()V 4 0
        Try.each("stored object", x -> StoredAtTheEnd.object(x), -1, 0, 1);
        Try.each("stored number", x -> StoredAtTheEnd.number(x), -1, 0, 1);
        Try.each("noted", x -> StoredAtTheEnd.noted(x), -1, 0, 1);
        //= OverwrittenArguments.mix(JDILjava/lang/Object;)J 3 2
        //= OverwrittenArguments.half(J)I 2 0
        //= OverwrittenArguments.wide(Ljava/lang/String;I)D 2 0
        //= OverwrittenArguments.<init>()V 1 0
        //= OverwrittenArguments.lost(I)I 3 2
        Try.show("mix", () -> OverwrittenArguments.mix(7, 2.5, 3, new Fixed()));
        Try.show("mix", () -> OverwrittenArguments.mix(7, 2.5, -3, new Fixed()));
        Try.show("mix", () -> OverwrittenArguments.mix(7, 2.5, 3, null));
        Try.each("half", x -> OverwrittenArguments.half(x * 1000000000000L), 1, -1);
        Try.each("wide", x -> OverwrittenArguments.wide("s", x), 4, 0);
        OverwrittenArguments o = new OverwrittenArguments();
        Try.each("lost", x -> o.lost(x), -4, 1, 5);

        //= TrailingTop.run(I)I 7 2
        Try.each("top", x -> TrailingTop.run(x), -1, 1, 11, 15, 21, 31, 10);

        //= UninitializedTypes.onStack(Z)Ljava/lang/String; 2 0
        //= UninitializedTypes.inLocals(I)Ljava/lang/String; 3 0
        //= UninitializedTypes.two(I)I 3 1
        //= UninitializedTypes.atZero(I)I 2 0
        Try.each("stack", x -> UninitializedTypes.onStack(x == 0), 0, 1);
        Try.each("locals", x -> UninitializedTypes.inLocals(x), 1, 2, 0);
        Try.each("two", x -> UninitializedTypes.two(x), -1, 70000, 3);
        Try.each("zero", x -> UninitializedTypes.atZero(x), 0, 6);

        //= DeadCode.run(I)I 3 2
        //= DeadCode.handler(I)V 1 0
        Try.each("dead", x -> DeadCode.run(x), 4, -4, 0);
        Try.each("dead", x -> {
            DeadCode.handler(x);
            return x;
        }, 1);

        //= ManyLocals.run(I)J 3 1
        Try.each("many", x -> ManyLocals.run(x), 0, 5, -1);

        //= EmptyFrames.run(JID)I 3 0
        //= EmptyFrames.dimensions(I)I 4 3
        Try.each("empty", x -> EmptyFrames.run(1, x, 2.5), 0, 1, 5);
        Try.each("dimensions", x -> EmptyFrames.dimensions(x), 0, 1, 2, 7);

        //= FrameForms.forms0(I)I 4 1
        //= FrameForms.forms70(I)I 4 1
        Try.each("forms", x -> FrameForms.forms0(x), 1, 0, -1, 2);
        Try.each("forms", x -> FrameForms.forms70(x), 1, 0, -1, 2);

        //= WholeMethod.caught(I)I 5 0
        //= WholeMethod.retry(I)I 3 0
        //= WholeMethod.nested(I)I 2 0
        //= WholeMethod.nothing()V 3 0
        //= WholeMethod.jumpToReturn(I)V 3 1
        //= WholeMethod.spin(I)V 2 0
        Try.each("caught", x -> WholeMethod.caught(x), 1, 0, 3);
        Try.each("retry", x -> WholeMethod.retry(x), 0, 3, 10);
        Try.each("nested", x -> WholeMethod.nested(x), 0, 5);
        for (int i = 0; i < 3; i++)
            WholeMethod.nothing();
        Try.each("jump", x -> {
            WholeMethod.jumpToReturn(x);
            return x;
        }, 0, 1, -1);
        WholeMethod.spin(100000);
        WholeMethod.spin(0);

        //= DeepReturns.ints(I)I 2 0
        //= DeepReturns.longs(J)J 2 1
        //= DeepReturns.covered(I)F 2 0
        //= DeepReturns.voids(I)V 2 0
        Try.each("deep", x -> DeepReturns.ints(x), 5, -5);
        Try.each("deep", x -> DeepReturns.longs(x), 5, -5);
        Try.each("deep", x -> DeepReturns.covered(x), 2, 0);
        Try.each("deep", x -> {
            DeepReturns.voids(x);
            return x;
        }, 1, 0);
    }
}
