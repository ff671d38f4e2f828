"""Kits in files that `instr rewrite` makes: the programs need nothing else, and run as with the agent."""

import json
import os
import re
import zipfile

from support import AGENT, JDK, SHOP, KitTest

LIBRARY = {
    "Task": "package lib; public interface Task { String run(String s); }",
    "Base": "package lib; public abstract class Base implements Task { protected String mark = \"<\"; }",
}
PROGRAM = {
    "Shop": SHOP,
    "Main": """
        package app;
        import com.acme.Shop;
        public class Main {
            static class Leaf extends Middle { public String run(String s) { return mark + "leaf " + s; } }
            static class Middle extends lib.Base { public String run(String s) { return mark + "middle " + s; } }
            private int depth;
            int nested(int n) { return n == 0 ? 0 : 1 + nested(n - 1); }
            static String greet(String name) { return "hello " + name; }
            static boolean closed(Object o) { return false; }
            public static void main(String[] a) throws Exception {
                Shop.main(a);
                System.out.println(new Leaf().run("x") + new Middle().run("y"));
                System.out.println(new Main().nested(3) + greet("you") + closed(a) + Shop.stock());
                try { greet(null); } catch (IllegalStateException e) { System.out.println("thrown " + e.getMessage()); }
            }
        }""",
}
KIT = {
    "Values": """
        import instr.kit.*;
        @Advice("com.acme.Shop.order(..)") final class Values {
            static final State<Integer> CALLS = new State<>();
            static long enter(@This Object shop, Holder<String> item, @Arg(1) int n) {
                Integer calls = CALLS.get(shop);
                CALLS.put(shop, calls == null ? 1 : calls + 1);
                item.value = item.value + CALLS.get(shop);
                return n;
            }
            static void exit(@Enter long n, @AllArgs Object[] all, @Method String m, @Thrown Throwable t) {
                Log.say(m + n + all.length + t);
            }
        }""",
    "Log": """
        final class Log {
            private static int lines;
            static void say(String text) { Runnable r = () -> System.out.println(++lines + " " + text); r.run(); }
        }""",
    "Own": """
        import instr.kit.*;
        @Advice("com.acme.Shop.twice(long)") final class Own {
            static long returned(@Result long r, @Arg(0) long x) { Log.say("stock " + com.acme.Shop.stock()); return r + 1; }
        }
        @Advice("com.acme.Shop.<init>(..)") final class Made {
            static void exit(@This Object shop, @Field("name") String name, @Thrown Throwable t) { Log.say("made " + (shop != null) + name + (t != null)); }
        }""",
    "Tasks": """
        import instr.kit.*;
        @Advice("lib.Task+.run(String)") final class Tasks {
            static String returned(@This Object task, @Result String r) { return "[" + (task instanceof lib.Base ? r : "?") + "]"; }
        }
        @Advice(value = "app.Main.nested(int)", outermost = true) final class Outer {
            static void enter(int n) { Log.say("outermost " + n); }
        }
        @Advice("app.Main.closed(Object)") final class Skipped {
            @Skip static boolean enter() { return true; }
            static boolean returned(@Result boolean r) { return true; }
        }
        @Advice(value = "com.acme.Shop.stock()", calls = true, callers = "app.*") final class Instead1 {
            @Instead static int of() { return 77; }
        }
        @Advice(value = "app.Main.greet(String)", rethrow = IllegalStateException.class) final class Greet {
            static void enter(String name) {
                if (name == null) throw new IllegalStateException("no name");
                throw new IllegalArgumentException("dropped");
            }
        }""",
}


