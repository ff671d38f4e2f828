"""Advice of calls: what is called instead of what, with which values, and in which order."""

from support import AGENT, KitTest

APP = """
    package com.acme;
    import java.util.*;
    public class App {
        interface Store { String get(String key, long n, double d); }
        static class Memory implements Store {
            String own = "own";
            public String get(String key, long n, double d) { if (n < 0) throw new IllegalStateException("n"); return key + n + d; }
            private int hidden(int i) { return i; }
            int asks() { return hidden(3); }
            public String toString() { return super.toString().isEmpty() ? "" : "memory"; }
        }
        static int count(int[] list) { return list.length; }
        static void nothing() { }
        final Object lock = new Object();
        App(String text) { this(text.trim(), text.length()); }
        App(String text, int n) { System.out.println(text + n); }
        String locked(Store store, long n) { synchronized (lock) { return "<" + store.get("k" + count(new int[2]), n, 0.5) + ">"; } }
        public static void main(String[] a) {
            Memory memory = new Memory();
            App app = new App(" x ");
            for (long n = 1; n >= -1; n -= 2)
                try { System.out.println(app.locked(memory, n)); }
                catch (IllegalStateException e) { System.out.println("caught " + e.getMessage()); }
            System.out.println(1 + memory.asks() * count(new int[] {1, 2}) + " " + Thread.holdsLock(app.lock));
            nothing();
            System.out.println(memory);
        }
    }
    """
PLAIN = ["x3", "<k21" + "0.5>", "caught n", "7 false", "memory"]


