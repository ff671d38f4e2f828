package cases;

import java.lang.invoke.*;

/** Method handles and var handles on instrumented methods. */
public class Handles {
    int state = 1;

    //= <init>()V 1 0
    //= <init>(I)V 21 1
    Handles(int state) {
        if (state < 0)
            throw new IllegalArgumentException("negative state");
        this.state = state;
    }

    Handles() {}

    //= twice(J)J 151 0
    static long twice(long x) {
        return x * 2;
    }

    //= add(I)I 140 10
    int add(int x) {
        if (x > 129)
            throw new ArithmeticException("too big");
        return state + x;
    }

    //= hide(I)Z 30 0
    private boolean hide(int x) {
        return (x & 1) == 0;
    }

    //= recover(Ljava/lang/ArithmeticException;Lcases/Handles;I)I 10 0
    static int recover(ArithmeticException e, Handles self, int x) {
        return -1;
    }

    static class Sub extends Handles {
        //= $Sub.<init>()V 1 0
        //= $Sub.add(I)I 0 0
        @Override
        int add(int x) {
            return -1000;
        }

        //= $Sub.superAdd()Ljava/lang/invoke/MethodHandle; 1 0
        static MethodHandle superAdd() throws Exception {
            return MethodHandles.lookup().findSpecial(
                    Handles.class, "add", MethodType.methodType(int.class, int.class), Sub.class);
        }
    }

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup l = MethodHandles.lookup();
        MethodHandle twice = l.findStatic(Handles.class, "twice", MethodType.methodType(long.class, long.class));
        long sum = 0;
        for (int i = 0; i < 100; i++)
            sum += (long) twice.invokeExact((long) i);
        for (int i = 0; i < 50; i++)
            sum += (long) twice.invoke(i);
        sum += (Long) twice.invokeWithArguments(21L);

        MethodHandle make = l.findConstructor(Handles.class, MethodType.methodType(void.class, int.class));
        Handles h = (Handles) make.invokeExact(5);
        for (int i = 0; i < 19; i++)
            sum += ((Handles) make.invoke(i)).state;
        try {
            make.invoke(-1);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }

        MethodHandle add = l.findVirtual(Handles.class, "add", MethodType.methodType(int.class, int.class));
        MethodHandle bound = add.bindTo(h);
        for (int i = 0; i < 100; i++)
            sum += (int) bound.invokeExact(i);
        MethodHandle special = Sub.superAdd();
        Sub sub = new Sub();
        for (int i = 0; i < 10; i++)
            sum += (int) special.invokeExact(sub, i);
        MethodHandle recover = l.findStatic(Handles.class, "recover",
                MethodType.methodType(int.class, ArithmeticException.class, Handles.class, int.class));
        MethodHandle safe = MethodHandles.catchException(add, ArithmeticException.class, recover);
        for (int i = 0; i < 30; i++)
            sum += (int) safe.invokeExact(h, i + 110);

        MethodHandle hide = l.findVirtual(Handles.class, "hide", MethodType.methodType(boolean.class, int.class));
        MethodHandle test = MethodHandles.guardWithTest(hide.bindTo(h),
                MethodHandles.dropArguments(MethodHandles.constant(String.class, "even"), 0, int.class),
                MethodHandles.dropArguments(MethodHandles.constant(String.class, "odd"), 0, int.class));
        for (int i = 0; i < 30; i++)
            sum += ((String) test.invokeExact(i)).length();
        VarHandle state = l.findVarHandle(Handles.class, "state", int.class);
        state.setVolatile(h, 99);
        System.out.println(sum + " " + (int) state.getAndAdd(h, 1) + " " + h.state);
    }
}
