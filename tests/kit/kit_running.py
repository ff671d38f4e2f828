"""Advice in a JVM: when it is called, with what, and that what fails in it does not reach the application."""

import json
import os
import subprocess
import unittest
import zipfile

from support import AGENT, JDK, PLAIN, SHOP, Running, ShopTest


class RunningTest(ShopTest):
    def test_enter_and_exit(self):
        out, err = self.run_kit("""
            @Advice("com.acme.Shop.order(String, int)") final class Slow {
                static long enter(@Arg(1) int n, @Arg(0) String item) { System.out.println("enter " + item + n); return 7; }
                static void exit(@Enter long s, String item, @Result String r, @Thrown Throwable t) { System.out.println("exit " + s + item + r + t); }
            }""")
        self.assertEqual(err, [])
        self.assertEqual(out, ["enter tea3", "exit 7teatea!3null", "tea!3", "enter tea-1", "exit 7teanulljava.lang.IllegalStateException: n"] + PLAIN[1:])

    def test_values(self):
        out, err = self.run_kit("""
            @Advice({"com.acme.Shop.twice(..)", "com.acme.Shop.order(..)"}) final class Slow {
                static void exit(@This Object o, @AllArgs Object[] all, @Method String m) { System.out.println((o != null) + m + java.util.Arrays.asList(all)); }
            }
            @Advice("com.acme.Shop.order(..)") final class Own {
                static void thrown(@This com.acme.Shop shop, @Field("name") String name, @Thrown Throwable t) { System.out.println(name + t.getMessage()); }
            }
            @Advice("com.acme.Shop.twice(long)") final class Sum {
                static long returned(@Result long r) { return r + 1; }
            }""")
        self.assertEqual(err, [])
        self.assertEqual(out, ["truecom.acme.Shop.order(java.lang.String,int)[tea, 3]", "tea!3",
                               "truecom.acme.Shop.order(java.lang.String,int)[tea, -1]", "sn", "caught n", "caught empty",
                               "falsecom.acme.Shop.twice(long)[21]", "43"])

    def test_thousands_of_classes(self):
        count = 2000
        classes = "".join(f"final class C{n} {{ static int f(int x) {{ return C{n // 2}.g(x) + 1; }} static int g(int x) {{ return x; }} }}\n" for n in range(count))
        calls = "".join(f"sum += C{n}.f(x);" for n in range(count))
        out, err = self.run_kit("""%s
            @Advice("com.acme.Shop.twice(long)") final class Slow {
                static void enter() { int sum = 0, x = 1; %s System.out.println(sum); }
            }""" % (classes, calls))
        self.assertEqual((out, err), (PLAIN[:-1] + [str(2 * count), PLAIN[-1]], []))

    def test_all_types(self):
        self.app = self.build("types", Shop="""
            package com.acme;
            public class Shop {
                static double d(double d, float f, long l) { return d + f + l; }
                static float f(float f) { return f; }
                static boolean z(boolean z, byte b, char c, short s) { return z; }
                static int[] a(int[] a, String[][] s) { return a; }
                public static void main(String[] a) {
                    System.out.println(d(1, 2, 3) + " " + f(4) + " " + z(true, (byte) 5, 'c', (short) 6) + " " + a(new int[7], null).length);
                }
            }""")
        out, err = self.run_kit("""
            @Advice("com.acme.Shop.d(..)") final class D {
                static double enter(double d, float f, long l) { return d * 10; }
                static double returned(@Result double r, @Enter double e, @Arg(2) long l, @Arg(1) float f) { return r + e * 10 + l * 1000 + f * 10000; }
            }
            @Advice("com.acme.Shop.f(float)") final class F {
                static float enter(float f) { return f + 1; }
                static float returned(@Enter float e) { return e; }
            }
            @Advice("com.acme.Shop.z(..)") final class Z {
                static short enter(@Arg(3) short s, @Arg(2) char c, @Arg(1) byte b) { return s; }
                static boolean returned(@Enter short s, @AllArgs Object[] all) { return s != 6 || all.length != 4; }
            }
            @Advice("com.acme.Shop.a(..)") final class A {
                static int[] enter(int[] a, Object s) { return new int[a.length + 1]; }
                static Object returned(@Result Object a, @Enter int[] e) { return e; }
            }""")
        self.assertEqual((out, err), (["23106.0 5.0 false 8"], []))

    def test_constructors(self):
        out, err = self.run_kit("""
            @Advice("com.acme.Shop.<init>(..)") final class Slow {
                static void enter(@This Object o, String name) { System.out.println("<" + o + name); }
                static void exit(@This Object o, @Thrown Throwable t) { System.out.println(">" + (o != null) + t); }
            }""")
        self.assertEqual(err, [])
        self.assertEqual(out, ["<nulls", ">truenull"] + PLAIN[:2] + ["<null", ">truejava.lang.IllegalArgumentException: empty"] + PLAIN[2:])

    maxDiff = None

    def test_constructed(self):
        """Behind super() and this(), before the rest; not where super() throws; arguments as they were."""
        self.app = self.build("made", Shop="""
            package com.acme;
            public class Shop {
                static class Base {
                    final int size;
                    Base(int size) { this.size = size; if (size < 0) throw new IllegalArgumentException("size"); System.out.println("base"); }
                }
                static class Made extends Base {
                    private String name = "initial";
                    Made(String n, int k) { super(k = k + (n == null ? 1 : 2)); n = "other"; name = n; System.out.println("rest " + k); if (k > 50) throw new IllegalStateException("late"); }
                    Made(int k) { this(null, k); System.out.println("delegated"); }
                    int size() { return size; }
                }
                static class Plain { int x = 3; }
                public static void main(String[] a) {
                    System.out.println(new Made(4).size());
                    try { new Made("n", -9); } catch (IllegalArgumentException e) { System.out.println("caught " + e.getMessage()); }
                    try { new Made("n", 90); } catch (IllegalStateException e) { System.out.println("caught " + e.getMessage()); }
                    System.out.println(new Plain().x);
                }
            }""")
        out, err = self.run_kit("""
            @Advice("com.acme.Shop$Made.*(..)") final class Both {
                static int count;
                static long enter() { return ++count; }
                static void constructed(@This Object o, @Enter long e, @Field("name") String name, @Method String m, @AllArgs Object[] all) {
                    System.out.println("constructed " + o.getClass().getSimpleName() + e + name + m.substring(14) + java.util.Arrays.asList(all));
                }
                static void exit(@Enter long e, @This Object o, @Thrown Throwable t) { System.out.println("exit " + e + (o == null) + t); }
            }
            @Advice("com.acme.Shop$Plain.<init>()") final class Own {
                static void constructed(@Field("x") int x) { System.out.println("x " + x); throw new IllegalStateException(); }
            }""")
        self.assertEqual(err, ["instr: advice Own has thrown an exception, which is dropped: java.lang.IllegalStateException (in Own.constructed, line 12)"])
        self.assertEqual(out, ["base", "constructed Made2nullMade.<init>(java.lang.String,int)[null, 4]", "rest 5", "exit 2falsenull",
                               "constructed Made1otherMade.<init>(int)[4]", "delegated", "exit 1falsenull", "exit 3falsenull", "5",
                               "caught size",  # the JVM has no handlers around super()
                               "base", "constructed Made5nullMade.<init>(java.lang.String,int)[n, 90]", "rest 92",
                               "exit 5falsejava.lang.IllegalStateException: late", "caught late", "x 0", "3"])

    def test_constructed_throws_on_purpose(self):
        kits = ["kit=" + self.kit("""
            @Advice(value = "com.acme.Shop.<init>(..)", rethrow = SecurityException.class) final class Slow {
                static void enter() { System.out.println("<%s"); }
                static void constructed(String name) { System.out.println("=%s"); if (%s && name.isEmpty()) throw new SecurityException("denied"); }
                static void exit(@This Object o, @Thrown Throwable t) { System.out.println(">%s" + (o == null) + t); }
            }""" % (name, name, "true" if name == "2" else "false", name), name) for name in ("1", "2", "3")]
        self.app = self.build("denied", Shop="""
            package com.acme;
            public class Shop {
                Shop(String name) { System.out.println("rest"); }
                public static void main(String[] a) {
                    new Shop("s");
                    try { new Shop(""); } catch (SecurityException e) { System.out.println("caught " + e.getMessage()); }
                }
            }""")
        denied = "falsejava.lang.SecurityException: denied"
        out, err = self.run_shop(*kits)
        self.assertEqual((out, err), (["<1", "<2", "<3", "=1", "=2", "=3", "rest", ">3falsenull", ">2falsenull", ">1falsenull",
                                       "<1", "<2", "<3", "=1", "=2", ">3" + denied, ">2" + denied, ">1" + denied, "caught denied"], []))

    def test_constructed_is_for_constructors(self):
        out, err = self.run_kit("""
            @Advice("com.acme.Shop.twice(..)") final class Slow {
                static void constructed() { }
            }""")
        self.assertEqual(out, PLAIN)
        self.assertTrue(any("Slow.java:4: constructed: is called in constructors only" in line for line in err), err)

    def test_skipped_methods(self):
        out, err = self.run_kit("""
            @Advice("com.acme.Shop.twice(long)") final class Outer {
                static void enter() { System.out.println("<outer"); }
                static void exit(@Result long r) { System.out.println(">outer " + r); }
            }
            @Advice("com.acme.Shop.*(long)") final class Slow {
                @Skip static boolean enter(long x) { System.out.println("skip"); return x == 21; }
                static long returned(@Result long r, @Enter boolean e) { System.out.println("returned " + r + e); return r + 5; }
                static void exit(@Result long r, @Thrown Throwable t) { System.out.println("exit " + r + t); }
            }
            @Advice("com.acme.Shop.tw*(long)") final class Within {
                static void enter() { System.out.println("never"); }
                static void exit() { System.out.println("never"); }
            }
            @Advice("com.acme.Shop.order(..)") final class Cached {
                @Skip static String enter(@Arg(1) int n) { return n < 0 ? null : "cached" + n; }
                static String returned(@Enter String s, @Result String r) { return s == null ? r : s; }
            }""")
        self.assertEqual(err, [])
        self.assertEqual(out, ["cached3", "caught n", "caught empty", "<outer", "skip", "returned 0true", "exit 5null", ">outer 5", "5"])

    def test_skipped_methods_leave_the_timers_of_other_passes(self):
        kit = self.kit("""
            @Advice("com.acme.Shop.s*()") final class Slow {
                @Skip static boolean enter() { return true; }
            }""")
        self.app = self.build("skipped", Shop="""
            package com.acme;
            public class Shop {
                static synchronized int stock() { synchronized (Shop.class) { return 5; } }
                static void stop() { throw new SecurityException(); }
                public static void main(String[] a) { for (int i = 0; i < 3; i++) { stop(); System.out.println(stock() + " " + Thread.holdsLock(Shop.class)); } }
            }""")
        for first in ("timing", "kit"):
            options = ["timing", "kit=" + kit] if first == "timing" else ["kit=" + kit, "timing"]
            out, _ = self.run_shop(*options, "timing.file=" + self.path("times.json"), "include=com.acme.**")
            with open(self.path("times.json"), encoding="utf-8") as file:
                counts = {m["method"]: m["calls"] for m in json.load(file)["methods"] if m["class"].endswith("Shop")}
            self.assertEqual(out, ["0 false"] * 3)
            self.assertEqual([counts.get("stop"), counts.get("stock"), counts["main"]], [3, 3, 1] if first == "timing" else [None, None, 1], first)

    def test_skip_refuses_constructors(self):
        out, err = self.run_kit("""
            @Advice("com.acme.Shop.<init>(..)") final class Slow {
                @Skip static boolean enter() { return true; }
            }""")
        self.assertEqual(out, PLAIN)
        self.assertTrue(any("Slow.java:4: enter: a constructor cannot be skipped" in line for line in err), err)

    def test_changed_arguments(self):
        self.app = self.build("types", Shop="""
            package com.acme;
            public class Shop {
                final String all;
                Shop(String s, int n) { all = s + n; }
                static String d(double d, float f, long l, int[] a, String s) { return d + " " + f + " " + l + " " + (a == null) + s; }
                String z(boolean z, byte b, char c, short s, int i) { int k = 0; while (k < 3) { if (i > k) b++; k++; } return all + z + b + c + s + i; }
                public static void main(String[] a) {
                    System.out.println(d(1, 2, 3, a == null ? null : new int[1], "s"));
                    System.out.println(new Shop("a", 1).z(false, (byte) 5, 'c', (short) 6, 7));
                }
            }""")
        out, err = self.run_kit("""
            @Advice("com.acme.Shop.d(..)") final class D {
                static void enter(Holder<Double> d, Holder<Float> f, Holder<Long> l, Holder<int[]> a, Holder<String> s) { d.value *= 2; f.value = null; l.value++; a.value = null; s.value += "!"; }
                static void exit(double d, float f, @Arg(4) String s) { System.out.println(d + " " + f + s); }
            }
            @Advice("com.acme.Shop.z(..)") final class Z {
                @SuppressWarnings({"rawtypes", "unchecked"})
                static void enter(@This Object o, Holder<Boolean> z, Holder<Byte> b, Holder<Character> c, Holder<Short> s, @Arg(4) Holder i) { z.value = true; b.value++; c.value++; s.value++; i.value = "no int"; }
            }
            @Advice("com.acme.Shop.<init>(..)") final class I {
                static void enter(Holder<Object> s, Holder<Object> n) { s.value = new int[0]; n.value = 2; }
                static void exit(@AllArgs Object[] all) { System.out.println(java.util.Arrays.asList(all)); }
            }""")
        self.assertEqual(err, [f"instr: advice {name} replaces a value by one of another type, {type}, which is dropped"
                               for name, type in (("D", "null"), ("I", "[I"), ("Z", "java.lang.String"))])
        self.assertEqual(out, ["2.0 2.0s!", "2.0 2.0 4 trues!", "[a, 2]", "a2true9d77"])

    def test_what_advice_throws_is_dropped_and_reported_once(self):
        for thrown in ("new RuntimeException()", "new StackOverflowError()", "new OutOfMemoryError()", "new Exception()"):
            out, err = self.run_shop("kit=" + self.kit("""
                @Advice("com.acme.Shop.*(..)") final class Slow {
                    static void enter() throws Throwable { throw %s; }
                    static long returned(@Result long r) throws Throwable { throw %s; }
                    static void exit() throws Throwable { throw %s; }
                }""".replace("static long returned(@Result long r)", "static void returned()") % (thrown, thrown, thrown), thrown))
            self.assertEqual(out, PLAIN)
            name = "java.lang." + thrown[4:-2]
            self.assertEqual(err, [f"instr: advice Slow has thrown an exception, which is dropped: {name} (in Slow.enter, line 4)"])

    def test_methods_without_locals(self):
        self.app = self.build("none", Shop="""
            package com.acme;
            public class Shop {
                static int stock() { return 5; }
                static void stop() { throw new SecurityException("own"); }
                public static void main(String[] a) { System.out.println(stock()); try { stop(); } catch (SecurityException e) { } }
            }""")
        out, err = self.run_kit("""
            @Advice("com.acme.Shop.sto*()") final class Slow {
                static void thrown(@Thrown Throwable t) { System.out.println(t.getMessage()); }
                static void returned() { System.out.println("returned"); }
            }""")
        self.assertEqual((out, err), (["returned", "5", "own"], []))

    def test_a_result_stays_where_advice_cannot_replace_it(self):
        out, err = self.run_kit("""
            @Advice({"com.acme.Shop.twice(..)"}) final class Slow {
                static long returned(@Result long r) { throw new IllegalStateException(); }
            }
            @Advice("com.acme.Shop.order(..)") final class Text {
                static String returned(@Result String r) { throw new IllegalStateException(); }
            }
            @Advice(value = "com.acme.Shop.order(..)", calls = true, callers = "com.acme.Shop") final class Call {
                static Object returned(@Result Object r, String item) { throw new LinkageError(); }
            }""")
        self.assertEqual(out, PLAIN)
        self.assertEqual(len(err), 3, err)

    def test_an_advice_that_does_not_fit_leaves_the_others(self):
        """At the same method, and at calls in it. A method in which none fits is skipped."""
        kit = self.kit("""
            @Advice("com.acme.Shop.*(..)") final class Slow {
                static String enter(@Method String m) { return m.substring(14); }
                static void exit(@Enter String m) { System.out.println("all " + m); }
            }
            @Advice({"com.acme.Shop.twice(..)", "com.acme.Shop.order(..)"}) final class Texts {
                static void enter(String first) { System.out.println("text " + first); }
            }
            @Advice("com.acme.Shop.twice(..)") final class Sum {
                static long returned(@Result long r) { return r + 1; }
            }
            @Advice(value = {"com.acme.Shop.*(..)", "java.lang.*.*(..)"}, calls = true, callers = "com.acme.Shop") final class Calls {
                static void enter(@Arg(1) int n) { System.out.println("call with " + n); }
            }
            @Advice(value = "com.acme.Shop.twice(long)", calls = true, callers = "com.acme.Shop") final class Own {
                static void enter(Holder<Long> x) { x.value = x.value * 10; }
            }""")
        out, err = self.run_shop("kit=" + kit)
        order, made = ["text tea", "all order(java.lang.String,int)"], "all <init>(java.lang.String)"
        self.assertEqual(out, [made, "call with 3", *order, "tea!3", "call with -1", *order, "caught n", made, "caught empty",
                               "all twice(long)", "421", "all main(java.lang.String[])"])
        self.assertEqual([line.partition(": skipped: ")[::2] for line in err], [
            ("instr: com.acme.Shop.<init>(Ljava/lang/String;)V", "Slow.java:14: enter: parameter 1 is argument 1, which the method does not have"),
            ("instr: com.acme.Shop.twice(J)J", "Slow.java:8: enter: parameter 1 is argument 0, whose type is long"),
            ("instr: com.acme.Shop.main([Ljava/lang/String;)V", "Slow.java:14: enter: parameter 1 is argument 1, which the method does not have")])

    def test_values_of_other_types_are_dropped(self):
        """Generics and Object do not exclude them. Each advice says so once; without the agent, too."""
        self.app = self.build("wrong", Shop="""
            package com.acme;
            public class Shop {
                static Integer length(String s) { return s.length(); }
                static String name(CharSequence s) { return "name " + s; }
                static long twice(long x) { return x * 2; }
                static Integer last(String s) { return -1; }
                public static void main(String[] a) {
                    for (int i = 0; i < 2; i++) System.out.println(length("abc") + name("d") + twice(i) + last(""));
                }
            }""")
        body = """
            @Advice("com.acme.Shop.length(..)") final class Length {
                static Object returned(@Result Object r) { return "text"; }
            }
            @Advice("com.acme.Shop.name(..)") final class Name {
                static void enter(Holder<Object> s) { s.value = 7; }
            }
            @Advice("com.acme.Shop.twice(..)") final class Twice {
                static void enter(Holder<Long> x) { x.value = null; }
            }
            @Advice(value = "com.acme.Shop.last(..)", calls = true, callers = "com.acme.*") final class Last {
                @Instead static Object last() { return 'c'; }
                static Object returned(@Result Object r) { return r; }
            }"""
        out, err = self.run_kit(body)
        self.assertEqual(out, ["3name d0-1", "3name d2-1"])
        said = [f"instr: advice {name} replaces a value by one of another type, {type}, which is dropped"
                for name, type in (("Length", "java.lang.String"), ("Name", "java.lang.Integer"), ("Twice", "null"), ("Last", "java.lang.Character"))]
        self.assertEqual(err, said)
        self.tool("rewrite", "kit=" + self.path("kit.jar"), self.app, "-o", self.path("out.jar"))
        done = self.java("-cp", self.path("out.jar"), "com.acme.Shop")
        self.assertEqual((done.stdout.splitlines(), done.stderr.splitlines()), (out, said))

    def test_values_of_classes_that_are_not_accessible(self):
        """What an advice gives back as it was is not cast."""
        self.write("shop/lib/Lib.java", """
            package lib;
            public abstract class Lib {
                public static Hidden make() { return new Open(); }
                public static String take(Hidden h) { return "took " + h; }
                public abstract Hidden get();
                public static class Open extends Hidden { @Override public String toString() { return "open"; } }
            }
            class Hidden { }""")
        self.write("shop/com/acme/Shop.java", """
            package com.acme;
            import lib.Lib;
            public class Shop extends Lib {
                @Override public Lib.Open get() { return new Lib.Open(); }
                public static void main(String[] a) {
                    Lib lib = new Shop();
                    System.out.println(Lib.take(Lib.make()) + Lib.take(lib.get()));
                }
            }""")
        self.app = self.jar("shop.jar", self.javac("shop-classes", self.path("shop/lib/Lib.java"), self.path("shop/com/acme/Shop.java")))
        out, err = self.run_kit("""
            @Advice("com.acme.Shop.get()") final class Get {
                static Object returned(@Result Object r) { return r; }
            }
            @Advice(value = {"lib.Lib.make()", "lib.Lib.get()"}, calls = true, callers = "com.acme.*") final class Make {
                static Object returned(@Result Object r) { return r; }
            }
            @Advice(value = "lib.Lib.take(..)", calls = true, callers = "com.acme.*") final class Take {
                static void enter(Holder<Object> h) { System.out.println("held " + h.value); }
            }""")
        self.assertEqual((out, err), (["held open", "held open", "took opentook open"], []))

    def test_state_goes_with_its_instance_and_has_a_limit(self):
        self.app = self.build("state", Shop="""
            package com.acme;
            public class Shop {
                final int number;
                Shop(int number) { this.number = number; }
                void use() { }
                static void size() { }
                public static void main(String[] a) throws Exception {
                    Shop kept = new Shop(-7);
                    for (int i = 0; i < 3000; i++) new Shop(i).use();
                    size();
                    for (int i = 0; i < 10; i++) { System.gc(); Thread.sleep(50); }
                    new Shop(-1).use();
                    size();
                    kept.use();
                }
            }""")
        out, err = self.run_kit("""
            @Advice("com.acme.Shop.*(..)") final class Uses {
                static void enter(@This Object o, @Method String m) {
                    if (m.contains("size")) System.out.println((Slow.OF.size() >= 1000) + " " + (Slow.OF.size() < 100) + " " + (Slow.OF.dropped() > 0));
                    else if (o != null && Slow.OF.get(o) != null && Slow.OF.get(o) < 0) System.out.println("use " + Slow.OF.get(o));
                }
            }
            @Advice("com.acme.Shop.<init>(int)") final class Slow {
                static final State<Integer> OF = new State<>(1600);
                static void exit(@This Object o, int number) { OF.put(o, number); }
            }""")
        line, = err
        self.assertEqual(line, "instr: a kit keeps values for 1600 instances, those not collected yet among them, as many as it has room for: values of others, such as one of com.acme.Shop, are dropped")
        self.assertEqual(out, ["true false true", "use -1", "false true true", "use -7"])

    def test_state_in_advice_that_runs_with_locks_held(self):
        """The JDK enqueues references with the lock of the queue held, which others need who put values."""
        self.app = self.build("queues", Shop="""
            package com.acme;
            public class Shop {
                static void touch(Object o) { }
                public static void main(String[] a) throws Exception {
                    Thread late = new Thread(new Runnable() { public void run() {
                        try { Thread.sleep(60000); } catch (InterruptedException e) { }
                        System.out.println("deadlock");
                        Runtime.getRuntime().halt(0);
                    } });
                    late.setDaemon(true);
                    late.start();
                    for (int i = 1; i <= 1500000; i++) { touch(new Object()); if (i % 50000 == 0) System.gc(); }
                    System.out.println("done");
                }
            }""")
        out, _ = self.run_kit("""
            final class Of { static final State<String> ALL = new State<>(); }
            @Advice("com.acme.Shop.touch(..)") final class Touch { static void enter(@Arg(0) Object o) { Of.ALL.put(o, "x"); } }
            @Advice("java.lang.ref.ReferenceQueue.enqueue0(..)") final class Enqueue { static void enter(@Arg(0) Object r) { Of.ALL.get(r); } }""")
        self.assertEqual(out[-1:], ["done"])

    def test_outermost(self):
        """One thread at a time, whatever leaves: a return, an exception, a skipped body, advice that denies; in all threads, many of them with one hash slot."""
        self.app = self.build("deep", Shop="""
            package com.acme;
            public class Shop {
                static int deep(int n) { if (n == 100) throw new IllegalStateException(); if (n == 0) return 0; try { return other(n - 1) + 1; } catch (IllegalStateException e) { return 0; } }
                static int other(int n) { return n == 50 ? deep(100) : deep(n); }
                static int total;
                public static synchronized void count() { total++; }
                static class Worker implements Runnable {
                    public void run() { for (int i = 0; i < 10; i++) { deep(3); Thread.yield(); } }
                }
                public static void main(String[] a) throws Exception {
                    System.out.println(deep(3) + other(2));
                    try { other(100); } catch (IllegalStateException e) { System.out.println("thrown"); }
                    deep(51);
                    try { deep(-1); } catch (SecurityException e) { System.out.println("denied"); }
                    deep(1);
                    Thread[] threads = new Thread[3000];
                    for (int i = 0; i < threads.length; i++) threads[i] = start(i);
                    for (Thread t : threads) t.join();
                    System.out.println(total);
                }
                static Thread start(int i) throws Exception {
                    Runnable run = new Worker();
                    try { return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, run); }
                    catch (NoSuchMethodException e) { Thread t = new Thread(run); t.start(); return t; }
                }
            }""")
        out, err = self.run_kit("""
            @Advice(value = {"com.acme.Shop.deep(int)", "com.acme.Shop.other(int)"}, outermost = true, rethrow = SecurityException.class)
            final class Slow {
                static String enter(int n) { if (n < 0) throw new SecurityException(); return "<" + n; }
                static int returned(@Result int r, @Enter String s) { count(s + " " + r); return r + 1000; }
                static void thrown(@Enter String s) { System.out.println(s + " thrown"); }
                static void count(String text) { if (Thread.currentThread().getName().equals("main")) System.out.println(text); else com.acme.Shop.count(); }
            }""")
        self.assertEqual(err, [])
        self.assertEqual(out, ["<3 3", "<2 2", "2005", "<100 thrown", "thrown", "<51 0", "denied", "<1 1", "30000"])

    def test_declared_exceptions_reach_the_application(self):
        out, err = self.run_kit("""
            @Advice(value = "com.acme.Shop.*(..)", rethrow = SecurityException.class) final class Slow {
                static void enter(@Method String m) { if (m.contains("twice")) throw new SecurityException("deny"); throw new RuntimeException(); }
            }""")
        self.assertEqual(out, PLAIN[:3] + ["denied deny"])
        self.assertEqual(len(err), 1)

    def test_advice_that_calls_advised_methods(self):
        out, err = self.run_kit("""
            @Advice("com.acme.Shop.stock()") final class Slow {
                static void enter() { System.out.println("stock"); com.acme.Shop.stock(); }
            }
            @Advice("com.acme.Shop.twice(..)") final class Other {
                static void enter() { com.acme.Shop.stock(); }
            }""")
        self.assertEqual((out, err), (PLAIN[:3] + ["stock", "42"], []))

    def test_two_kits_nest(self):
        paths = [self.kit("""
            @Advice("com.acme.Shop.twice(..)") final class Slow {
                static void enter() { System.out.println("<%s"); }
                static void exit() { System.out.println(">%s"); }
            }""" % (name, name), name) for name in ("one", "two")]
        out, err = self.run_shop("kit=" + paths[0], "kit=" + paths[1])
        self.assertEqual((out, err), (PLAIN[:3] + ["<one", "<two", ">two", ">one", "42"], []))

    def test_an_advice_that_several_jars_of_a_kit_have(self):
        """The second one would not be called."""
        paths = [self.kit("""
            @Advice("com.acme.Shop.twice(..)") final class Slow {
                static void enter() { System.out.println("%s"); }
            }""" % name, name) for name in ("one", "two")]
        done = self.tool("kit", "check", ":".join(paths), status=1)
        self.assertEqual(done.stdout, "Slow.java:3: Slow is in several jars of the kit, and not the same in all: make a kit of each\n")
        out, err = self.run_shop("kit=" + ":".join(paths[:1] * 2))
        self.assertEqual((out, err), (PLAIN[:3] + ["one", "42"], []))

    def test_loaders_have_copies_of_their_own(self):
        loads = self.build("loads", Loads="""
            import java.net.*;
            public class Loads {
                public static void main(String[] a) throws Exception {
                    for (int i = 0; i < 2; i++)
                        try (URLClassLoader loader = new URLClassLoader(new URL[] {new java.io.File(a[0]).toURI().toURL()}, null)) {
                            loader.loadClass("com.acme.Shop").getMethod("main", String[].class).invoke(null, (Object) null);
                        }
                }
            }""")
        kit = self.kit("""
            @Advice("com.acme.Shop.twice(..)") final class Slow {
                static int calls;
                static void enter() { System.out.println(++calls + com.acme.Shop.stock()); }
            }""")
        # Without -Xcheck:jni, which finds fault with natives of JDK 8 itself here.
        done = self.java(f"-agentpath:{AGENT}=kit={kit},quiet=yes", "-cp", loads, "Loads", self.app)
        self.assertEqual(done.stdout.splitlines(), (PLAIN[:3] + ["6", "42"]) * 2)
        self.assertEqual(done.stderr, "")

    @unittest.skipUnless(os.path.exists(os.path.join(JDK, "lib", "modules")), "JDK 8 has no modules")
    def test_named_modules(self):
        self.write("module/module-info.java", "module shop { }")
        self.write("module/com/acme/Shop.java", SHOP)
        self.javac("modules/shop", self.path("module/module-info.java"), self.path("module/com/acme/Shop.java"))
        kit = self.kit("""
            @Advice("com.acme.Shop.twice(..)") final class Slow {
                static void enter() { System.out.println("in " + com.acme.Shop.class.getModule() + Slow.class.getModule()); }
            }
            @Advice("com.acme.Shop.twice(..)") final class Boot {
                static void enter(long x) { System.out.println(x); }
            }""")
        done = self.java(f"-agentpath:{AGENT}=kit={kit},quiet=yes", "-p", self.path("modules"), "-m", "shop/com.acme.Shop")
        self.assertEqual(sorted(done.stdout.splitlines()), sorted(PLAIN + ["in module shopmodule shop", "21"]))

    @unittest.skipUnless(os.path.exists(os.path.join(JDK, "lib", "modules")), "JDK 8 has no modules")
    def test_modules_that_the_application_does_not_read(self):
        """Advice may use classes of modules that the advised module does not require, and of the class path."""
        self.write("module/module-info.java", "module shop { }")
        self.write("module/com/acme/Shop.java", SHOP)
        self.javac("modules/shop", self.path("module/module-info.java"), self.path("module/com/acme/Shop.java"))
        tool = self.build("tool", Tool="package tools; public class Tool { public static String name() { return \"tool\"; } }")
        kit = self.build("kit", classpath=os.pathsep.join([self.app, tool]), Slow="""
            import instr.kit.*;
            import java.util.logging.Level;
            @Advice("com.acme.Shop.twice(..)") final class Slow {
                static void enter() {
                    java.util.function.Function<Level, String> name = Level::getName;
                    java.util.function.Function<Level[], Level> first = levels -> levels[0];
                    System.out.println(name.apply(first.apply(new Level[] {Level.FINE})));
                }
            }
            @Advice("com.acme.Shop.twice(..)") final class Path {
                static void enter() { System.out.println(tools.Tool.name()); }
            }""")
        options = ["-Xcheck:jni", "--add-modules", "java.logging", "-cp", tool, "-p", self.path("modules"), "-m", "shop/com.acme.Shop"]
        done = self.java(f"-agentpath:{AGENT}=kit={kit},quiet=yes", *options)
        self.assertEqual((sorted(done.stdout.splitlines()), done.stderr), (sorted(PLAIN + ["FINE", "tool"]), ""))

    def test_mistakes_are_refused_at_the_start(self):
        for advice, why in (('value = "com.acme.Shop+.order(..)", calls = true, callers = "com.acme.*"',
                             "a pattern with + is for methods, not for calls: name the classes whose methods are called"),):
            kit = self.kit("@Advice(%s) final class Slow { static void enter() { } }" % advice, str(len(why)))
            done = self.run_any(os.path.join(JDK, "bin/java"), f"-agentpath:{AGENT}=kit={kit}", "-cp", self.app, "com.acme.Shop")
            self.assertIn(f"instr: option 'kit': Slow.java:2: @Advice: com.acme.Shop+.order(..): {why}\n", done.stderr)

    def test_jni_is_used_as_it_should_be(self):
        """The kit is looked at in the JVM and at its end, with a State, and required advice is looked for in a running JVM."""
        self.app = self.build("waits", Shop="""
            package com.acme;
            public class Shop {
                static long twice(long x) { return x * 2; }
                public static void main(String[] a) throws Exception {
                    for (long i = 0; i < 3; i++) twice(i);
                    System.out.println("ready");
                    while (System.in.read() > 0) System.out.println(twice(1));
                }
            }""")
        kit = self.kit("""
            @Advice(value = "com.acme.Shop.twice(long)", required = true) final class Slow {
                static final State<Long> seen = new State<>();
                static void enter(@Arg(0) long x) { seen.put("x", x); }
            }""")
        options = ["-Xcheck:jni", "-cp", self.app, "com.acme.Shop"]
        with Running(self, f"-agentpath:{AGENT}=kit={kit},kit.file={self.path('kit.json')}", *options) as shop:
            lines = [shop.line()]
            shop.wait_for_agent()
            for _ in range(2):
                self.assertIn("in 1 method", self.tool("kits", str(shop.pid)).stdout)
            self.tool("kit", "reload", str(shop.pid))
            shop.process.stdin.close()
            lines += shop.process.stdout.read().splitlines()
            shop.process.wait(60)
        self.assertEqual([line for line in lines if line != "ready" and "signal" not in line], [])
        with Running(self, *options) as shop:
            lines = [shop.line()]
            self.tool("attach", str(shop.pid), "kit=" + kit)
            self.tool("detach", str(shop.pid))
            shop.process.stdin.close()
            lines += shop.process.stdout.read().splitlines()
            shop.process.wait(60)
        self.assertEqual([line for line in lines if line != "ready" and "signal" not in line], [])

    def test_kits_says_where_advice_is_called(self):
        app = self.build("waits", Waits="""
            import java.net.*;
            public class Waits {
                static int twice(int x) { return 2 * x; }
                long half(long x) { return x / 2; }
                static void gone() { Price.of(); }
                static class Price { static void of() { } }
                public static void main(String[] a) throws Exception {
                    try { twice(1); gone(); } catch (RuntimeException e) { }
                    System.out.println("ready");
                    System.in.read();
                }
            }""")
        price = "class %s { static int of() { return 1; } }"
        kit = self.build("kit", classpath=app, Slow="""import instr.kit.*;
            @Advice("Waits.*(..)") final class Slow { static void enter(@Method String m) { if (m.contains("twice")) throw new IllegalStateException("so"); } }
            @Advice("Waits.half(long)") final class Typed { static void enter(@Arg(0) int x) { } }
            @Advice("Waits.nothing()") final class Nowhere { static void enter() { } }""",
            Link='import instr.kit.*; @Advice("Waits.gone()") final class Link { static void enter() { Price.of(); } }', Price=price % "Price")
        with zipfile.ZipFile(kit) as jar, zipfile.ZipFile(self.path("less.jar"), "w") as less:
            for name in jar.namelist():
                if name != "Price.class":
                    less.writestr(name, jar.read(name))
        with Running(self, f"-agentpath:{AGENT}=kit={self.path('less.jar')},quiet=yes", "-cp", app, "Waits") as java:
            self.assertEqual(java.line(), "ready")
            java.wait_for_agent()
            text = self.tool("kits", str(java.pid)).stdout
            found = json.loads(self.tool("kits", str(java.pid), "--json").stdout)["kits"]
        self.assertEqual([(kit["kit"], kit["path"], kit["by"]) for kit in found], [("less", self.path("less.jar"), None)])
        advices = {advice["advice"]: advice for advice in found[0]["advices"]}
        self.assertEqual(sorted(advices), ["Link", "Nowhere", "Slow", "Typed"])
        self.assertEqual({name: (a["class_count"], a["method_count"]) for name, a in advices.items()},
                         {"Link": (1, 1), "Nowhere": (0, 0), "Slow": (1, 5), "Typed": (0, 0)})
        self.assertEqual(sorted(advices["Slow"]["methods"]), ["Waits.<init>()", "Waits.gone()", "Waits.half(long)", "Waits.main(java.lang.String[])", "Waits.twice(int)"])
        self.assertRegex(advices["Typed"]["refusal"], r"^Slow.java:3: enter: parameter 1 is argument 0, whose type is long")
        self.assertEqual([advices[name]["refusal"] for name in ("Link", "Nowhere", "Slow")], [None] * 3)
        slow, = advices["Slow"]["loaders"]
        self.assertEqual(slow, {"loader": None, "failures": 1, "off": False, "failure": "java.lang.IllegalStateException: so (in Slow.enter, line 2)"})
        link, = advices["Link"]["loaders"]
        self.assertEqual((link["failures"], link["off"]), (1, True))
        self.assertRegex(link["failure"], r"^java.lang.NoClassDefFoundError: Price \(in Link.enter, line 1\); .*AppClassLoader does not find it$")
        self.assertRegex(text, r"(?s)^less, .*less.jar, switched on by the command line\n.*Slow: Waits.\*\(..\)\n    called in 5 methods of 1 class\n"
                               r".*    failed 1 time in the bootstrap loader: java.lang.IllegalStateException: so")
        self.assertIn("Nowhere: Waits.nothing()\n    called nowhere: no method of a loaded class matches\n", text)
        self.assertRegex(text, r"switched off; failed 1 time in .*AppClassLoader: java.lang.NoClassDefFoundError")

    def test_attach_revert_and_attach_again(self):
        waits = self.build("waits", Waits="""
            public class Waits {
                static int twice(int x) { return 2 * x; }
                public static void main(String[] a) throws Exception {
                    System.out.println("ready");
                    for (int c; (c = System.in.read()) > 0;) if (c == '\\n') System.out.println(twice(21));
                }
            }""")
        kit = self.kit("""
            @Advice("Waits.twice(int)") final class Slow {
                static int returned(@Result int r) { return r + 1; }
            }""")
        java = subprocess.Popen([os.path.join(JDK, "bin/java"), "-cp", waits, "Waits"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

        def ask():
            java.stdin.write("\n")
            java.stdin.flush()
            return java.stdout.readline()

        try:
            self.assertEqual(java.stdout.readline(), "ready\n")
            for last in (False, False, True):
                self.assertEqual(ask(), "42\n")
                self.tool("attach", str(java.pid), "kit=" + kit, "max-overhead=off")
                self.assertEqual(ask(), "43\n")
                self.assertIn("no kit is called timing", self.tool("kit", "drop", str(java.pid), "timing", status=1).stderr)
                self.assertEqual(ask(), "43\n")
                if last:
                    self.tool("kit", "drop", str(java.pid), "kit")
                    self.assertEqual(json.loads(self.tool("kits", str(java.pid), "--json").stdout), {"kits": []})
                else:
                    self.tool("revert", str(java.pid))
                self.assertEqual(ask(), "42\n")
            self.tool("detach", str(java.pid))
            self.assertEqual(ask(), "42\n")
        finally:
            java.stdin.close()
            java.wait(60)
            java.stdout.close()