class CallsTest(KitTest):
    def setUp(self):
        super().setUp()
        self.app = self.build("app", App=APP)

    def run_app(self, body, *options, java=()):
        kit = self.build("kit", classpath=self.app, Kit="import instr.kit.*;\n" + body)
        done = self.java("-Xcheck:jni", "-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal", *java, f"-agentpath:{AGENT}={','.join(['kit=' + kit, *options])}", "-cp", self.app, "com.acme.App")
        return done.stdout.splitlines(), [line for line in done.stderr.splitlines() if " seen, " not in line]

    def test_all_kinds_of_calls(self):
        """Of interfaces, of classes, of super, static; in constructors before this(...), and inside of expressions and monitors."""
        out, err = self.run_app("""
            @Advice(value = {"com.acme.App$Store.get(..)", "com.acme.App$Memory.*(..)", "com.acme.App.count(..)", "com.acme.App.nothing()",
                             "java.lang.String.trim()", "java.lang.Object.toString()"}, calls = true, callers = "com.acme.App*")
            final class Kit {
                static String enter(@This Object o, @Method String m, @AllArgs Object[] all) { System.out.println((o != null) + m + all.length); return m; }
                static void exit(@Enter String m, @Thrown Throwable t) { System.out.println("left " + m.replaceAll(".*[.](\\\\w+)[(].*", "$1") + (t == null ? "" : t.getMessage())); }
            }""")
        self.assertEqual(err, [])
        count = ["falsecom.acme.App.count(int[])1", "left count"]
        get = ["truecom.acme.App$Store.get(java.lang.String,long,double)3"]
        self.assertEqual(out, ["truejava.lang.String.trim()0", "left trim", "x3"] +
                         count + get + ["left get", PLAIN[1]] + count + get + ["left getn", PLAIN[2]] +
                         ["truecom.acme.App$Memory.asks()0", "truecom.acme.App$Memory.hidden(int)1", "left hidden", "left asks"] + count + [PLAIN[3]] +
                         ["falsecom.acme.App.nothing()0", "left nothing", "truejava.lang.Object.toString()0", "left toString", PLAIN[4]])

    def test_instead_and_results(self):
        out, err = self.run_app("""
            @Advice(value = "com.acme.App$Store.get(..)", calls = true, callers = "com.acme.**")
            final class Kit {
                @Instead static Object get(@This Object store, @Arg(2) double d, @Arg(1) long n, String key) { if (n < 0) throw new IllegalStateException("dropped"); return store + key + n + d; }
                static String returned(@Result String s, @Arg(1) long n) { return s + "!" + n; }
            }
            @Advice(value = "com.acme.App.count(int[])", calls = true, callers = "com.acme.App")
            final class Tens {
                static int returned(@Result int n) { return 10 * n; }
            }""")
        self.assertEqual(out, ["x3", "<memoryk2010.5!1>", "caught n", "61 false", "memory"])
        self.assertEqual(len(err), 1, err)

    def test_calls_are_made_where_what_is_instead_fails(self):
        """It throws, it is called again by itself, and its class lacks another; whatever lies on the stack below the call stays."""
        self.app = self.build("plain", App="""
            package com.acme;
            public class App {
                static long wide(long n) { return n; }
                static int small(int n) { return n; }
                static String text(String s) { return s; }
                static void none(String s) { System.out.println("none " + s); }
                static double again(double d) { return d; }
                public static double calls(double d) { return 0.5 + again(d); }
                public static void main(String[] a) {
                    for (int i = 0; i < 3; i++) {
                        System.out.println(1 + wide(20L + i) * 2 + " " + (3 + small(30 + i)) + text("t" + i) + new StringBuilder("x").append(text("u")));
                        none("n" + i);
                        System.out.println(1 + again(i));
                    }
                }
            }""")
        out, err = self.run_app("""
            @Advice(value = "com.acme.App.wide(long)", calls = true, callers = "com.acme.App") final class Wide {
                @Instead static long wide(long n) { if (n == 21) throw new IllegalStateException("odd"); return -n; }
                static long returned(@Result long r) { return r + 1000; }
            }
            @Advice(value = "com.acme.App.small(int)", calls = true, callers = "com.acme.App") final class Small {
                @Instead static int small(int n) { Gone.say(); return 0; }
            }
            @Advice(value = "com.acme.App.text(String)", calls = true, callers = "com.acme.App", outermost = true) final class Text {
                @Instead static Object text(String s) { if (s.endsWith("1")) throw new StackOverflowError(); return s + "'"; }
            }
            @Advice(value = "com.acme.App.none(..)", calls = true, callers = "com.acme.App", rethrow = SecurityException.class) final class None {
                @Instead static void none(String s) { if (s.equals("n1")) throw new Error("dropped"); System.out.println("instead of " + s); }
            }
            @Advice(value = "com.acme.App.again(double)", calls = true, callers = "com.acme.App") final class Again {
                @Instead static double again(double d) { return 100 + com.acme.App.calls(d); }
            }
            final class Gone { static { if (true) throw new IllegalStateException("never begun"); } static void say() { } }""")
        self.assertEqual(out, ["1961 33t0'xu'", "instead of n0", "101.5",
                               "2043 34t1xu'", "none n1", "102.5",
                               "1957 35t2'xu'", "instead of n2", "103.5"])
        self.assertEqual(len(err), 4, err)

    def test_skipped_calls_and_changed_arguments(self):
        out, err = self.run_app("""
            @Advice(value = "com.acme.App$Store.get(..)", calls = true, callers = "com.acme.App")
            final class Kit {
                @Skip static String enter(Holder<String> key, Holder<Long> n) { key.value += "?"; n.value += 5; return n.value == 4 ? "cached" : null; }
                static String returned(@Enter String cached, @Result String s, String key) { return cached == null ? s : cached + s + key; }
            }
            @Advice(value = "com.acme.App.count(int[])", calls = true, callers = "com.acme.App")
            final class None {
                @Skip static boolean enter() { return true; }
                static void exit(@Result int n) { System.out.println("count " + n); }
            }""")
        self.assertEqual((out, err), (["x3", "count 0", "<k0?60.5>", "count 0", "<cachednullk0?>", "count 0", "1 false", "memory"], []))

    def test_arguments_of_classes_below_the_declared_ones(self):
        """They may be held, and replaced by anything that the method takes; before super(), and with handlers around them."""
        self.app = self.build("below", App="""
            package com.acme;
            import java.util.*;
            public class App {
                static class Base { Base(Object o) { System.out.println("base " + o); } }
                static class Own extends Base { Own(String s) { super(Objects.requireNonNull((Object) s)); } }
                static String first(Object o) { return "first " + o; }
                static String second(CharSequence s) { return "second " + s; }
                public static void main(String[] a) {
                    new Own("own");
                    String one = "one", two = null;
                    for (int i = 0; i < 2; i++, two = "two") System.out.println(first(one) + second(two) + Objects.requireNonNull((Object) one));
                }
            }""")
        out, err = self.run_app("""
            @Advice(value = {"com.acme.App.*(..)", "java.util.Objects.*(..)"}, calls = true, callers = "com.acme.**") final class Outer {
                static void thrown(@AllArgs Object[] all, @Thrown Throwable t) { System.out.println("never"); }
            }
            @Advice(value = "com.acme.App.first(..)", calls = true, callers = "com.acme.**") final class First {
                static void enter(Object o) { }
            }
            @Advice(value = "com.acme.App.second(..)", calls = true, callers = "com.acme.**") final class Second {
                static void enter(Holder<CharSequence> s) { if (s.value == null) s.value = new StringBuilder("built"); }
            }
            @Advice(value = "java.util.Objects.requireNonNull(Object)", calls = true, callers = "com.acme.**") final class Kit {
                static void enter(Holder<Object> o) { if (o.value.equals("one")) o.value = 1; }
            }""")
        self.assertEqual((out, err), (["base own", "first onesecond built1", "first onesecond two1"], []))

    def test_advices_of_one_call_nest(self):
        out, err = self.run_app("".join("""
            @Advice(value = "com.acme.App$Store.*(..)", calls = true, callers = "com.acme.App")
            final class %s {
                static void enter(Holder<String> key) { key.value += "%s"; }
                static String returned(@Result String s) { return "%s" + s; }
                static void thrown(@Thrown Throwable t) { System.out.println("%s " + t.getMessage()); }
            }""" % (name, name, name, name) for name in ("A", "B")))
        self.assertEqual((out, err), (["x3", "<ABk2AB10.5>", "B n", "A n"] + PLAIN[2:], []))

    def test_the_outermost_call(self):
        out, err = self.run_app("""
            @Advice(value = "com.acme.App$Memory.*()", calls = true, callers = "com.acme.**", outermost = true)
            final class Kit {
                static void exit(@Method String m) { System.out.println(m); }
            }
            @Advice(value = {"com.acme.App$Memory.hidden(int)", "com.acme.App$Memory.asks()", "com.acme.App.count(..)"}, calls = true, callers = "com.acme.**", outermost = true)
            final class Skips {
                @Skip static boolean enter(@AllArgs Object[] all) { return all.length == 1; }
                static int returned(@Result int n) { return n + 2; }
            }""")
        self.assertEqual((out, err), (["x3", "<k210.5>", "caught n", "com.acme.App$Memory.asks()", "11 false", "memory"], []))

    def test_methods_that_call_are_compiled(self):
        """HotSpot compiles no method whose monitors are not released on all ways."""
        self.app = self.build("hot", App="""
            package com.acme;
            public class App {
                static int one(int i) { if (i % 1000 == 999) throw new IllegalStateException(); return i; }
                static int sum(Object lock, int i) { synchronized (lock) { try { return one(i) + one(i + 1); } catch (IllegalStateException e) { return 0; } } }
                static synchronized long twice(long x) { return x; }
                public static void main(String[] a) {
                    long sum = 0;
                    for (int i = 0; i < 50000; i++) sum += sum(App.class, i) + twice(i);
                    System.out.println(sum);
                }
            }""")
        out, err = self.run_app("""
            @Advice(value = "com.acme.App.one(int)", calls = true, callers = "com.acme.App")
            final class Kit {
                @Skip static boolean enter(Holder<Integer> i) { return i.value % 3 == 0; }
                static int returned(@Result int n, @Enter boolean skipped) { return n + 1; }
                static void exit(@Thrown Throwable t) { }
            }
            @Advice("com.acme.App.sum(..)")
            final class Methods {
                @Skip static boolean enter(@Arg(0) Object first, @AllArgs Object[] all) { return first == all; }
                static void exit(@Thrown Throwable t) { }
            }
            @Advice("com.acme.App.twice(long)")
            final class Skips {
                @Skip static boolean enter(Holder<Long> x) { x.value++; return x.value % 2 == 0; }
                static long returned(@Result long x) { return x + 1; }
            }""", java=("-XX:+PrintCompilation", "-Xbatch"))
        self.assertEqual(err, [])
        compiled = [line for line in out if "com.acme.App::" in line]
        for name in ("sum", "twice", "one"):
            self.assertTrue(any(f"com.acme.App::{name} " in line for line in compiled), (name, compiled, err))
        self.assertEqual([line for line in out if "COMPILE SKIPPED" in line or "not compilable" in line], [])

    def test_two_kits_at_one_call(self):
        kits = [self.build(name, classpath=self.app, Kit="import instr.kit.*;\n" + """
            @Advice(value = {"com.acme.App.nothing()", "com.acme.App.count(int[])"}, calls = true, callers = "com.acme.App")
            final class Kit { static void enter() { System.out.println("<%s"); } static void exit() { System.out.println(">%s"); } }""" % (name, name)) for name in ("one", "two")]
        done = self.java("-Xcheck:jni", f"-agentpath:{AGENT}=kit={kits[0]},kit={kits[1]},quiet=yes", "-cp", self.app, "com.acme.App")
        both = ["<two", "<one", ">one", ">two"]
        self.assertEqual((done.stdout.splitlines(), done.stderr), (PLAIN[:1] + both + PLAIN[1:2] + both + PLAIN[2:3] + both + PLAIN[3:4] + both + PLAIN[4:], ""))
