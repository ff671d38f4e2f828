"""What is read from advice classes, and the classes that are made of them: run on a JVM, under new names."""

import os
import random
import re
import unittest
import zipfile

from support import BUILD, KitTest, release

DUMP = os.path.join(BUILD, "tests", "kit_dump")

ALL = """
package com.acme.kit;
import instr.kit.*;
import java.util.List;
@Advice(value = {"com.acme.Shop+.order(String, int)", "com.acme.Cart.<init>"}, annotated = "com.acme.Timed",
        annotatedClass = "com.acme.*Service", loader = "com.acme.*Loader", required = true,
        rethrow = {SecurityException.class, Refused.class})
class All {
    @Skip static String enter(@Arg(1) Holder<Integer> n, Holder<List<String>[]> s, @This Object o, @Field("stock") long[] f,
                              @Method String m, @AllArgs Object[] a, Holder<?> any, Holder raw) throws Refused {
        if (o == null) throw new Refused();
        return m;
    }
    static Object returned(@Enter String e, @Result Object r) { return r; }
    static void thrown(@Enter Object e, @Thrown Throwable t, double d, @Arg(3) long l, byte b) { }
    static void exit() { }
    static String entered() { return "not an advice method"; }
}
class Refused extends Exception { }
@Advice(value = "java.util.Random.next*(..)", calls = true, callers = "com.acme.**", outermost = true)
class Calls {
    @Instead static int four(@This java.util.Random r, @Arg(0) int bits) { return 4; }
}
"""

EXPECTED = """kit all instr:HASH
advice com.acme.kit.All: required
  target com.acme.Shop+.order(String, int) and subtypes
  target com.acme.Cart.<init>
  annotated com.acme.Timed
  annotated class com.acme.*Service
  loader com.acme.*Loader
  rethrow java/lang/SecurityException
  rethrow java/lang/Refused$$instr$HASH
  enter All.java:11 enter(Ljava/lang/InstrKitHolder;Ljava/lang/InstrKitHolder;Ljava/lang/Object;[JLjava/lang/String;\
[Ljava/lang/Object;Ljava/lang/InstrKitHolder;Ljava/lang/InstrKitHolder;)Ljava/lang/String; skips
    argument 1 Ljava/lang/InstrKitHolder; held Ljava/lang/Integer;
    argument 0 Ljava/lang/InstrKitHolder; held [Ljava/util/List;
    this Ljava/lang/Object;
    field stock [J
    method Ljava/lang/String;
    all [Ljava/lang/Object;
    argument 1 Ljava/lang/InstrKitHolder; held Ljava/lang/Object;
    argument 2 Ljava/lang/InstrKitHolder; held Ljava/lang/Object;
  returned All.java:14 returned(Ljava/lang/String;Ljava/lang/Object;)Ljava/lang/Object;
    entered Ljava/lang/String;
    result Ljava/lang/Object;
  thrown All.java:15 thrown(Ljava/lang/Object;Ljava/lang/Throwable;DJB)V
    entered Ljava/lang/Object;
    thrown Ljava/lang/Throwable;
    argument 0 D
    argument 3 J
    argument 1 B
  exit All.java:16 exit()V
  needs java/lang/Refused$$instr$HASH
  needs java/lang/All$$instr$HASH
advice com.acme.kit.Calls: calls outermost
  target java.util.Random.next*(..)
  callers com.acme.**
  instead Calls.java:22 four(Ljava/util/Random;I)I
    this Ljava/util/Random;
    argument 0 I
  needs java/lang/Calls$$instr$HASH
class com/acme/kit/Refused = java/lang/Refused$$instr$HASH (boot)
class com/acme/kit/All = java/lang/All$$instr$HASH (boot)
class com/acme/kit/Calls = java/lang/Calls$$instr$HASH (boot)
""".replace("Calls.java", "All.java")

