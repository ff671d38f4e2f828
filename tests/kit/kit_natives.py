"""Advice for native methods: through their wrappers, which a class gets when it is loaded or never."""

import json
import os
import zipfile

from support import AGENT, BUILD, JDK, Running, KitTest, release

LIBRARY = os.path.join(BUILD, "tests", "libnative_calls.so")
PROGRAM = """
    public class NativeCalls {
        static native int add(int a);
        static native long add(long a);
        final native double mixed(int i, long j, float f, double d, String s, byte[] b, boolean z, char c, short h) throws java.io.IOException;
        synchronized native boolean locked();
        static native void boom(String message);
        static native int byName(int a);
        static int step(int n) { return n; }
        int mark = 5;
        static String all() throws Exception {
            String text = add(1) + " " + add(1L) + " " + new NativeCalls().mixed(1, 2, 3, 4, "five", new byte[6], true, (char) 8, (short) 9) + " " + new NativeCalls().locked() + " " + byName(1) + " " + step(3);
            try { boom("own"); } catch (RuntimeException e) { text += " " + e; }
            return text;
        }
        public static void main(String[] a) throws Exception {
            System.load(a[0]);
            System.out.println(all());
            if (a.length > 1) for (int c; (c = System.in.read()) >= 0;) if (c == 10) System.out.println(all());
        }
    }
    """
PLAIN = "2 3 38.0 true 2 3 java.lang.IllegalStateException: own"
KIT = """
    import instr.kit.*;
    @Advice("NativeCalls.*(..)") final class Seen {
        static long enter(@Method String m) { if (!m.contains("main")) System.out.println("<" + m); return 7; }
        static void exit(@Enter long e, @Method String m, @Thrown Throwable t) { if (t != null) System.out.println(">" + m + e + t.getMessage()); }
    }
    @Advice("NativeCalls.add(int)") final class More {
        static void enter(Holder<Integer> a) { a.value += 10; }
        static int returned(@Result int r) { return r * 2; }
    }
    @Advice("NativeCalls.locked()") final class Held {
        static void enter(@This Object o, @Field("mark") int mark) { System.out.println(Thread.holdsLock(o) + " " + mark); }
    }
    """


