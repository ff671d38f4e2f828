"""Advice with required = true: a start fails, and so does a command, where it applies to nothing."""

import os
import shutil
import unittest
import zipfile

from support import AGENT, JDK, PLAIN, Running, ShopTest

NONE = "has no method for it"


class RequiredTest(ShopTest):
    def required(self, value, name="required", more=""):
        return self.kit("@Advice(value = \"%s\", required = true%s) final class Slow { static void enter() { System.out.println(\"in\"); } }" % (value, more), name)

    def start(self, kit, *words, agent="quiet=yes"):
        return self.run_any(os.path.join(JDK, "bin/java"), f"-agentpath:{AGENT}=kit={kit},{agent}", *words)

    def fails(self, kit, why, *words):
        done = self.start(kit, *words)
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("tea!3", done.stdout)
        self.assertIn(why, done.stderr)

    def goes_on(self, kit, *words, out=None, missing=False):
        done = self.start(kit, *words)
        self.assertEqual((done.returncode, [line for line in done.stdout.splitlines() if line != "in"]), (0, out or PLAIN))
        self.assertEqual("advice Slow is required, but was called from no method" in done.stderr, missing, done.stderr)
        return done

    def test_a_start_fails_without_a_match(self):
        for i, (value, where) in enumerate((("com.acme.Shop.odrer(..)", "com.acme.Shop.odrer(..)"), ("com.acme.Shopp.order(..)", "com.acme.Shopp.order(..)"),
                                            ("com.acme.Sh?p?.*", "com.acme.Sh?p?.*"), ("java.util.ArrayList.ad(..)", "java.util.ArrayList.ad(..)"))):
            self.fails(self.required(value, f"k{i}"), f"Slow.java:2: advice Slow is required, but the class path has no method for it: {where}", "-cp", self.app, "com.acme.Shop")

    def test_a_start_fails_where_the_object_is_of_another_class(self):
        kit = self.kit('@Advice(value = "com.acme.Shop.order(..)", required = true) final class Slow { static void enter(@This Number shop) { } }')
        self.fails(kit, "Slow.java:2: enter: parameter 1: @This is of another class: use Object", "-cp", self.app, "com.acme.Shop")

    def test_calls(self):
        for i, (value, callers) in enumerate((("com.acme.Shop.odrer(..)", "com.acme.**"), ("com.acme.Shop.order(..)", "com.acne.**"))):
            kit = self.required(value, f"k{i}", f', calls = true, callers = "{callers}"')
            self.fails(kit, f"Slow.java:2: advice Slow is required, but the class path has no call for it: {value}", "-cp", self.app, "com.acme.Shop")
        for i, callers in enumerate(("com.acme.**", "com.acme.Shop")):
            kit = self.required("com.acme.Shop.order(..)", f"found{i}", f', calls = true, callers = "{callers}"')
            self.assertEqual(self.goes_on(kit, "-cp", self.app, "com.acme.Shop").stdout.splitlines().count("in"), 2)
        everywhere = self.required("com.acme.Shop.odrer(..)", "everywhere", ', calls = true, callers = "**"')
        self.goes_on(everywhere, "-cp", self.app, "com.acme.Shop", missing=True)

    def test_a_start_fails_where_advice_does_not_fit(self):
        kit = self.kit('@Advice(value = "com.acme.Shop.twice(..)", required = true) final class Slow { static void enter(@Arg(0) String item) { } }')
        self.fails(kit, "; the advice is required", "-cp", self.app, "com.acme.Shop")

    def test_a_start_with_a_match(self):
        for i, value in enumerate(("com.acme.Shop.order(..)", "com.acme.*.order(..)", "com.acme.Shop+.order(..)")):
            self.assertEqual(self.goes_on(self.required(value, f"k{i}"), "-cp", self.app, "com.acme.Shop").stdout.splitlines().count("in"), 2)
        self.goes_on(self.required("java.util.ArrayList.trimToSize(..)", "jdk"), "-cp", self.app, "com.acme.Shop")

    def test_classes_that_are_in_places_unknown(self):
        kit = self.required("com.acme.Elsewhere.order(..)")
        app = shutil.copy(self.app, self.path("nested.jar"))
        self.fails(kit, NONE, "-cp", app, "com.acme.Shop")
        with zipfile.ZipFile(app, "a") as jar:
            jar.writestr("lib/more.jar", b"")
        self.goes_on(kit, "-cp", app, "com.acme.Shop", missing=True)
        further = self.path("further.jar")
        with zipfile.ZipFile(further, "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\nMain-Class: com.acme.Shop\nClass-Path: {os.path.basename(app)}\n")
        self.goes_on(kit, "-jar", further, missing=True)
        loader = self.required("com.acme.Elsewhere.order(..)", "loader", ', loader = "com.acme.*Loader"')
        self.goes_on(loader, "-cp", self.app, "com.acme.Shop", missing=True)

    def test_a_large_class_path(self):
        """It is not in memory as a whole: neither where the pattern cannot be decided by it, nor where all of it is looked through."""
        text = "".join(f'"{c * 60000}".length() + ' for c in "abc")
        large = self.build("large", Large0000="public class Large0000 { int n() { return %s 0; } }" % text)
        with zipfile.ZipFile(large) as jar:
            data = jar.read("Large0000.class")
        with zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as jar:
            for n in range(1000):
                jar.writestr(f"Large{n:04}.class", data.replace(b"Large0000", b"Large%04d" % n))
        peak = self.build("peak", Peak="""
            public class Peak {
                static void found() { }
                public static void main(String[] a) throws Exception {
                    for (String line : java.nio.file.Files.readAllLines(java.nio.file.Paths.get("/proc/self/status")))
                        if (line.startsWith("VmHWM")) System.out.println(line.replaceAll("[^0-9]", ""));
                }
            }""")
        jars = ["-XX:+UseSerialGC", "-cp", f"{large}:{peak}", "Peak"]
        plain = self.java(*jars).stdout
        for i, value in enumerate(('"Large0000+.missing(..)"', '{"Large????.missing(..)", "Peak.found(..)"}')):
            kit = self.kit("@Advice(value = %s, required = true) final class Slow { static void enter() { } }" % value, f"k{i}")
            with_kit = self.start(kit, *jars)
            self.assertEqual(with_kit.returncode, 0, with_kit.stderr)
            kb = [int(out.split()[-1]) for out in (plain, with_kit.stdout)]
            self.assertLess(kb[1] - kb[0], 100000, kb)

    def test_a_broken_jar_of_the_class_path(self):
        broken = self.path("broken.jar")
        with open(broken, "wb") as jar:
            jar.write(b"PK\3\4" * 9)
        self.goes_on(self.required("com.acme.Elsewhere.order(..)"), "-cp", f"{self.app}:{broken}", "com.acme.Shop", missing=True)

    def test_a_command_fails_without_a_match(self):
        app = self.build("waits", Waits="""
            public class Waits {
                static long twice(long x) { return 2 * x; }
                public static void main(String[] a) throws Exception {
                    System.out.println("ready");
                    for (int c; (c = System.in.read()) >= 0; ) if (c == 10) System.out.println(twice(21));
                }
            }""")
        with Running(self, "-cp", app, "Waits") as jvm:
            jvm.line()
            done = self.tool("attach", str(jvm.pid), "kit=" + self.required("Waits.thrice(..)", "wrong"), "max-overhead=off", status=1)
            self.assertIn("advice Slow is required, but no loaded class has a method for it: Waits.thrice(..)", done.stderr)
            self.assertEqual(jvm.ask(), "42")
            self.tool("attach", str(jvm.pid), "kit=" + self.required("Waits.twice(long)", "right"), "max-overhead=off")
            self.assertEqual([jvm.ask(), jvm.line()], ["in", "42"])


if __name__ == "__main__":
    unittest.main()