# All that could trip over a new name. The class Counter is in the default package, and so is its name elsewhere.
TRICKY = """
import instr.kit.*;
import java.util.*;
import java.util.function.*;

@Advice("com.acme.Shop.order(..)")
class Counter {
    static int Counter;
    enum Size { SMALL, LARGE { String text() { return "big"; } }; String text() { return "small"; } }
    interface Shape { default String area() { return "shape " + hidden(); } private int hidden() { return 3; } }
    record Box(String name, int size) implements Shape { }
    static class Base implements Comparable<Base> {
        private int secret = 7;
        protected String kind() { return "base"; }
        String sized() { return kind() + secret; }
        private String own() { return "own" + secret; }
        public int compareTo(Base other) { return Integer.compare(secret, other.secret); }
    }
    static final class Derived extends Base {
        protected String kind() { return "derived"; }
        class Deep { String up() { return kind() + Derived.super.own(); } }
    }
    static class Failure extends RuntimeException { Failure(String s) { super(s); } }
    static <T extends Shape> String generic(List<? super T> list, T shape) { list.add(shape); return list.get(0) + shape.area(); }
    static String enter(Object order) {
        StringBuilder out = new StringBuilder("Counter LCounter; Counter$Size");
        Counter++;
        out.append(Counter).append(' ').append(Counter.class == new Counter().getClass());
        for (Size size : Size.values())
            switch (size) { case SMALL: out.append(" s"); break; default: out.append(' ').append(size.text()); }
        Function<Base, String> f = Base::own;
        Supplier<Base> make = Derived::new;
        Derived derived = (Derived) make.get();
        out.append(f.apply(derived)).append(derived.sized()).append(derived.new Deep().up());
        out.append(generic(new ArrayList<Object>(), new Box("b", 2)).endsWith("[name=b, size=2]shape 3"));
        Box[][] boxes = new Box[2][3];
        boxes[1][2] = new Box("c", 3);
        out.append(boxes[1][2].equals(new Box("c", 3))).append(boxes.getClass().getComponentType() == Box[].class);
        try { throw new Failure("failed"); } catch (Failure e) { out.append(e.getMessage()); }
        Runnable r = new Runnable() { int n = Counter; public void run() { out.append("anonymous").append(n + ((Base) derived).secret); } };
        r.run();
        State<String> state = new State<>();
        state.put(order, "state");
        switch (String.valueOf(order)) { case "Counter": out.append("string"); break; default: out.append("other"); }
        return out.append(state.get(order)).append(new TreeSet<>(Arrays.asList(new Base(), new Base())).size()).toString();
    }
}
"""

CALL = """
public class Call {
    public static void main(String[] args) throws Exception {
        ClassLoader loader = args[0].startsWith("java.lang.") ? null : Call.class.getClassLoader();
        Class<?> advice = Class.forName(args[0], true, loader);
        for (java.lang.reflect.Method m : advice.getDeclaredMethods()) {
            if (!m.getName().equals("enter")) continue;
            m.setAccessible(true);
            System.out.println(m.invoke(null, "Counter"));
        }
    }
}
"""

SERVLET = "package %s.servlet.http; public class Request { public String path() { return \"/%s\"; } }"


