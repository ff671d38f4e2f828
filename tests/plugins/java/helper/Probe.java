package com.acme.probe;

/** The helper of the plug-in `helper`. */
public final class Probe {
    private Probe() {}

    public static void called(int number, String text, Object self) {
        System.out.println("called " + number + " " + text + " " + (self == null ? null : self.getClass().getName()));
    }

    public static long returned(long result, long elapsed) {
        System.out.println("returned " + result + " " + (elapsed >= 0));
        return result;
    }

    public static void thrown(Throwable thrown, byte b, double d, float f, char c, boolean z, int[] array) {
        System.out.println("thrown " + thrown.getMessage() + " " + b + " " + d + " " + f + " " + c + " " + z + " " + array.length);
    }

    public static void fails(Object any) {
        throw new IllegalStateException("of the helper");
    }

    public static void deep() {
        deep();
    }

    public static void runs(Object runnable) {
        System.out.println("runs");
        ((Runnable) runnable).run();
    }

    public static void bit(int index) {
        System.out.println("bit " + index);
    }
}
