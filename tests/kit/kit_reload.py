"""A kit is reloaded in a running JVM: the new advice replaces the old, or the old stays."""

import json
import os
import shutil
import zipfile

from support import AGENT, JDK, Running, ShopTest

# Each line of the input is a call; "wait" stays in a method until the next line is there.
WAITS = """
    import java.io.*;
    public class Waits {
        static final BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        static int twice(int x) { return 2 * x; }
        static int thrice(int x) { return 3 * x; }
        static int half(int x) { return x / 2; }
        static int hold(int x) throws IOException { System.out.println("held"); in.readLine(); return x; }
        static class Later { static int twice(int x) { return 2 * x; } }
        public static void main(String[] a) throws IOException {
            System.out.println("ready");
            for (String line; (line = in.readLine()) != null;)
                System.out.println(line.equals("hold") ? "" + hold(1) : line.equals("later") ? "" + Later.twice(1) : twice(1) + " " + thrice(1) + " " + half(2));
        }
    }
    """
ADVICE = '@Advice("Waits.%s(int)") final class %s { static int returned(@Result int r) { return r + %d; } }'


class ReloadTest(ShopTest):
    def setUp(self):
        super().setUp()
        self.app = self.build("waits", Waits=WAITS)

    def kit(self, body, name="kit"):
        shutil.rmtree(self.path(name + "-classes"), ignore_errors=True)
        return super().kit(body, name)

    def start(self, *options):
        java = Running(self, *options, "-cp", self.app, "Waits")
        self.assertEqual(java.line(), "ready")
        return java

    def attach(self, java, kit, *options):
        self.tool("attach", str(java.pid), "kit=" + kit, "max-overhead=off", *options)

    def reload(self, java, *arguments, status=0):
        return self.tool("kit", "reload", str(java.pid), *arguments, status=status)

    def kits(self, java):
        return json.loads(self.tool("kits", str(java.pid), "--json").stdout)["kits"]

    def test_a_report_leaves_kits_out(self):
        """It has the passes that are on beside a kit, in any form; what kits do 'instr kits' prints."""
        with self.start() as java:
            self.attach(java, self.kit(ADVICE % ("twice", "Slow", 10)))
            self.assertIn("has results", self.tool("report", str(java.pid), status=1).stderr)
            named = self.tool("report", str(java.pid), "kit", status=1).stderr
            self.assertIn(f"'kit' is a kit, which has no results of its own; 'instr kits {java.pid}' prints where", named)
            self.tool("enable", str(java.pid), "calls", "include=Waits")
            java.ask()
            self.assertRegex(self.tool("report", str(java.pid), "--reset").stdout, "^calls: 3 methods, 3 calls, ")
            self.tool("report", str(java.pid), "--html", self.path("calls.html"))
            java.ask()
            self.assertEqual(json.loads(self.tool("report", str(java.pid), "--json").stdout)["pass"], "calls")

    def test_new_advice_replaces_the_old_one(self):
        """It is called in other methods, too, and not where only the old one was."""
        with self.start() as java:
            self.attach(java, self.kit(ADVICE % ("t*", "Slow", 10)))
            self.assertEqual(java.ask(), "12 13 1")
            self.kit(ADVICE % ("t*", "Slow", 20))
            self.assertEqual(java.ask(), "12 13 1")
            self.assertRegex(self.reload(java).stdout, r"1 class retransformed, 1 changed in .*s\b.*\ninstr: kit is reloaded; its advice is called in 2 methods\n$")
            self.assertEqual(java.ask(), "22 23 1")
            self.kit(ADVICE % ("twice", "Slow", 30) + ADVICE % ("half", "Other", 40))
            self.reload(java, "kit")
            self.assertEqual(java.ask(), "32 3 41")
            self.assertEqual(java.ask("later"), "2")
            kit, = self.kits(java)
            self.assertEqual({a["advice"]: a["methods"] for a in kit["advices"]}, {"Slow": ["Waits.twice(int)"], "Other": ["Waits.half(int)"]})
            self.assertRegex(self.reload(java).stdout, r"\ninstr: kit has not changed: .*kit.jar\n$")
            self.assertEqual(java.ask(), "32 3 41")
            self.tool("kit", "drop", str(java.pid), "kit")
            self.assertEqual(java.ask(), "2 3 1")

    def test_classes_that_are_loaded_later(self):
        with self.start() as java:
            self.attach(java, self.kit(ADVICE % ("half", "Slow", 10)))
            self.kit('@Advice("Waits$Later.twice(int)") final class Slow { static int returned(@Result int r) { return r + Waits.half(14); } }')
            self.reload(java)
            self.assertEqual((java.ask(), java.ask("later")), ("2 3 1", "9"))

    def test_a_method_that_was_running_ends_with_the_old_advice(self):
        body = '@Advice("Waits.hold(int)") final class Slow { static int enter() { return %d; } static int returned(@Enter int e, @Result int r) { return r + e + %d; } }'
        with self.start() as java:
            self.attach(java, self.kit(body % (10, 100)))
            self.assertEqual(java.ask("hold"), "held")
            self.kit(body % (20, 2000))
            self.reload(java)
            self.assertEqual((java.ask(), java.ask("hold"), java.ask()), ("111", "held", "2021"))

    def test_static_fields_and_state_begin_anew(self):
        body = """@Advice("Waits.twice(int)") final class Slow { static int n; static final State<Integer> ALL = new State<>();
            static int returned(@Result int r) {
                Integer old = ALL.get(Waits.class);
                int all = old == null ? 1 : old + 1;
                ALL.put(Waits.class, all);
                return r + 10 * ++n + %d * all;
            } }"""
        with self.start() as java:
            self.attach(java, self.kit(body % 100))
            self.assertEqual([java.ask(), java.ask()], ["112 3 1", "222 3 1"])
            self.kit(body % 1000)
            self.reload(java)
            self.assertEqual([java.ask(), java.ask()], ["1012 3 1", "2022 3 1"])

    def instances(self, java, name):
        """How many objects there are of classes whose names contain this, after a collection."""
        rows = self.run_command(os.path.join(JDK, "bin/jcmd"), str(java.pid), "GC.class_histogram").stdout.splitlines()
        return sum(int(row.split()[1]) for row in rows if name in row and "[L" not in row)

    def test_a_state_is_empty_when_its_kit_is_off(self):
        """The classes of the kit stay, and so would the values, for as long as their instances. The kit can be switched on again."""
        self.app = self.build("made", Waits="""
            import java.io.*;
            import java.util.*;
            public class Waits {
                static final List<Object> all = new ArrayList<>();
                static Object made() { return new Waits(); }
                public static void main(String[] a) throws IOException {
                    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
                    System.out.println("ready");
                    while (in.readLine() != null) {
                        for (int i = 0; i < 3000; i++) all.add(made());
                        System.out.println(all.size());
                    }
                }
            }""")
        body = """@Advice("Waits.made()") final class Slow {
            static final class Kept { final byte[] bytes = new byte[%d]; Object instance; }
            static final State<Kept> ALL = new State<>();
            static void returned(@Result Object made) { Kept kept = new Kept(); kept.instance = made; ALL.put(made, kept); } }"""
        with self.start() as java:
            for n in range(1, 4):
                kit = self.kit(body % (1000 * n))
                self.reload(java) if n > 1 else self.attach(java, kit)
                self.assertEqual([self.instances(java, name) for name in ("$Kept", "InstrKitEntry")], [0, 0])
                self.assertEqual(java.ask(), str(3000 * n))
                self.assertEqual([self.instances(java, name) for name in ("$Kept", "InstrKitEntry")], [3000, 3000])
            self.tool("kit", "drop", str(java.pid), "kit")
            self.assertEqual([self.instances(java, name) for name in ("$Kept", "InstrKitEntry")], [0, 0])
            self.tool("enable", str(java.pid), "kit=" + kit, "max-overhead=off")
            java.ask()
            self.assertEqual(self.instances(java, "$Kept"), 3000)
            self.tool("disable", str(java.pid), "kit")
            self.assertEqual(self.instances(java, "$Kept"), 0)

    def test_a_state_is_empty_after_a_detach(self):
        """Also where most classes are restored behind the command: one is at once."""
        nested = "".join(f"static class Part{i} {{ static Object made() {{ return new Waits(); }} }} " for i in range(20))
        calls = " ".join(f"all.add(Part{i}.made());" for i in range(20))
        self.app = self.build("parts", Waits=f"""
            import java.io.*;
            import java.util.*;
            public class Waits {{
                static final List<Object> all = new ArrayList<>();
                {nested}
                public static void main(String[] a) throws IOException {{
                    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
                    System.out.println("ready");
                    while (in.readLine() != null) {{
                        {calls}
                        System.out.println(all.size());
                    }}
                }}
            }}""")
        kit = self.kit("""@Advice("Waits$*.made()") final class Slow {
            static final class Kept { }
            static final State<Kept> ALL = new State<>();
            static void returned(@Result Object made) { ALL.put(made, new Kept()); } }""")
        with self.start() as java:
            java.ask()
            self.attach(java, kit)
            self.assertEqual(java.ask(), "40")
            self.assertEqual(self.instances(java, "$Kept"), 20)
            self.tool("detach", str(java.pid))
            self.assertEqual(self.instances(java, "$Kept"), 0)

    def test_a_kit_of_the_command_line(self):
        kit = self.kit(ADVICE % ("twice", "Slow", 10))
        with self.start(f"-agentpath:{AGENT}=kit={kit},quiet=yes") as java:
            java.wait_for_agent()
            self.kit(ADVICE % ("thrice", "Slow", 20))
            self.reload(java)
            self.assertEqual(java.ask(), "2 23 1")
            self.assertEqual([kit["by"] for kit in self.kits(java)], [None])

    def test_one_of_several_kits(self):
        one, two = (self.kit(ADVICE % (method, "Slow", 10), method) for method in ("twice", "thrice"))
        with self.start() as java:
            self.tool("attach", str(java.pid))
            self.assertIn("no kit is on", self.reload_any(java))
            self.attach(java, one, "--as", "ann")
            self.attach(java, two, "--as", "bob")
            self.kit(ADVICE % ("twice", "Slow", 20), "twice")
            self.kit(ADVICE % ("thrice", "Slow", 20), "thrice")
            self.assertIn("no kit is called half", self.reload_any(java, "half"))
            self.assertIn("'twice' was switched on by ann, not by bob", self.reload_any(java, "twice", "--as", "bob"))
            self.assertEqual(java.ask(), "12 13 1")
            self.reload(java, "twice", "--as", "ann")
            self.assertEqual(java.ask(), "22 13 1")
            self.kit(ADVICE % ("twice", "Slow", 30), "twice")
            self.reload(java, "--as", "bob")
            self.assertEqual(java.ask(), "22 23 1")
            self.kit(ADVICE % ("thrice", "Slow", 30), "thrice")
            done = self.reload(java, "--all").stdout
            self.assertEqual(java.ask(), "32 33 1")
            self.assertEqual(done.count("is reloaded"), 2)
            self.assertEqual([kit["by"] for kit in self.kits(java)], ["ann", "bob"])

    def reload_any(self, java, *arguments):
        """The line that says why it fails."""
        done = self.reload(java, *arguments, status=1)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_what_is_wrong_leaves_the_old_kit(self):
        """A missing or broken jar, a mistake in the advice, a class file that is too new: also beside a kit that is right."""
        right = self.kit(ADVICE % ("half", "Right", 10), "right")
        jar = self.kit(ADVICE % ("twice", "Slow", 10) + ADVICE % ("hold", "Held", 10))
        with self.start() as java:
            self.attach(java, right)
            self.attach(java, jar)
            self.assertEqual((java.ask(), java.ask("hold"), java.ask()), ("12 3 11", "held", "11"))
            hashes = [kit["hash"] for kit in self.kits(java)]
            self.kit(ADVICE % ("half", "Right", 20), "right")
            os.rename(jar, jar + ".old")
            self.assertRegex(self.reload_any(java), r"^instr: kit stays as it was: .*kit.jar: No such file or directory$")
            self.kit("""@Advice("Waits.twice(int)") final class Slow {
                static void enter(@Result int r) { } }""")
            self.assertRegex(self.reload_any(java), r"^instr: kit stays as it was: Slow.java:3: enter: parameter 1: @Result has no value in enter$")
            with open(jar, "r+b") as file:
                file.truncate(os.path.getsize(jar) - 30)
            self.assertRegex(self.reload_any(java), r"^instr: kit stays as it was: .*kit.jar: is truncated")
            self.kit('@Advice(value = "Waits.nothing()", required = true) final class Slow { static void enter() { } }')
            self.assertRegex(self.reload_any(java), r"advice Slow is required, but no loaded class has a method for it")
            for body in ("static void enter() { }", "static int n = Waits.half(1); static void enter() { }"):
                self.too_new('@Advice("Waits.twice(int)") final class Slow { %s }' % body)
                self.assertRegex(self.reload_any(java), r"^instr: kit stays as it was: Slow has class file version 99, and this JVM takes up to \d+$")
            self.assertEqual(java.ask(), "12 3 11")
            self.assertEqual([kit["hash"] for kit in self.kits(java)], hashes)
            self.kit(ADVICE % ("twice", "Slow", 20))
            self.reload(java)
            self.assertEqual(java.ask(), "22 3 21")

    def too_new(self, body):
        """The kit, with class files of a version that no JDK has."""
        self.kit(body)
        for folder, _, files in os.walk(self.path("kit-classes")):
            for name in files:
                with open(os.path.join(folder, name), "r+b") as file:
                    file.seek(6)
                    file.write((99).to_bytes(2, "big"))
        self.jar("kit.jar", self.path("kit-classes"))

    def test_a_start_with_a_kit_that_is_too_new(self):
        """It is refused once, however many classes it matches, and the program runs without it."""
        self.too_new('@Advice("Waits*.*(int)") final class Slow { static void enter() { } }')
        done = self.java(f"-agentpath:{AGENT}=kit={self.path('kit.jar')}", "-cp", self.app, "Waits", input="\nlater\n")
        self.assertEqual(done.stdout.split("\n"), ["ready", "2 3 1", "2", ""])
        self.assertRegex(done.stderr, r"^instr: nothing is instrumented: Slow has class file version 99, and this JVM takes up to \d+\n$")
        with self.start() as java:
            done = self.tool("attach", str(java.pid), "kit=" + self.path("kit.jar"), status=1)
            self.assertRegex(done.stderr, r"Slow has class file version 99, and this JVM takes up to \d+\n$")

    def test_places_that_change_while_threads_are_in_them(self):
        """Each call has the old or the new advice, whole, and there is no error."""
        self.app = self.build("busy", Waits="""
            import java.io.*;
            public class Waits {
                static int twice(int x) { return 2 * x; }
                static int wrong;
                static volatile boolean ends;
                static void call() {
                    while (!ends) {
                        int r = twice(1) - 2;
                        if (r < 1010 || r > 40040 || r % 1000 != r / 1000) wrong = r;
                    }
                }
                public static void main(String[] a) throws Exception {
                    System.out.println("ready");
                    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
                    in.readLine();
                    Thread[] threads = new Thread[3];
                    for (int i = 0; i < threads.length; i++) (threads[i] = new Thread(Waits::call)).start();
                    System.out.println("calling");
                    in.readLine();
                    ends = true;
                    for (Thread thread : threads) thread.join();
                    System.out.println(wrong);
                }
            }""")
        body = '@Advice("Waits.twice(int)") final class Slow { static int enter() { return %d; } static int returned(@Enter int e, @Result int r) { return r + e + 1000 * %d; } }'
        kits = [self.kit(body % (n, n), f"kit{n}") for n in (10, 20, 30, 40)]
        with self.start() as java:
            self.attach(java, shutil.copy(kits[0], self.path("kit.jar")))
            self.assertEqual(java.ask(), "calling")
            for n in range(1, 41):
                shutil.copy(kits[n % 4], self.path("kit.jar"))
                self.assertIn("kit is reloaded", self.reload(java).stdout)
            self.assertEqual([a["loaders"][0]["failures"] for a in self.kits(java)[0]["advices"]], [0])
            self.assertEqual(java.ask(), "0")

    def test_a_hundred_times(self):
        """Of the old kits only the classes are left, as their loaders do not end: two of the advice, and two bridges."""
        large = "".join('static final String S%d = "%s";' % (i, "%x" % i * 60000) for i in range(16))  # which the JVM has once
        kit = self.kit(ADVICE % ("twice", "Slow", 1) + '@Advice("Waits.half(int)") final class Own { %s static void enter(int x) { Waits.thrice(x); } }' % large)
        with self.start() as java:
            self.attach(java, kit)
            for n in range(100):
                with zipfile.ZipFile(kit, "a") as jar:
                    jar.writestr(str(n), "")
                self.assertIn("kit is reloaded", self.reload(java).stdout)
                if n == 9:
                    early = self.resources(java)
            late = self.resources(java)
            self.assertEqual(java.ask(), "3 3 1")
        self.assertEqual(late["classes"] - early["classes"], 90 * 5)  # and Waits, which is retransformed
        self.assertLess(late["files"] - early["files"], 9, (early, late))
        self.assertLess(late["threads"] - early["threads"], 9, (early, late))
        self.assertLess(late["kB"] - early["kB"], 30000, (early, late))

    def resources(self, java):
        with open(f"/proc/{java.pid}/status", encoding="ascii") as file:
            size = int(next(line for line in file if line.startswith("VmRSS")).split()[1])
        loaded = self.run_command(os.path.join(JDK, "bin/jstat"), "-class", str(java.pid)).stdout.split()
        return {"kB": size, "files": len(os.listdir(f"/proc/{java.pid}/fd")), "threads": len(os.listdir(f"/proc/{java.pid}/task")),
                "classes": int(loaded[loaded.index("Time") + 1])}