class RewriteTest(KitTest):
    def setUp(self):
        super().setUp()
        self.library = self.build("library", **LIBRARY)
        self.program = self.build("program", classpath=self.library, **PROGRAM)
        self.both = self.library + ":" + self.program
        self.advice = self.build("kit", classpath=self.both, **KIT)

    def rewrite(self, source, name, *options, kit=None, status=0):
        os.environ["JAVA_HOME"] = JDK
        return self.tool("rewrite", "kit=" + (kit or self.advice), *options, "-o", self.path(name), source, status=status)

    def run_main(self, *paths, options=(), status=0):
        return self.java("-Xverify:all", *options, "-cp", os.pathsep.join(paths), "app.Main", status=status)

    def lines(self, done):
        """Without what a JVM says of -Xverify:all."""
        return done.stdout.splitlines(), [line for line in done.stderr.splitlines() if "-Xverify" not in line and "BytecodeVerification" not in line]

    def agent(self):
        return self.lines(self.run_main(self.both, options=[f"-agentpath:{AGENT}=kit={self.advice},quiet=yes"]))

    def test_a_jar_runs_as_with_the_agent(self):
        """Without the agent and without any other jar of instr."""
        done = self.rewrite(self.program, "out.jar", "--class-path", self.library)
        self.assertRegex(done.stderr, r"^instr: .*out.jar: 4 classes in scope, 4 changed; 0 methods skipped\n$")
        found, expected = self.lines(self.run_main(self.library, self.path("out.jar"))), self.agent()
        self.assertEqual(found, expected)
        self.assertEqual(found[0][-4:], ["[<leaf x][<middle y]", "6 outermost 3", "3hello youtrue77", "thrown no name"])
        self.assertIn("instr: advice Greet has thrown an exception, which is dropped: java.lang.IllegalArgumentException: dropped (in Greet.enter, line 19)", found[1])

    def test_a_directory(self):
        folder = self.path("classes")
        for jar in (self.library, self.program):
            with zipfile.ZipFile(jar) as file:
                file.extractall(folder)
        self.rewrite(folder, "out")
        self.assertEqual([name for _, _, names in os.walk(self.path("out")) for name in names if name.startswith("Instr$")], [])
        self.assertEqual(self.lines(self.run_main(self.path("out"))), self.agent())

    def test_two_jars_of_one_class_path(self):
        """What there is once with the agent is there once: Log counts all lines."""
        self.rewrite(self.program, "one.jar", "--class-path", self.library)
        self.rewrite(self.library, "two.jar", "--class-path", self.program)
        self.assertEqual(self.lines(self.run_main(self.path("two.jar"), self.path("one.jar"))), self.agent())

    def test_the_verifiers_of_the_tool(self):
        self.rewrite(self.program, "out.jar", "--class-path", self.library)
        self.tool("check", self.path("out.jar"))

    def test_the_same_again(self):
        for name in ("one.jar", "two.jar"):
            self.rewrite(self.program, name, "--class-path", self.library)
        with open(self.path("one.jar"), "rb") as one, open(self.path("two.jar"), "rb") as two:
            self.assertEqual(one.read(), two.read())

    def test_what_is_beside_the_classes(self):
        """Classes of the JDK and of the kit alone are there once, the others in the packages that they advise."""
        self.rewrite(self.program, "out.jar", "--class-path", self.library)
        with zipfile.ZipFile(self.path("out.jar")) as jar:
            names = jar.namelist()
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual([name for name in names if "/Instr$" in name], [])  # what the code of other passes calls
        ours = list(name.split("$$instr$")[0] + ("$bridge" if "$bridge" in name else "") for name in names if "$$instr$" in name)
        self.assertEqual(len(ours), 17)
        self.assertEqual(set(ours), set(name + bridge for name in ("app/Tasks", "com/acme/Own", *("instr/woven/" + n for n in ("Greet", "Instead1", "Made", "Outer", "Skipped", "Values")))
                                      for bridge in ("", "$bridge")) | {"instr/woven/Log"})
        for name in ("Failure", "Nesting", "State", "Holder"):
            self.assertIn(f"instr/woven/InstrKit{name}.class", names)

    def test_other_passes_in_one_run(self):
        """Each counts what it counts with the agent; code of kits has no ids, and is not covered."""
        runtime = self.tool("runtime-jar").stdout.strip()
        for index, (scope, passes) in enumerate((("include=app.**:com.acme.**", ["calls", "coverage"]), ("include=app.**", ["timing"]))):
            name = passes[0]  # of timing the class Shop is out of scope, but not of the kit
            done = self.rewrite(self.program, f"{name}.jar", *passes, scope, "--class-path", self.library)
            self.assertRegex(done.stderr, r"4 classes in scope, 4 changed; 0 methods skipped\n$")
            files = [f"{p}.file={self.path(p + '.agent')}" for p in passes]
            agent = self.run_main(self.both, options=[f"-agentpath:{AGENT}={','.join(['kit=' + self.advice, *passes, scope, 'quiet=yes', *files])}"])
            done = self.run_main(self.library, self.path(f"{name}.jar"), options=["-Xbootclasspath/a:" + runtime])
            self.assertEqual(done.stdout, agent.stdout)
            made = [file for file in os.listdir(self.folder) if re.match(r"[a-z]+-\d+\.json$", file) and not file.startswith("coverage")]
            self.assertEqual([re.sub(r"-\d+", "", file) for file in made], [f"{name}.json"])
            self.assertEqual(self.counts(made[0]), self.counts(f"{name}.agent"))
            os.remove(self.path(made[0]))
            if index == 0:
                exec_files = [file for file in os.listdir(self.folder) if file.endswith(".exec")]
                reports = [self.tool("coverage", "report", self.path(file), "--classfiles", self.program, "--csv", "/dev/stdout").stdout for file in (*exec_files, "coverage.agent")]
                self.assertEqual(len(exec_files), 1)
                self.assertIn("Shop", reports[0])
                self.assertEqual(reports[0], reports[1])
        self.tool("check", self.path("calls.jar"))

    def counts(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return {f"{m['class']}.{m['method']}{m['descriptor']}": (m["calls"], m["thrown"]) for m in json.load(file)["methods"]}

    def test_other_passes_in_another_run(self):
        self.rewrite(self.program, "out.jar", "--class-path", self.library)
        self.tool("rewrite", "calls", "include=app.**:com.acme.**", self.path("out.jar"), "-o", self.path("twice.jar"))
        runtime = self.tool("runtime-jar").stdout.strip()
        done = self.lines(self.run_main(self.library, self.path("twice.jar"), options=["-Xbootclasspath/a:" + runtime]))
        self.assertEqual(done[0], self.agent()[0])
        self.assertTrue([name for name in os.listdir(self.folder) if name.startswith("calls-")], os.listdir(self.folder))
        self.assertIn("a kit has been woven into it already; name all kits in one command", self.rewrite(self.path("out.jar"), "again.jar", status=1).stderr)

    def test_several_kits(self):
        one = self.build("one", classpath=self.both, One='import instr.kit.*; @Advice(value = "app.Main.nested(int)", outermost = true) final class One { static void enter() { System.out.println("one"); } }')
        self.rewrite(self.program, "out.jar", "kit=" + one, "--class-path", self.library)
        out, _ = self.lines(self.run_main(self.library, self.path("out.jar")))
        self.assertEqual([line for line in out if line.endswith("outermost 3") or line == "one"], ["6 outermost 3", "one"])

    def test_jars_with_kits_of_their_own(self):
        """Calls of outermost advice of one kit are not nested in those of the other one."""
        inner = self.build("inner", Inner="package com.acme; public class Inner { public static void run() { } }")
        outer = self.build("outer", classpath=inner, Outer="package app; public class Outer { public static void main(String[] a) { com.acme.Inner.run(); } }")
        for jar, target in ((inner, "com.acme.Inner.run()"), (outer, "app.Outer.main(..)")):
            kit = self.build("kit-of-" + os.path.basename(jar)[:-4], One='import instr.kit.*; @Advice(value = "%s", outermost = true) final class One { static void enter() { System.out.println("%s"); } }' % (target, target))
            self.tool("rewrite", "kit=" + kit, jar, "-o", self.path("woven-" + os.path.basename(jar)))
        done = self.java("-cp", os.pathsep.join((self.path("woven-outer.jar"), self.path("woven-inner.jar"))), "app.Outer")
        self.assertEqual(done.stdout.splitlines(), ["app.Outer.main(..)", "com.acme.Inner.run()"])

    def test_advice_without_a_method(self):
        body = '@Advice(value = "app.Main.nothing()"%s) final class %s { static void enter() { } }'
        for required, status in (("", 0), (", required = true", 1)):
            name = "Needed" if required else "Nowhere"
            kit = self.build(name, classpath=self.both, **{name: "import instr.kit.*; " + body % (required, name)})
            done = self.rewrite(self.program, name + "-out.jar", kit=kit, status=status)
            self.assertIn(f"instr: advice {name} is called from nowhere: no method matches{', and it is required' if required else ''}\n", done.stderr)
        kit = self.build("typed", classpath=self.both, Typed='import instr.kit.*; @Advice("app.Main.greet(String)") final class Typed { static void enter(int n) { } }')
        done = self.rewrite(self.program, "typed-out.jar", kit=kit)
        self.assertRegex(done.stderr, r"advice Typed is not called: Typed.java:1: enter: parameter 1 is argument 0, whose type is")
        self.assertIn("advice Typed is called from nowhere: no method fits\n", done.stderr)

    def test_what_needs_the_agent(self):
        kit = self.build("loader", classpath=self.both, In='import instr.kit.*; @Advice(value = "app.Main.greet(String)", loader = "boot") final class In { static void enter() { } }')
        self.assertIn("In.java:1: loader: only the agent knows loaders", self.rewrite(self.program, "out", kit=kit, status=2).stderr)
        self.assertIn("the option 'kit.file' needs the agent", self.rewrite(self.program, "out", "kit.file=x.json", status=2).stderr)
        self.assertIn("--class-path has an effect only with a kit", self.tool("rewrite", "timing", "--class-path", self.library, "-o", self.path("timed.jar"), self.program).stderr)
        with zipfile.ZipFile(self.program) as jar:
            jar.extract("app/Main.class", self.folder)
        self.assertIn("a kit needs a jar or a directory", self.rewrite(self.path("app/Main.class"), "out", status=1).stderr)
        self.assertIn("No such file", self.rewrite(self.program, "out", "--class-path", "missing.jar", status=1).stderr)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_jars_in_jars(self):
        """The classes of a kit are beside those that call it, in each class path."""
        with zipfile.ZipFile(self.path("fat.jar"), "w") as fat:
            for name in ("library", "program"):
                with open(self.path(name + ".jar"), "rb") as jar:
                    fat.writestr(f"BOOT-INF/lib/{name}.jar", jar.read())
        self.rewrite(self.path("fat.jar"), "out.jar", "--class-path", self.both)
        with zipfile.ZipFile(self.path("out.jar")) as fat:
            fat.extractall(self.path("lib"))
        self.assertEqual(self.lines(self.run_main(*(self.path(f"lib/BOOT-INF/lib/{name}.jar") for name in ("library", "program")))), self.agent())

    def test_sealed_jars(self):
        """The package of a kit's class is sealed, too, in its jar; instr.woven is in both jars."""
        expected = self.agent()
        manifest = self.write("sealed.mf", "Manifest-Version: 1.0\nSealed: true\n\nName: none/\nSealed: false\n")
        for package in ("app", "com"):
            self.run_command(os.path.join(JDK, "bin", "jar"), "cfm", self.path(package + ".jar"), manifest, "-C", self.path("program-classes"), package)
        for first, second in (("app.jar", "com.jar"), ("com.jar", "app.jar")):
            self.rewrite(self.path(first), "one.jar", "--class-path", self.both)
            self.rewrite(self.path(second), "two.jar", "--class-path", self.both)
            with zipfile.ZipFile(self.path("one.jar")) as one, zipfile.ZipFile(self.path("two.jar")) as two:
                common = [name for name in one.namelist() if name.startswith("instr/woven/") and name in two.namelist()]
                apart = [name for name in one.namelist() + two.namelist() if name.startswith("instr/woven/") and name not in common]
                self.assertIn(b"\r\n\r\nName: none/\r\nSealed: false\r\n\r\nName: instr/woven/\r\nSealed: false\r\n\r\n", one.read("META-INF/MANIFEST.MF"))
            self.assertTrue(common and apart)
            self.assertEqual(self.lines(self.run_main(self.path("one.jar"), self.path("two.jar"), self.library)), expected)

    def test_a_module(self):
        if not os.path.exists(os.path.join(JDK, "lib", "modules")):
            self.skipTest("JDK 8 has no modules")
        self.write("module/module-info.java", "module shop { }")
        self.write("module/com/acme/Shop.java", SHOP)
        jar = self.jar("shop.jar", self.javac("shop", self.path("module/module-info.java"), self.path("module/com/acme/Shop.java")))
        kit = self.build("modular", classpath=self.program, Own=KIT["Own"], Log=KIT["Log"])
        done = self.rewrite(jar, "out.jar", kit=kit)
        self.assertIn("shop.jar: is a module; kits need it on the class path, not on the module path", done.stderr)
        done = self.java("-cp", self.path("out.jar"), "com.acme.Shop")
        self.assertEqual(done.stdout.splitlines()[-2:], ["3 stock 5", "43"])
