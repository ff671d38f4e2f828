package cases;

import support.Try;

/** Loadable constants of every kind and bootstrap methods that are instrumented themselves (see GenConstants). */
public class DynamicConstants {
    public static void main(String[] args) {
        //= LoadedConstants.condy(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;I)Ljava/lang/Object; 2 1
        //= LoadedConstants.wide(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;)J 1 0
        //= LoadedConstants.indy(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/CallSite; 1 0
        //= LoadedConstants.target(IJ)J 7 3
        //= LoadedConstants.dynamic()Ljava/lang/Object; 3 0
        //= LoadedConstants.dynamicLong(I)J 2 1
        //= LoadedConstants.failing()Ljava/lang/Object; 2 2
        //= LoadedConstants.called(IJ)J 3 1
        //= LoadedConstants.type()Ljava/lang/String; 1 0
        //= LoadedConstants.handle(IJ)J 4 2
        for (int i = 0; i < 3; i++)
            Try.show("dynamic", () -> LoadedConstants.dynamic());
        Try.each("long", x -> LoadedConstants.dynamicLong(x), 1024, 0);
        for (int i = 0; i < 2; i++)
            Try.show("failing", () -> LoadedConstants.failing());
        Try.each("called", x -> LoadedConstants.called(x, 100), 7, 0, 3);
        Try.show("type", () -> LoadedConstants.type());
        Try.each("handle", x -> LoadedConstants.handle(x, 100), 7, 0, 3, 0);
    }
}