class NativesTest(KitTest):
    def setUp(self):
        super().setUp()
        self.app = self.build("app", NativeCalls=PROGRAM)

    def kit(self, body=KIT, name="kit"):
        return self.build(name, classpath=self.app, Seen=body)

    def options(self, *options):
        return ["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal", f"-agentpath:{AGENT}={','.join(options)}",
                *(["--enable-native-access=ALL-UNNAMED"] if release() >= 22 else []), "-cp", self.app, "NativeCalls", LIBRARY]

    def run_with(self, *options):
        done = self.java(*self.options(*options))
        return done.stdout.splitlines(), [line for line in done.stderr.splitlines() if " seen, " not in line]

    def until_all(self, app):
        lines = [app.ask()]
        while " true " not in lines[-1]:
            lines.append(app.line())
        return lines

    def test_advice_of_native_methods(self):
        out, err = self.run_with("kit=" + self.kit())
        self.assertEqual(err, [])
        seen = [line for line in out if line.startswith("<")]
        self.assertEqual(seen, ["<NativeCalls." + m for m in ("all()", "add(int)", "add(long)", "<init>()", "mixed(int,long,float,double,java.lang.String,byte[],boolean,char,short)", "<init>()", "locked()",
                                                              "byName(int)", "add(int)", "step(int)", "boom(java.lang.String)")])
        self.assertEqual([line for line in out if not line.startswith("<")], ["true 5", ">NativeCalls.boom(java.lang.String)7own", "24 3 38.0 true 24 3 java.lang.IllegalStateException: own"])

    def test_the_pass_natives_and_timing_beside(self):
        """All share the wrapper; each counts what it counts alone."""
        kit = self.kit()
        for order in (["natives", "kit=" + kit, "timing"], ["kit=" + kit, "timing", "natives"]):
            out, _ = self.run_with(*order, "natives.file=" + self.path("natives.json"), "timing.file=" + self.path("timing.json"), "include=NativeCalls")
            self.assertEqual(out[-1], "24 3 38.0 true 24 3 java.lang.IllegalStateException: own")
            counts = {}
            for name in ("natives", "timing"):
                with open(self.path(name + ".json"), encoding="utf-8") as file:
                    counts[name] = {m["method"] + m["descriptor"]: (m["calls"], m["thrown"]) for m in json.load(file)["methods"]}
            self.assertEqual(counts["natives"]["add(I)I"], (2, 0))
            self.assertEqual(counts["natives"]["boom(Ljava/lang/String;)V"], (1, 1))
            self.assertEqual(len(counts["natives"]), 6)
            self.assertEqual(sorted(counts["timing"]), ["<init>()V", "all()Ljava/lang/String;", "main([Ljava/lang/String;)V", "step(I)I"])

    def test_skipped_and_failing(self):
        out, err = self.run_with("kit=" + self.kit("""
            import instr.kit.*;
            @Advice("NativeCalls.add(long)") final class Never { @Skip static boolean enter() { return true; } static long returned() { return 99; } }
            @Advice("NativeCalls.mixed(..)") final class Fails { static void enter() { throw new IllegalArgumentException("advice"); } }
            @Advice(value = "NativeCalls.boom(..)", rethrow = SecurityException.class) final class Denied { static void enter(String m) { throw new SecurityException("no " + m); } }
            """))
        self.assertEqual(out, ["2 99 38.0 true 2 3 java.lang.SecurityException: no own"])
        self.assertEqual([line for line in err if "Fails" not in line], [])
        self.assertIn("advice Fails has thrown an exception, which is dropped: java.lang.IllegalArgumentException: advice", err[0])

    def test_a_class_of_the_jdk(self):
        """One that is loaded after the start."""
        self.app = self.build("zone", NativeCalls="""
            public class NativeCalls { public static void main(String[] a) { System.out.println(java.util.TimeZone.getDefault() != null); } }""")
        out, err = self.run_with("kit=" + self.kit('import instr.kit.*; @Advice("java.util.TimeZone.getSystemTimeZoneID(String)") final class Zone { static String returned(@Result String r) { return "Asia/Tokyo"; } static void exit(@Result String r) { System.out.println(r); } }'))
        self.assertEqual((out, err), (["Asia/Tokyo", "true"], []))

    def test_attached_before_and_after_the_class_is_loaded(self):
        """A loaded class gets no wrapper, and a sentence; the wrapper that another pass has made carries advice."""
        for early in (False, True):
            kit = self.kit()
            first = ["natives", "include=NativeCalls"] if early else ["control=on"]
            with Running(self, *self.options(*first), "wait") as app:
                self.assertEqual(app.line(), PLAIN)
                app.wait_for_agent()
                done = self.tool("attach", str(app.pid), "kit=" + kit)
                self.assertEqual("native methods cannot be wrapped because their classes were already loaded" in done.stdout + done.stderr, not early, done.stdout + done.stderr)
                lines = self.until_all(app)
                self.assertEqual("<NativeCalls.add(long)" in lines, early)
                self.assertEqual(lines[-1].split()[0], "24" if early else "2")
                found = json.loads(self.tool("kits", str(app.pid), "--json").stdout)["kits"][0]["advices"]
                self.assertEqual([a["refusal"] for a in found if a["advice"] == "More"],
                                 [None if early else "NativeCalls.add(int) is native, and gets no wrapper: the class was already loaded, and methods of a loaded class cannot be wrapped"])
                # Edited, taken back, dropped: the class keeps the members that it has.
                self.kit(KIT.replace("* 2", "* 3").replace("locked()", "byName(int)").replace("@This Object o, @Field(\"mark\") int mark", "").replace("Thread.holdsLock(o) + \" \" + mark", "\"by name\""))
                self.tool("kit", "reload", str(app.pid))
                lines = self.until_all(app)
                self.assertEqual(lines[-1].split()[0], "36" if early else "2")
                self.assertEqual("by name" in lines, early)
                self.tool("kit", "drop", str(app.pid), "kit")
                self.assertEqual(app.ask(), PLAIN)
                self.tool("revert", str(app.pid))
                self.assertEqual(app.ask(), PLAIN)

    def test_wrappers_outlive_the_kit(self):
        kit = self.kit()
        with Running(self, *self.options("kit=" + kit), "wait") as app:
            while " true " not in app.line():
                pass
            app.wait_for_agent()
            self.tool("kit", "drop", str(app.pid), "kit", "--all")
            self.assertEqual(app.ask(), PLAIN)
            self.tool("attach", str(app.pid), "timing", "include=NativeCalls")
            self.assertEqual(app.ask(), PLAIN)
            self.tool("attach", str(app.pid), "kit=" + kit)
            lines = self.until_all(app)
            self.assertEqual(lines[-1].split()[0], "24")

    def test_what_hotspot_needs_as_it_is(self):
        """The sentence is that of the pass natives."""
        kit = self.kit('import instr.kit.*; @Advice("java.lang.Class.isInstance(Object)") final class Is { static void enter() { } }')
        with Running(self, *self.options("kit=" + kit), "wait") as app:
            app.line()
            app.wait_for_agent()
            refusal = json.loads(self.tool("kits", str(app.pid), "--json").stdout)["kits"][0]["advices"][0]["refusal"]
        self.assertEqual(refusal, "java.lang.Class.isInstance(java.lang.Object) is native, and gets no wrapper: it is a HotSpot intrinsic, which compiled code does not call and HotSpot must find unchanged")

    def test_a_kit_is_checked_against_native_methods(self):
        self.assertIn("Seen: NativeCalls.*(..)\n    10 methods of the jars\n", self.tool("kit", "check", self.kit(), self.app).stdout)
        with zipfile.ZipFile(self.path("jdk.jar"), "w") as jar:
            source = self.write("fake/java/lang/Throwable.java", "package java.lang; public class Throwable { private native Throwable fillInStackTrace(int n); }")
            options = ["--patch-module", "java.base=" + self.path("fake")] if release() > 8 else []
            jar.write(os.path.join(self.javac("fake-classes", source, options=options), "java/lang/Throwable.class"), "java/lang/Throwable.class")
        kit = self.kit('import instr.kit.*;\n@Advice("java.lang.Throwable.fillInStackTrace(int)")\nfinal class Fill { static void enter() { } }')
        self.assertIn("Seen.java:3: the method is native, and gets no wrapper: it inspects its callers on the stack and would find its wrapper, for java.lang.Throwable.fillInStackTrace(int)",
                      self.tool("kit", "check", kit, self.path("jdk.jar"), status=1).stdout)

    def test_files_have_no_wrappers(self):
        os.environ["JAVA_HOME"] = JDK
        kit = self.kit('import instr.kit.*;\n@Advice("NativeCalls.add(..)")\nfinal class Add { static void enter() { System.out.println("never"); } }')
        done = self.tool("rewrite", "kit=" + kit, self.app, "-o", self.path("out.jar"))
        self.assertIn("advice Add is not called: Seen.java:3: the method is native, and gets no wrapper: only the agent can lead the JVM to the code of a native method that was renamed, for NativeCalls.add(int)", done.stderr)
        self.app = self.path("out.jar")
        self.assertEqual(self.java(*self.options()[-4:]).stdout, PLAIN + "\n")

    def test_required(self):
        body = 'import instr.kit.*;\n@Advice(value = "NativeCalls.add(int)", required = true) final class Add { static void enter() { } }'
        self.assertEqual(self.run_with("kit=" + self.kit(body)), ([PLAIN], []))
        with Running(self, *self.options("control=on"), "wait") as app:
            app.line()
            app.wait_for_agent()
            self.assertIn("advice Add is required, but no loaded class has a method for it", self.tool("attach", str(app.pid), "kit=" + self.kit(body, "kit2"), status=1).stderr)
