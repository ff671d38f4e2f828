"""What fails in advice: the application goes on, and the author reads what to do."""

import json
import re
import unittest

from support import AGENT, PLAIN, SHOP, ShopTest, release

LIBRARY = """
    package lib;
    public class Price {
        public static int of(String item) { return 1; }
        public static String name() { return "old"; }
        public int value() { return 2; }
    }
    """
# One program with two loaders, of the jars in its arguments: the first one's class is run before and after the other's.
LOADS = """
    import java.net.*;
    public class Loads {
        static Runnable load(String jars) throws Exception {
            java.util.List<URL> urls = new java.util.ArrayList<>();
            for (String jar : jars.split(":")) urls.add(new java.io.File(jar).toURI().toURL());
            return (Runnable) Class.forName("app.Main", true, new URLClassLoader(urls.toArray(new URL[0]))).newInstance();
        }
        public static void main(String[] a) throws Exception {
            Runnable one = load(a[0]), two = load(a[1]);
            one.run(); two.run(); two.run(); one.run();
        }
    }
    """
MAIN = """
    package app;
    public class Main implements Runnable {
        public void run() { System.out.println(work("tea")); }
        static String work(String item) { return item; }
    }
    """


class FailingTest(ShopTest):
    def err_of(self, body, out=PLAIN):
        """The only line that an advice writes, which leaves the application alone."""
        found, err = self.run_kit(body)
        self.assertEqual(found, out)
        self.assertEqual(len(err), 1, err)
        return err[0]

    def test_stack_and_memory_that_end_in_the_advice(self):
        line = self.err_of("""
            @Advice("com.acme.Shop.twice(..)") final class Slow {
                static int deep(int n) { return deep(n + 1) + 1; }
                static int enter() { return deep(0); }
                static void exit(@Enter int n) { byte[][] all = new byte[100000][]; for (int i = 0; n == 0; i++) all[i] = new byte[1 << 30]; }
            }""")
        self.assertRegex(line, r"^instr: advice Slow has thrown an exception, which is dropped: java.lang.StackOverflowError \(in Slow.deep, line 4\)$")

    def test_stack_that_ends_in_the_application(self):
        """Wherever it ends, in the bridge, too, the advice is called again later."""
        self.app = self.build("deep", Shop="""
            package com.acme;
            public class Shop {
                static int deepest;
                static int twice(int n) { return twice(n + 1) + 1; }
                static int last(int n) { return n; }
                static void fill(int n, int most) { long a = n, b = n, c = n; if (n < most) fill(n + 1, most); else twice((int) (a + b + c)); }
                public static void main(String[] a) {
                    for (int i = 0; i < 60; i++) try { fill(0, i); } catch (StackOverflowError e) { }
                    System.out.println(last(7));
                }
            }""")
        out, _ = self.run_kit("""
            @Advice({"com.acme.Shop.twice(..)", "com.acme.Shop.last(..)"}) final class Slow {
                static long enter(@Arg(0) int n) { return Math.abs(-n); }
                static void exit(@Enter long n, @Method String m) { if (m.contains("last")) System.out.println("exit " + n); }
            }""")
        self.assertEqual(out, ["exit 7", "7"])

    def test_arguments_for_which_there_is_no_memory(self):
        """Nothing is thrown into the program. The advice is not called meanwhile, and is again once there is memory."""
        self.app = self.build("full", Shop="""
            package com.acme;
            public class Shop {
                public static int runs, failed;
                Shop(long id, String name) { }
                static int work(int n, long l, double d, String s) { return n + (int) l; }
                static int held(int n, long l, String s) { return n + (int) l; }
                static int called(int n) { return n; }
                static int calls(int n) { return called(n); }
                static int all(int n) {
                    int sum = 0;
                    for (int i = 0; i < n; i++)
                        try {
                            sum += work(i + 1000, 1L << 40 | i, i, null) + held(1000 + i, 1000L, "s") + calls(i);
                        } catch (Throwable e) { failed++; }
                    return sum;
                }
                static Object[] fill() {
                    Object[] last = null;
                    for (int length = 1 << 16; length > 0; length /= 2)
                        try { for (;;) { Object[] next = new Object[length]; next[0] = last; last = next; } } catch (OutOfMemoryError e) { }
                    return last;
                }
                static void made() { try { new Shop(1L << 40, null); } catch (Throwable e) { failed++; } }
                public static void main(String[] a) {
                    int before = all(20);
                    made();
                    int linked = runs;
                    runs = 0;
                    Object[] full = fill();
                    int within = all(20);
                    boolean fewer = runs < linked / 10;
                    full = null;
                    runs = 0;
                    int after = all(20);
                    made();
                    System.out.println(failed + " failed, " + linked + " and " + runs + " runs, " + (fewer ? "hardly any" : "as many") + " while it is full; "
                            + (before - within) / 20 + " and " + (after - within) / 20 + " more");
                }
            }""")
        kit = self.kit("""
            @Advice("com.acme.Shop.work(..)") final class All {
                static void enter(@AllArgs Object[] all) { com.acme.Shop.runs += all.length; }
                static int returned(@Result int result, @AllArgs Object[] all) { com.acme.Shop.runs += all.length; return result; }
            }
            @Advice("com.acme.Shop.<init>(..)") final class Made {
                static void enter(@AllArgs Object[] all) { com.acme.Shop.runs += all.length; }
                static void exit(@AllArgs Object[] all) { com.acme.Shop.runs += all.length; }
            }
            @Advice("com.acme.Shop.held(..)") final class Held {
                static void enter(Holder<Integer> n, Holder<Long> l, Holder<String> s) { n.value += 7; s.value = null; com.acme.Shop.runs++; }
            }
            @Advice(value = "com.acme.Shop.called(int)", calls = true, callers = "com.acme.**") final class Called {
                @Instead static int called(int n) { com.acme.Shop.runs++; return n + 1; }
            }""")
        for collector in "-XX:+UseSerialGC", "-XX:+UseG1GC":
            with self.subTest(collector):
                done = self.java("-Xmx24m", "-XX:-UseGCOverheadLimit", collector, f"-agentpath:{AGENT}=kit={kit},quiet=yes", "-cp", self.app, "com.acme.Shop")
                self.assertEqual(done.stdout, "0 failed, 204 and 204 runs, hardly any while it is full; 8 and 8 more\n")

    def test_threads_that_make_up_their_ids(self):
        """Two of one id are in the advice at once: neither is taken for the other."""
        self.app = self.build("ids", Shop="""
            package com.acme;
            public class Shop {
                static void work() { }
                static class Same extends Thread {
                    @Override public long getId() { return 7; }
                    @Override public void run() { work(); }
                }
                public static void main(String[] a) throws Exception {
                    Thread one = new Same(), other = new Same();
                    one.start();
                    other.start();
                    one.join();
                    other.join();
                }
            }""")
        out, err = self.run_kit("""
            @Advice("com.acme.Shop.work()") final class Slow {
                static final java.util.concurrent.CountDownLatch BOTH = new java.util.concurrent.CountDownLatch(2);
                static void enter() throws Exception {
                    BOTH.countDown();
                    System.out.println(BOTH.await(20, java.util.concurrent.TimeUnit.SECONDS));
                }
            }""")
        self.assertEqual((out, err), (["true", "true"], []))

    def test_the_runtime_on_the_boot_class_path(self):
        """There classes of java.base and of modules do not see it."""
        kit = self.kit("""
            @Advice("com.acme.Shop.twice(..)") final class Slow {
                static void enter() { System.out.println("enter"); }
            }""")
        out, err = self.run_shop(f"kit={kit},runtime=path")
        self.assertIn("enter", out)
        self.assertEqual(err, [])

    def test_a_first_call_without_stack(self):
        """The bridge and the advice of each loader are first needed where the stack ends, sooner or later."""
        app = self.build("main", Main="""
            package app;
            public class Main implements Runnable {
                static int deepest;
                public static int one() { return 1; }
                static int last(int n) { return n; }
                static int deep(int n) { deepest++; return n == 0 ? last(7) : deep(n - 1); }
                public void run() {
                    int most = Integer.getInteger("most", -1);
                    try { deep(most); } catch (StackOverflowError e) { }
                    if (most < 0) System.setProperty("most", "" + (deepest - 20)); else System.out.print(last(7));
                }
            }""")
        loads = self.build("loads", Loads="""
            public class Loads {
                public static void main(String[] a) throws Exception {
                    java.net.URL[] jar = {new java.io.File(a[0]).toURI().toURL()};
                    for (int i = 0; i < 100; i++) {
                        ((Runnable) Class.forName("app.Main", true, new java.net.URLClassLoader(jar)).newInstance()).run();
                        if (i > 0) System.setProperty("most", "" + (Integer.getInteger("most") - 3));
                    }
                }
            }""")
        kit = self.build("kit", classpath=app, Slow="""package app; import instr.kit.*;
            @Advice("app.Main.last(..)") final class Slow { static int returned(@Result int n) { return n + Main.one(); } }""")
        done = self.java("-Xint", f"-agentpath:{AGENT}=kit={kit},quiet=yes", "-cp", loads, "Loads", app)
        self.assertRegex(done.stdout, "^[78]{99}$")
        self.assertNotIn("\ninstr", done.stderr)

    @unittest.skipIf(release() > 25, "newer JDKs do not have ThreadDeath")
    def test_thread_death_goes_through(self):
        out, err = self.run_shop("kit=" + self.kit("""
            @Advice("com.acme.Shop.twice(..)") final class Slow {
                static void enter() throws Exception { throw (Error) Class.forName("java.lang.ThreadDeath").newInstance(); }
            }"""), status=1)
        self.assertEqual(out, PLAIN[:3])
        self.assertFalse([line for line in err if "advice" in line], err)

    def test_a_static_initializer_that_throws(self):
        line = self.err_of("""
            @Advice("com.acme.Shop.*(..)") final class Slow {
                static final int SIZE = Integer.parseInt("many");
                static void enter() { if (SIZE > 0) System.out.println("never"); }
            }""")
        self.assertRegex(line, r'^instr: advice Slow is switched off for these classes, since a static initializer has thrown: '
                               r'java.lang.NumberFormatException: For input string: "many" \(in .*\)$')

    def linked(self, body, library):
        """Two loaders: one with what the advice was compiled against, one with `library` instead of it."""
        good = self.build("good", Price=LIBRARY)
        loads, app = self.build("loads", Loads=LOADS), self.build("main", Main=MAIN)
        bad = self.build("bad", Price=library) if library else app
        kit = self.build("kit", classpath=good, Slow="import instr.kit.*; import lib.*;\n" + body)
        done = self.java(f"-agentpath:{AGENT}=kit={kit},quiet=yes", "-cp", loads, "Loads", f"{app}:{good}", f"{app}:{bad}")
        return done.stdout.splitlines(), done.stderr.splitlines(), bad

    def test_a_wrong_version_is_off_in_its_loader_alone(self):
        advice = """
            @Advice("app.Main.work(..)") final class Slow {
                static void enter() { System.out.println("costs " + %s); }
            }"""
        for use, old, new, error, there in (
                ("Price.of(null)", "int of", "long of", "NoSuchMethodError", " has 'public static long lib.Price.of(java.lang.String)'"),
                ("new Price().value()", "int value", "int cents", "NoSuchMethodError", " has no value"),
                ("Price.name()", "static String name", "String name", "IncompatibleClassChangeError", " has 'public java.lang.String lib.Price.name()'")):
            with self.subTest(use):
                out, err, bad = self.linked(advice % use, LIBRARY.replace(old, new))
                self.assertEqual([line.split()[0] for line in out], ["costs", "tea", "tea", "tea", "costs", "tea"])
                self.assertEqual(len(err), 1, err)
                self.assertRegex(err[0], r"^instr: advice Slow does not fit these classes and is switched off for them: java.lang." + error + r": .*lib\.Price\."
                                         r".* \(in Slow.enter, line 4\); lib.Price of file:" + re.escape(bad + there) + "; 'instr kit check' finds all that does not fit$")

    def test_a_class_that_is_absent(self):
        out, err, _ = self.linked("""
            @Advice("app.Main.work(..)") final class Slow {
                static void enter() { System.out.println("costs " + Price.of(null)); }
            }""", None)
        self.assertEqual(out, ["costs 1", "tea", "tea", "tea", "costs 1", "tea"])
        self.assertEqual(err, ["instr: advice Slow does not fit these classes and is switched off for them: java.lang.NoClassDefFoundError: lib/Price "
                               "(in Slow.enter, line 4); java.net.URLClassLoader does not find it; 'instr kit check' finds all that does not fit"])

    def test_recursion_through_two_kits(self):
        one = self.kit("""
            @Advice("com.acme.Shop.twice(..)") final class Slow { static void enter() { System.out.println("one"); com.acme.Shop.stock(); } }""", "one")
        two = self.build("two", classpath=f"{self.app}:{self.path('app-classes')}", Two="""package com.acme; import instr.kit.*;
            @Advice("com.acme.Shop.stock()") final class Two { static void enter() { System.out.println("two"); Shop.twice(1); } }""")
        out, err = self.run_shop("kit=" + one, "kit=" + two)
        self.assertEqual((out, err), (PLAIN[:3] + ["one", "two", "42"], []))

    def test_two_kits_on_one_method(self):
        """The first is outermost: it sees the result and the exception of the second."""
        body = """
            @Advice(value = "com.acme.Shop.twice(..)", rethrow = SecurityException.class) final class Slow {
                static void enter() { System.out.println("<%s"); if (%s) throw new SecurityException("%s"); }
                static long returned(@Result long r) { System.out.println("%s" + r); return r * 10 + %s; }
                static void exit(@Result long r, @Thrown Throwable t) { System.out.println(">%s" + r + t); }
            }"""

        def kits(one_throws, two_throws):
            return ["kit=" + self.kit(body % (name, throws, name, name, number, name), name + str(one_throws) + str(two_throws))
                    for name, throws, number in (("one", one_throws, 1), ("two", two_throws, 2))]

        for one, two, expected in (
                ("false", "false", ["<one", "<two", "two42", ">two422null", "one422", ">one4221null", "4221"]),
                ("true", "false", ["<one", "denied one"]),
                ("false", "true", ["<one", "<two", ">one0java.lang.SecurityException: two", "denied two"])):
            with self.subTest((one, two)):
                self.assertEqual(self.run_shop(*kits(one, two)), (PLAIN[:3] + expected, []))

    def test_what_leaves_one_kit_is_seen_by_those_outside(self):
        """Wherever the second throws, the first leaves once and the third, if it has entered, once; the second not again."""
        self.app = self.build("inner", Shop="""
            package com.acme;
            public class Shop {
                static int good() { return 5; }
                static int bad() { throw new IllegalStateException("n"); }
                Shop(int i) { this(""); if (i == 1) throw new IllegalStateException("n"); }
                Shop(String s) { }
                public static void main(String[] a) {
                    try { good(); } catch (RuntimeException e) { }
                    System.out.println();
                    try { bad(); } catch (RuntimeException e) { }
                    System.out.println();
                    try { new Shop(2); } catch (RuntimeException e) { }
                    System.out.println();
                    try { new Shop(1); } catch (RuntimeException e) { }
                }
            }""")
        body = """
            @Advice(value = "com.acme.Shop.%s", rethrow = SecurityException.class) final class Slow {
                static int enter() { System.out.print(" <%s"); if (%s) throw new SecurityException("%s"); return 7; }
                static void returned() { System.out.print(" =%s"); if (%s) throw new SecurityException("%s"); }
                static void thrown(@Thrown Throwable t) { System.out.print(" !%s" + t.getMessage()); if (%s) throw new SecurityException("%s"); }
                static void exit(@Enter int e, @Thrown Throwable t) { System.out.print(" >%s" + e + (t == null ? "" : t.getMessage())); if (%s) throw new SecurityException("%s"); }
            }"""

        def kit(name, method, throws):
            words = [method]
            for place in ("enter", "returned", "thrown", "exit"):
                words += [name, "true" if throws == place else "false", f"{name}-{place}"]
            return "kit=" + self.kit(body % tuple(words), f"{name}-{len(method)}-{throws}")

        good, bad, new = (0, "good()"), (1, "bad()"), (2, "<init>(int)")
        for (line, method), throws, expected in (
                (good, "none", "<1 <2 <3 =3 >37 =2 >27 =1 >17"),
                (good, "enter", "<1 <2 !12-enter >172-enter"),
                (good, "returned", "<1 <2 <3 =3 >37 =2 !12-returned >172-returned"),
                (good, "exit", "<1 <2 <3 =3 >37 =2 >27 !12-exit >172-exit"),
                (bad, "none", "<1 <2 <3 !3n >37n !2n >27n !1n >17n"),
                (bad, "thrown", "<1 <2 <3 !3n >37n !2n !12-thrown >172-thrown"),
                (bad, "exit", "<1 <2 <3 !3n >37n !2n >27n !12-exit >172-exit"),
                (new, "none", "<1 <2 <3 =3 >37 =2 >27 =1 >17"),
                (new, "enter", "<1 <2 !12-enter >172-enter"),
                (new, "exit", "<1 <2 <3 =3 >37 =2 >27 !12-exit >172-exit"),
                ((3, new[1]), "none", "<1 <2 <3 !3n >37n !2n >27n !1n >17n"),
                ((3, new[1]), "thrown", "<1 <2 <3 !3n >37n !2n !12-thrown >172-thrown")):
            with self.subTest((method, throws)):
                out, err = self.run_shop(kit("1", method, "none"), kit("2", method, throws), kit("3", method, "none"))
                self.assertEqual(err, [])
                self.assertEqual((out + 4 * [""])[line], " " + expected)

    def test_the_constructor_of_object_gets_no_handlers(self):
        """C2 takes the JVM down when it compiles one there."""
        self.app = self.build("objects", Shop="""
            package com.acme;
            public class Shop {
                public static void main(String[] a) {
                    int n = 0;
                    for (int i = 0; i < 50000; i++) n += new Object().equals(a) ? 1 : 2;
                    System.out.println(n);
                }
            }""")
        advice = '@Advice(value = "java.lang.Object.<init>()", rethrow = IllegalStateException.class) final class %s { static void enter() { } static void exit() { } }'
        out, err = self.run_shop("kit=" + self.kit(advice % "Slow" + advice % "Other"))
        self.assertEqual(out, ["100000"])
        self.assertTrue(any("Object.<init>()V: skipped: rethrow needs exception handlers" in line for line in err), err)

    def test_boxing_does_not_come_back_to_the_advice(self):
        """All constructors of the JDK, and what boxes; only where arguments are boxed."""
        self.app = self.build("boxes", Shop="""
            package com.acme;
            public class Shop {
                public static void main(String[] a) {
                    Object[] all = {a.length + 1000, 'c', 1.5 + a.length, 1L << 40, (byte) 3, (short) 1000, 2f, a.length == 0};
                    System.out.println(java.util.Arrays.asList(all));
                }
            }""")
        expected = "[1000, c, 1.5, 1099511627776, 3, 1000, 2.0, true]"
        boxes = "Boolean Byte Character Short Integer Long Float Double".split()
        targets = ", ".join(f'"java.lang.{name}.{method}"' for name in boxes for method in ("<init>(..)", "valueOf(..)"))
        for what, method, skipped in (("all", "static void exit(@AllArgs Object[] all) { if (all == null) System.out.println(); }", True),
                                      ("held", "@SuppressWarnings(\"rawtypes\") static void enter(@Arg(0) Holder h) { }", True),
                                      ("plain", "static void enter() { }", False)):
            kit = self.kit("@Advice({%s}) final class Slow { %s }" % ('"**.<init>(..)", ' + targets if what == "all" else targets, method), what)
            out, err = self.run_shop("kit=" + kit)
            self.assertIn(expected, out, err)
            refused = [line for line in err if "by a call of the method itself" in line]
            self.assertEqual(any("java.lang.Integer.valueOf(I)" in line for line in refused), skipped, err)
            self.assertEqual(any("java.lang.Integer.<init>(I)" in line for line in refused), skipped, err)

    def test_methods_that_an_advice_prevents_are_not_entered(self):
        """Other passes leave what they have entered, also if they are named first."""
        kit = self.kit("""
            @Advice(value = "com.acme.Shop.twice(..)", rethrow = SecurityException.class) final class Never {
                static void enter() { throw new SecurityException("never"); }
            }""")
        for words in (["timing,include=com.acme.*", "kit=" + kit], ["kit=" + kit, "timing,include=com.acme.*"]):
            self.run_shop(*words, "timing.file=" + self.path("timing.json"))
            with open(self.path("timing.json"), encoding="utf-8") as file:
                calls = {m["method"]: m["calls"] for m in json.load(file)["methods"]}
            self.assertEqual((calls.get("twice", 0), calls["order"]), (0, 2), words)

    def test_a_class_of_that_name_is_there_already(self):
        body = """
            @Advice("com.acme.Shop.twice(..)") final class Slow {
                static void enter() { System.out.println(Slow.class.getName() + com.acme.Shop.stock()); }
            }"""
        out, _ = self.run_kit(body)
        name = re.match(r"(com\.acme\.Slow\$\$instr\$[0-9a-f]+)5$", out[3]).group(1)
        simple = name.rpartition(".")[2]
        self.app = self.build("taken", Shop=SHOP, Own=f"package com.acme; class {simple} {{ static void enter() {{ }} }}",
                              First=f'package com.acme; public class First {{ public static void main(String[] a) throws Exception {{ Class.forName("{name}"); Shop.main(a); }} }}')
        done = self.java(f"-agentpath:{AGENT}=kit={self.path('kit.jar')},quiet=yes", "-cp", self.app, "com.acme.First")
        self.assertEqual(done.stdout.splitlines(), PLAIN)
        self.assertEqual(done.stderr, f"instr: advice Slow is not called from com.acme.Shop: another class has the name {name}: rename the advice class\n")

    def test_a_kit_for_a_newer_java(self):
        self.kit('@Advice("com.acme.Shop.twice(..)") final class Slow { static void enter() { com.acme.Shop.stock(); } }')
        folder = self.path("kit-classes")
        with open(f"{folder}/Slow.class", "r+b") as file:
            file.seek(7)
            file.write(bytes([99]))
        out, err = self.run_shop("kit=" + self.jar("newer.jar", folder))
        self.assertEqual(out, PLAIN)
        self.assertEqual(len(err), 1, err)
        self.assertRegex(err[0], r"^instr: nothing is instrumented: Slow has class file version 99, and this JVM takes up to \d\d$")
