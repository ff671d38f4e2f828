/** Hello world in ten methods. */
public final class Ten {
    private Ten() {}

    static void m0() { System.out.print("h"); }
    static void m1() { System.out.print("e"); }
    static void m2() { System.out.print("l"); }
    static void m3() { System.out.print("l"); }
    static void m4() { System.out.print("o"); }
    static void m5() { System.out.print(" "); }
    static void m6() { System.out.print("w"); }
    static void m7() { System.out.print("o"); }
    static void m8() { System.out.print("r"); }
    static void m9() { System.out.println("ld"); }

    public static void main(String[] args) {
        m0(); m1(); m2(); m3(); m4(); m5(); m6(); m7(); m8(); m9();
    }
}
