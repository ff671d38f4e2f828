package cases;

import java.util.Collections;
import support.Try;

/** Generated switches at every padding, dup forms, array instructions and jumps (see GenCode). */
public class Instructions {
    public static void main(String[] args) {
        int[] table = {-1, 0, 1, 2, 3, -2};
        //= AnnotatedBehind.run(I)I 2 1
        Try.each("annotated", x -> AnnotatedBehind.run(x), 5, 0);
        //= SwitchPaddings.table0(I)I 6 3
        //= SwitchPaddings.table1(I)I 6 3
        //= SwitchPaddings.table2(I)I 6 3
        //= SwitchPaddings.table3(I)I 6 3
        Try.each("t0", x -> SwitchPaddings.table0(x), table);
        Try.each("t1", x -> SwitchPaddings.table1(x), table);
        Try.each("t2", x -> SwitchPaddings.table2(x), table);
        Try.each("t3", x -> SwitchPaddings.table3(x), table);
        int[] keys = {Integer.MIN_VALUE, -5, 0, 7, Integer.MAX_VALUE, 1};
        //= SwitchPaddings.lookup0(I)I 6 1
        //= SwitchPaddings.lookup1(I)I 6 1
        //= SwitchPaddings.lookup2(I)I 6 1
        //= SwitchPaddings.lookup3(I)I 6 1
        Try.each("l0", x -> SwitchPaddings.lookup0(x), keys);
        Try.each("l1", x -> SwitchPaddings.lookup1(x), keys);
        Try.each("l2", x -> SwitchPaddings.lookup2(x), keys);
        Try.each("l3", x -> SwitchPaddings.lookup3(x), keys);
        //= SwitchPaddings.back(I)I 2 0
        Try.each("back", x -> SwitchPaddings.back(x), 1, 1000);

        //= DupForms.ints(IIII)I 2 1
        //= DupForms.overLong(JI)J 1 0
        //= DupForms.longs(JJ)J 2 1
        //= DupForms.longOverInts(IIJ)J 1 0
        //= DupForms.intsOverLong(JII)J 1 0
        //= DupForms.longOverInt(IJ)J 2 1
        //= DupForms.doubles(DD)D 1 0
        //= DupForms.pops(IJLjava/lang/Object;)I 2 1
        Try.show("ints", () -> DupForms.ints(7, 3, 2, 9));
        Try.show("ints", () -> DupForms.ints(0, 3, 2, 9));
        Try.show("overLong", () -> DupForms.overLong(1L << 33, 5));
        Try.show("longs", () -> DupForms.longs(1L << 40, 3));
        Try.show("longs", () -> DupForms.longs(3, 3));
        Try.show("longOverInts", () -> DupForms.longOverInts(2, 3, 1L << 34));
        Try.show("intsOverLong", () -> DupForms.intsOverLong(100, 7, 8));
        Try.show("longOverInt", () -> DupForms.longOverInt(70, 7));
        Try.show("longOverInt", () -> DupForms.longOverInt(70, 0));
        Try.show("doubles", () -> DupForms.doubles(1.5, 2.5));
        Try.show("pops", () -> DupForms.pops(50, 7, 9));
        Try.show("pops", () -> DupForms.pops(50, 7, null));

        //= ArrayCode.cube(III)I 3 2
        //= ArrayCode.partial(I)Ljava/lang/Object; 1 0
        //= ArrayCode.kinds(Ljava/lang/Object;)Z 3 1
        Try.show("cube", () -> ArrayCode.cube(2, 3, 4));
        Try.show("cube", () -> ArrayCode.cube(2, -3, 4));
        Try.show("cube", () -> ArrayCode.cube(2, 3, 0));
        Try.show("partial", () -> ArrayCode.partial(5).getClass());
        Try.show("kinds", () -> ArrayCode.kinds(new int[][] {{1, 1}}));
        Try.show("kinds", () -> ArrayCode.kinds(new byte[] {1}));
        Try.show("kinds", () -> {
            try {
                return ArrayCode.kinds("no array");
            } catch (ClassCastException e) {
                return "not cast";
            }
        });

        //= Jumps.all(IILjava/lang/Object;Ljava/lang/Object;)I 12 0
        //= Jumps.list(Ljava/util/List;I)Ljava/lang/Object; 2 1
        Object o = "o";
        for (int x = -1; x < 2; x++) {
            int v = x;
            Try.each("jumps " + x, y -> Jumps.all(v, y, o, o) + Jumps.all(v, y, v < 0 ? null : o, "p"), 0, 1);
        }
        Try.each("list", x -> Jumps.list(Collections.singletonList("first"), x), 0, 1);
    }
}
