package cases;

import java.util.*;
import java.util.stream.Collectors;

/** What the program sees of itself: stack walks, caller-sensitive calls, line numbers, loaded stack depth. */
public class Observed {
    //= walk()Ljava/util/List; 2 0
    //= lambda$walk$* >=2 0
    static List<String> walk() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(frames ->
                frames.map(f -> f.getClassName() + "." + f.getMethodName() + ":" + f.getLineNumber())
                        .collect(Collectors.toList()));
    }

    //= depth(I)I 4 0
    static int depth(int n) {
        return n == 0 ? new Throwable().getStackTrace().length : depth(n - 1);
    }

    static class Site {
        final String where;

        //= $Site.<init>(Z)V 2 1
        Site(boolean fail) {
            this(fail
                    ? Integer.parseInt("x")
                    : 1);
        }

        //= $Site.<init>(I)V 1 0
        Site(int i) {
            StackTraceElement[] t = new Throwable().getStackTrace();
            where = t[0] + " " + t[1] + " " + t.length;
        }
    }

    //= lines(I)Ljava/lang/String; 6 6
    static String lines(int i) {
        Object[] a = i == 0 ? null : new Object[i];
        if (i < 4)
            a[2] = "two"
                    + a[1].hashCode();
        for (int k = 0; k < i; k++)
            if (k == 4)
                a[0].toString();
        return a[3]
                .toString();
    }

    //= caller()Ljava/lang/String; 1 0
    static String caller() throws Exception {
        return Class.forName("cases.Observed$Site").getName()
                + StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).getCallerClass()
                + java.lang.invoke.MethodHandles.lookup();
    }

    //= ok()Ljava/lang/String; 1 0
    static String ok() {
        return "ok";
    }

    //= lambda$main$* >=0 *
    public static void main(String[] args) throws Exception {
        System.out.println(walk());
        new ArrayList<>(List.of(1)).forEach(x -> System.out.println(walk().stream()
                .filter(s -> s.startsWith("cases.")).collect(Collectors.toList())));
        System.out.println(depth(3));
        System.out.println(new Site(false).where);
        try {
            new Site(true);
        } catch (NumberFormatException e) {
            for (StackTraceElement s : e.getStackTrace())
                if (s.getClassName().startsWith("cases"))
                    System.out.println(s);
        }
        for (int i = 0; i < 6; i++)
            try {
                System.out.println(i == 4 ? ok() + lines(i) : lines(i));
            } catch (RuntimeException e) {
                System.out.println(e.getClass().getSimpleName() + " " + e.getStackTrace()[0] + " "
                        + e.getStackTrace().length + " " + e.getMessage());
            }
        System.out.println(caller());
    }
}
