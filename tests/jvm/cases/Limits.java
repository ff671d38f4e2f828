package cases;

import support.Try;

/** Methods at the limits of max_locals, max_stack, the exception table and the number of arguments. */
public class Limits {
    public static void main(String[] args) throws Throwable {
        // no new local fits behind the last one, or not enough of them
        //= LocalsAtTheLimit.locals65535(I)I 2 1 or skipped
        //= LocalsAtTheLimit.locals65534(I)I 2 1 or skipped
        //= LocalsAtTheLimit.locals65533(I)I 2 1 or skipped
        //= LocalsAtTheLimit.locals65500(I)I 2 1
        Try.each("locals", x -> LocalsAtTheLimit.locals65535(x), 5, -1);
        Try.each("locals", x -> LocalsAtTheLimit.locals65534(x), 5, -1);
        Try.each("locals", x -> LocalsAtTheLimit.locals65533(x), 5, -1);
        Try.each("locals", x -> LocalsAtTheLimit.locals65500(x), 5, -1);

        //= StackAtTheLimit.stack6000(I)I 2 0
        //= StackAtTheLimit.stack100(I)I 2 0
        //= StackAtTheLimit.declared(I)I 2 1 or skipped
        Try.each("stack", x -> StackAtTheLimit.stack6000(x), 5, -1);
        Try.each("stack", x -> StackAtTheLimit.stack100(x), 5, -1);
        Try.each("declared", x -> StackAtTheLimit.declared(x), 5, 0);

        //= ManyHandlers.handlers65535(I)I 2 1 or skipped
        //= ManyHandlers.handlers65000(I)I 2 1
        Try.each("handlers", x -> ManyHandlers.handlers65535(x), 5, 0);
        Try.each("handlers", x -> ManyHandlers.handlers65000(x), 5, 0);

        //= ManyArguments.ints(*)I 2 1
        //= ManyArguments.longs(*)J 2 1
        //= ManyArguments.<init>(*)V 2 1
        Object[] ints = new Object[255], longs = new Object[128], init = new Object[254];
        for (int i = 0; i < 255; i++) {
            ints[i] = i;
            if (i < 127)
                longs[i] = (long) i * 1000;
            if (i < 254)
                init[i] = i;
        }
        for (int last = 2; last >= 0; last -= 2) {
            ints[254] = longs[127] = last;
            init[252] = last;
            for (String m : new String[] {"ints", "longs"})
                for (java.lang.reflect.Method method : ManyArguments.class.getMethods())
                    if (method.getName().equals(m))
                        Try.show(m, () -> {
                            try {
                                return method.invoke(null, m.equals("ints") ? ints : longs);
                            } catch (java.lang.reflect.InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
            Try.show("init", () -> {
                try {
                    return ManyArguments.class.getConstructors()[0].newInstance(init).getClass();
                } catch (java.lang.reflect.InvocationTargetException e) {
                    throw e.getCause();
                }
            });
        }
    }
}