class ReadingTest(KitTest):
    def dump(self, jar, package="com/acme/", status=0):
        return self.run_command(DUMP, jar, package, self.path("out"), status=status).stdout

    def made(self, dump, name):
        """The new name of a class."""
        return re.search(rf"^class {re.escape(name)} = (\S+)", dump, re.M)[1].replace("/", ".")

    def call(self, name, classpath=""):
        """Calls `enter` of the class under its new name, with all code verified."""
        own = self.javac("call", self.write("Call.java", CALL))
        path = os.pathsep.join(filter(None, [self.path("out", "own"), own, classpath]))
        return self.java("-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal", "--patch-module", "java.base=" + self.path("out", "boot"),
                         "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-cp", path, "Call", name).stdout

    def test_all_that_advice_can_say(self):
        text = self.dump(self.build("all", All=ALL))
        self.assertEqual(re.sub(r"\b[0-9a-f]{16}\b", "HASH", text), EXPECTED)

    @unittest.skipIf(release() < 9, "needs --patch-module")
    def test_renamed_classes_run(self):
        jar = self.build("tricky", Counter=TRICKY)
        plain = self.javac("call", self.write("Call.java", CALL))
        classes = os.pathsep.join([plain, self.path("tricky-classes"), self.path()])
        library = self.tool("kit", "jar").stdout[:-1]
        expected = self.java("-cp", classes + os.pathsep + library, "Call", "Counter").stdout
        self.assertIn("string", expected)
        for options in ((), ("-g:none",), ("--release", "11", "-Xlint:-options")):
            if options[:1] == ("--release",):
                source = re.sub(r"record Box.*", "static class Box implements Shape { final String n; Box(String n, int s) "
                                "{ this.n = n; } public String toString() { return \"Box[name=b, size=2]\"; } public boolean "
                                "equals(Object o) { return o instanceof Box; } }", TRICKY)
                jar = self.build("older", options=options, Counter=source)
            elif options:
                jar = self.build("without", options=options, Counter=TRICKY)
            dump = self.dump(jar)
            self.assertEqual(self.call(self.made(dump, "Counter")), expected, options)
            self.assertNotIn("own", os.listdir(self.path("out")))

    @unittest.skipIf(release() < 9, "needs --release")
    def test_classes_for_java_8_run(self):
        """Nested classes reach private members through methods that javac adds; interfaces have no private ones."""
        source = """
            import instr.kit.*;
            import java.util.function.*;
            @Advice("com.acme.Shop.order(..)")
            class Old {
                private static int calls;
                private int own = 3;
                interface Shape { default String area() { return "area"; } }
                static class Inner implements Shape { private String text() { return area() + ++calls; } }
                static String enter(Object order) {
                    Function<Inner, String> f = Inner::text;
                    Supplier<Old> make = Old::new;
                    return f.apply(new Inner()) + new Inner().text() + make.get().own + order;
                }
            }
            """
        dump = self.dump(self.build("old", options=("--release", "8", "-Xlint:-options"), Old=source))
        self.assertEqual(self.call(self.made(dump, "Old")), "area1area23Counter\n")

    @unittest.skipIf(release() < 17, "records begin with JDK 16")
    def test_a_class_that_names_others_goes_to_the_target(self):
        source = TRICKY.replace("String enter(Object order) {", "String enter(Object order) { java.sql.Timestamp.valueOf"
                                "(\"2020-01-01 00:00:00\"); ")
        dump = self.dump(self.build("sql", Counter=source))
        name = self.made(dump, "Counter")
        self.assertRegex(name, r"^com\.acme\.Counter\$\$instr\$[0-9a-f]{16}$")
        self.assertRegex(self.made(dump, "Counter$Box"), r"^java\.lang\.Counter\$Box\$\$instr\$")
        self.assertIn("state", self.call(name))
        text = self.dump(self.path("sql.jar"), package="")
        self.assertIn(self.made(text, "Counter").rpartition(".")[0], "")
        self.assertIn("state", self.call(self.made(text, "Counter")))

    @unittest.skipIf(release() < 9, "needs --patch-module")
    def test_alternative_types(self):
        servlets = {kind: self.build(kind, Request=SERVLET % (kind, kind)) for kind in ("javax", "jakarta")}
        source = """
            import instr.kit.*;
            import javax.servlet.http.*;
            @Advice(value = "javax.servlet.http.Request+.path(javax.servlet.http.Request, javax.servletx.A)",
                    types = "javax.servlet|jakarta.servlet")
            class Servlet { static String enter(@Arg(0) Object o) { return "javax.servlet.http " + new Helper().path(); } }
            class Helper { String path() { return new Request().path(); } }
            """
        dump = self.dump(self.build("kit", classpath=servlets["javax"], Servlet=source))
        self.assertIn("target javax.servlet.http.Request+.path(javax.servlet.http.Request, javax.servletx.A)", dump)
        self.assertIn("target jakarta.servlet.http.Request+.path(jakarta.servlet.http.Request, javax.servletx.A)", dump)
        names = re.findall(r"^class Servlet = (\S+)", dump, re.M)
        self.assertEqual(len(set(names)), 2)
        for kind, name in zip(("javax", "jakarta"), names):
            out = self.call(name.replace("/", "."), servlets[kind])
            self.assertEqual(out, f"javax.servlet.http /{kind}\n")

    def test_the_hash_is_that_of_the_bytes(self):
        source = "import instr.kit.*; @Advice(\"a.B.c\") class A { static void enter() { int i = %d; } }"
        names = [self.made(self.dump(self.build(f"k{i}", A=source % n)), "A") for i, n in enumerate((1, 2))]
        again = self.made(self.dump(self.path("k0.jar")), "A")
        self.assertEqual(names[0], again)
        self.assertNotEqual(names[0], names[1])

    @unittest.skipIf(release() < 9, "needs --patch-module")
    def test_several_jars_are_one_kit(self):
        helper = self.build("helper", Help="package h; public class Help { public static String help() { return \"h\"; } }")
        source = "import instr.kit.*; @Advice(\"a.B.c\") class A { static String enter(Object o) { return h.Help.help(); } }"
        jar = self.build("kit", classpath=helper, A=source)
        dump = self.dump(f"{jar}:{helper}")
        self.assertEqual(self.call(self.made(dump, "A")), "h\n")
        self.assertIn("A.class", self.dump(f"{jar}:{self.path('no.jar')}", status=1) + "A.class")
        self.assertIn("no.jar: No such file or directory", self.dump(f"{jar}:{self.path('no.jar')}", status=1))

    # --- problems ---

    def wrong(self, body, reason, before='@Advice("a.B.c(..)")', head="final class Bad"):
        """The kit has this problem, in the line of the body that has the mark /*!*/, or that of the class."""
        source = f"import instr.kit.*;\n{before}\n{head} {{\n{body}\n}}\n"
        number = source[:source.index("/*!*/")].count("\n") + 1 if "/*!*/" in source else 3
        self.problems = getattr(self, "problems", 0) + 1
        jar = self.build(f"bad{self.problems}", Bad=source)
        done = self.tool("kit", "check", jar, status=1)
        self.assertIn(f"Bad.java:{number}: {reason}", done.stdout)

    def test_methods_that_cannot_be_advice(self):
        static = "advice methods are static, and not private or native"
        self.wrong("void enter() { /*!*/ }", "enter: " + static)
        self.wrong("private static void exit() { /*!*/ }", "exit: " + static)
        self.wrong("static void enter() { }\nstatic void enter(int i) { /*!*/ }", "enter: is there twice")
        self.wrong("static int exit() { return 1; /*!*/ }", "exit: returns a value that goes nowhere: make it void")
        self.wrong("@Skip static int enter() { return 1; /*!*/ }", "enter: @Skip wants a result of boolean, or an object")
        self.wrong("@Skip static void enter() { /*!*/ }", "enter: @Skip wants a result of boolean, or an object")
        self.wrong("@Skip static void exit() { /*!*/ }", "exit: @Skip is for enter")
        self.wrong("@Instead static void f() { /*!*/ }", "f: @Instead replaces calls: write calls = true in @Advice")
        self.wrong("static void enter() { }\nstatic void onExit(@Enter long start) { /*!*/ }", "onExit: is never called: advice methods are enter, constructed, returned, thrown and exit, and those with @Instead")
        self.wrong("static void enter() { }\n@Skip static boolean skip() { /*!*/ return true; }", "skip: is never called")
        self.wrong("static native void enter();\nstatic void exit() { }", "enter: " + static)
        self.wrong("static void onEnter() { }", "Bad has no advice method: write a static enter, constructed, returned, thrown or exit")

    def test_parameters_that_cannot_be_bound(self):
        self.wrong("static void enter(@Result Object o) { /*!*/ }", "enter: parameter 1: @Result has no value in enter")
        self.wrong("static void returned(@Thrown Throwable t) { /*!*/ }", "returned: parameter 1: @Thrown has no value in")
        self.wrong("static void exit(@Thrown Exception t) { /*!*/ }", "exit: parameter 1: with @Thrown its type is Throwable\n")
        self.wrong("static void enter(@Method Object m) { /*!*/ }", "enter: parameter 1: with @Method its type is String")
        self.wrong("static void enter(@AllArgs String[] m) { /*!*/ }", "enter: parameter 1: with @AllArgs its type is Object[]\n")
        self.wrong("static void enter(int i, @This int t) { /*!*/ }", "enter: parameter 2: @This is an object")
        self.wrong("static void exit(Holder<String> s) { /*!*/ }", "exit: parameter 1: only arguments can be held, and only in")
        self.wrong("static void enter(@This Holder<String> s) { /*!*/ }", "enter: parameter 1: only arguments can be held")
        self.wrong("static void exit(@Arg(1) @This Object o) { /*!*/ }", "exit: parameter 1 has @Arg and @This: leave one")
        self.wrong("static void exit(@Enter int i) { /*!*/ }", "exit: parameter 1: @Enter needs an enter that returns a value")
        self.wrong("static int enter() { return 1; }\nstatic void exit(@Enter long i) { /*!*/ }",
                   "exit: parameter 1: @Enter has the type that enter returns")
        self.wrong("static int enter() { return 1; }\nstatic void exit(@Enter Object i) { /*!*/ }",
                   "exit: parameter 1: @Enter has the type that enter returns")

        for number in (-1, 255):
            self.wrong(f"static void enter(@Arg({number}) int n) {{ /*!*/ }}", "enter: parameter 1: @Arg counts arguments from 0 to 254")
        self.wrong('static void enter(@Field("x") int x) { /*!*/ }', "enter: parameter 1: @Field is for advised methods, not for calls",
                   before='@Advice(value = "a.b", calls = true, callers = "c.d")')

    def test_annotations_of_a_newer_version(self):
        jar = self.build("newer", Newer="package instr.kit; public @interface Newer { }",
                         Bad='import instr.kit.*;\n@Advice("a.b") class Bad { static void enter(@Newer int n) { } }')
        self.assertIn("Bad.java:2: enter: parameter 1: @Newer is unknown: instr-kit.jar is that of another version\n", self.tool("kit", "check", jar, status=1).stdout)

    def test_annotations_that_say_nothing(self):
        enter = "static void enter() { }"
        self.wrong(enter, "@Advice names no methods: write a pattern, such as", before="@Advice")
        self.wrong(enter, "@Advice: 'nodot' must be a class and a method", before='@Advice("nodot")')
        self.wrong(enter, "@Advice: 'a.b:c.d' has a colon: write several patterns as", before='@Advice("a.b:c.d")')
        self.wrong(enter, "@Advice: value: pattern 'a..b' contains two dots in a row", before='@Advice("a..b.c()")')
        self.wrong(enter, "@Advice: loader: pattern 'a b' contains a character", before='@Advice(value = "a.b", loader = "a b")')
        self.wrong(enter, "@Advice: callers is for calls = true", before='@Advice(value = "a.b", callers = "c.d")')
        self.wrong(enter, '@Advice: calls = true needs the classes that call: callers = "com.acme.**"', before='@Advice(value = "a.b", calls = true)')
        self.wrong(enter, "@Advice: a call does not show annotations: name the methods", before='@Advice(value = "a.b", calls = true, callers = "c.d", annotated = "e.f")')
        self.wrong("static void constructed() { /*!*/ }", "constructed: is called in constructors, not at calls: leave calls = true out", before='@Advice(value = "a.b.c(..)", calls = true, callers = "c.d")')
        self.wrong("static int constructed() { /*!*/ return 1; }", "constructed: returns a value that goes nowhere: make it void")
        self.wrong("static void constructed(@Thrown Throwable t) { /*!*/ }", "constructed: parameter 1: @Thrown has no value in constructed")
        self.wrong(enter, "@Advice: calls of constructors are not advised: advise the constructor itself", before='@Advice(value = "a.b.<init>(..)", calls = true, callers = "c.d")')
        self.wrong(enter, "@Advice: outermost = true is not for constructors, which may end in super()", before='@Advice(value = "a.b.<init>(..)", outermost = true)')
        self.wrong(enter, "@Advice: a+.b: a pattern with + is for methods, not for calls: name the classes whose methods are called", before='@Advice(value = "a+.b", calls = true, callers = "c.d")')
        self.wrong(enter, "types: write names of packages or classes with dots", before='@Advice(value = "a.b", types = "a/b|c")')

    def test_classes_that_cannot_be_helpers(self):
        self.wrong("static void enter() { }", "an advice class extends Object", head="class Bad extends Thread")
        self.wrong("static void enter() { /*!*/ }", "an advice is a class, not an interface", head="interface Bad")
        reason = "classes of a kit may extend and implement only each other and classes of java.base"
        self.wrong("static void enter() { new java.sql.Date(1) { }; }".replace("new", "new Bad.D(); } static class D extends "
                   "java.sql.Date { D() { super(1); /*!*/ } }\nstatic void f() { new"), "Bad$D extends or implements "
                   "java/sql/Date: " + reason)

    def test_broken_classes(self):
        """Whatever becomes of bytes of its classes, a kit is read or refused with a reason."""
        random.seed(9)
        with zipfile.ZipFile(self.build("all", All=ALL)) as jar:
            classes = {name: jar.read(name) for name in jar.namelist() if name.endswith(".class")}
        refused = 0
        for _ in range(200):
            name = random.choice(list(classes))
            data = bytearray(classes[name])
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
            if random.random() < 0.1:
                del data[random.randrange(len(data)):]
            with zipfile.ZipFile(self.path("broken.jar"), "w") as jar:
                for other, content in classes.items():
                    jar.writestr(other, data if other == name else content)
            done = self.run_any(DUMP, self.path("broken.jar"), "a/", self.path("out"))
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertTrue(done.stdout)
            refused += done.returncode
        self.assertGreater(refused, 50)

    def test_kits_that_are_none(self):
        empty = self.build("empty", A="class A { }")
        self.assertIn("empty.jar has no class with @Advice", self.tool("kit", "check", empty, status=1).stdout)
        missing = self.tool("kit", "check", self.path("missing.jar"), status=1)
        self.assertEqual(missing.stdout, self.path("missing.jar") + ": No such file or directory\n")
        self.assertIn("no kit given", self.tool("kit", "check", status=2).stderr)
