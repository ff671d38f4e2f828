"""Advice for what extends or implements a class, and for loaders of a kind."""

import os

from support import AGENT, JDK, PLAIN, KitTest, Running, ShopTest

TASKS = {
    "Task": "public interface Task { int order(String s); }",
    "Base": "public abstract class Base implements Task { public int order(String s) { return s.length(); } }",
    "Mid": """public class Mid extends Base {
        static { System.out.println("init " + new Mid().order("clinit")); }
        @Override public int order(String s) { return super.order(s) + 1; }
    }""",
    "Leaf": "public class Leaf extends Mid { @Override public int order(String s) { return super.order(s) + 100; } }",
    "Late": "public class Late extends Other implements Task { @Override public int order(String s) { return 9; } }",
    "Other": "public class Other { public int order(String s) { return -1; } }",
    "Main": """public class Main {
        public static void main(String[] a) throws Exception {
            System.out.println(new Leaf().order("abc") + new Other().order("abc"));
            java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
            for (String line; (line = in.readLine()) != null;)
                System.out.println(((Task) Class.forName(line).getConstructor().newInstance()).order(line) + ".");
        }
    }"""}
ADVICE = """import instr.kit.*;
    @Advice("Task+.order(String)") final class Slow {
        static void enter(@Method String m, String s) { System.out.println(m.substring(0, m.indexOf('.')) + " " + s); }
    }"""


class SupertypesTest(KitTest):
    def setUp(self):
        super().setUp()
        self.app = self.build("app", **TASKS)
        self.advice = self.build("kit", classpath=self.app, Slow=ADVICE)

    def test_before_the_first_use(self):
        """No supertype is loaded when the JVM asks for the bytes of the class; its initializer calls the method."""
        done = self.java("-Xcheck:jni", f"-agentpath:{AGENT}=kit={self.advice},quiet=yes", "-cp", self.app, "Main", input="Late\nMid\n")
        self.assertEqual(done.stdout.splitlines(), ["Mid clinit", "Base clinit", "init 7", "Leaf abc", "Mid abc", "Base abc", "103",
                                                    "Late Late", "9.", "Mid Mid", "Base Mid", "4."])
        self.assertEqual(done.stderr, "")

    def test_classes_that_are_loaded_while_another_is_changed(self):
        """A transformer of another agent loads and links a class on the thread that changes Leaf."""
        classes = self.javac("other", self.write("Loads.java", """
            import java.lang.instrument.*;
            public class Loads implements ClassFileTransformer {
                public static void premain(String a, Instrumentation i) { i.addTransformer(new Loads(), true); }
                @Override public byte[] transform(ClassLoader loader, String name, Class<?> again, java.security.ProtectionDomain d, byte[] b) {
                    if (again != null && name.equals("Leaf"))
                        try { System.out.println("linked " + Class.forName("Twig", true, loader).getName()); } catch (Exception e) { System.out.println(e); }
                    return null;
                }
            }"""))
        manifest = self.write("manifest", "Premain-Class: Loads\nCan-Retransform-Classes: true\n")
        self.run_command(os.path.join(JDK, "bin/jar"), "cfm", self.path("other.jar"), manifest, "-C", classes, ".")
        app = self.build("twigs", **TASKS, Branch="public class Branch extends Base { }",
                         Twig="public class Twig extends Branch { @Override public int order(String s) { return 7; } }")
        done = self.java(f"-agentpath:{AGENT}=kit={self.advice},quiet=yes", f"-javaagent:{self.path('other.jar')}", "-cp", app, "Main", input="Twig\n")
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.splitlines(), ["linked Twig", "Mid clinit", "Base clinit", "init 7", "Leaf abc", "Mid abc", "Base abc", "103", "Twig Twig", "7."])

    def test_attached_and_dropped(self):
        with Running(self, f"-agentpath:{AGENT}=quiet=yes", "-cp", self.app, "Main") as java:
            self.assertEqual([java.line(), java.line()], ["init 7", "103"])
            self.assertEqual(java.ask("Mid"), "4.")
            java.wait_for_agent()
            self.tool("attach", str(java.pid), "kit=" + self.advice, "max-overhead=off")
            self.assertEqual([java.ask("Mid"), java.line(), java.line()], ["Mid Mid", "Base Mid", "4."])
            self.assertEqual([java.ask("Late"), java.line()], ["Late Late", "9."])
            self.assertIn("4 methods", self.tool("kits", str(java.pid)).stdout)
            self.tool("kit", "drop", str(java.pid), "kit")
            self.assertEqual([java.ask("Late"), java.ask("Leaf")], ["9.", "105."])

    def test_types_of_the_jdk(self):
        """What the bootstrap loader has, or another loader of the JDK, and the application implements."""
        app = self.build("jobs", Jobs="""
            public class Jobs extends java.util.AbstractList<String> implements java.util.concurrent.Callable<String> {
                public String get(int i) { return "i" + i; }
                public int size() { return 3; }
                public String call() { return "call"; }
                static class Deep extends java.util.ArrayDeque<String> { @Override public int size() { return 4; } }
                public static void main(String[] a) throws Exception {
                    System.out.println(new Jobs().size() + new Deep().size() + new Jobs().call());
                }
            }""")
        kit = self.build("jdk", Slow="""import instr.kit.*;
            @Advice({"java.util.Collection+.size()", "java.util.concurrent.Callable+.call()"}) final class Slow {
                static void enter(@Method String m) { if (m.startsWith("Jobs")) System.out.println(m); }
            }""")
        done = self.java(f"-agentpath:{AGENT}=kit={kit},quiet=yes", "-cp", app, "Jobs")
        self.assertEqual((done.stdout.splitlines(), done.stderr), (["Jobs.size()", "Jobs$Deep.size()", "Jobs.call()", "7call"], ""))

    def test_many_threads_load_families(self):
        """Sub before super and super before sub, by loaders that lock and that do not: no call is missed, none is counted twice."""
        families = {f"F{f}": f"public class F{f} implements Job {{ public void go() {{ Crowd.calls.incrementAndGet(); }} }}" for f in range(20)}
        for f in range(20):
            for n in range(5):
                above = f"F{f}" if n == 0 else f"F{f}x{n - 1}"
                families[f"F{f}x{n}"] = f"public class F{f}x{n} extends {above} {{ @Override public void go() {{ super.go(); }} }}"
        crowd = self.build("crowd", **families, Job="public interface Job { void go(); }", Crowd="""
            import java.net.*; import java.util.*; import java.util.concurrent.atomic.*;
            public class Crowd {
                public static final AtomicInteger calls = new AtomicInteger();
                static class Locking extends ClassLoader {
                    private final URLClassLoader jar;
                    Locking(URL[] jars) { super(Crowd.class.getClassLoader()); jar = new URLClassLoader(jars, null); }
                    @Override protected synchronized Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                        if (!name.startsWith("F")) return super.loadClass(name, resolve);
                        Class<?> c = findLoadedClass(name);
                        if (c != null) return c;
                        try (java.io.InputStream in = jar.getResourceAsStream(name + ".class")) {
                            java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
                            for (int b; (b = in.read()) >= 0;) out.write(b);
                            return defineClass(name, out.toByteArray(), 0, out.size());
                        } catch (java.io.IOException e) { throw new ClassNotFoundException(name, e); }
                    }
                }
                static class Own extends URLClassLoader {
                    static { registerAsParallelCapable(); }
                    Own(URL[] jars) { super(jars, Crowd.class.getClassLoader()); }
                    @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                        synchronized (getClassLoadingLock(name)) {
                            Class<?> c = name.startsWith("F") ? findLoadedClass(name) : super.loadClass(name, resolve);
                            return c != null ? c : findClass(name);
                        }
                    }
                }
                public static void main(String[] a) throws Exception {
                    URL[] jar = {new java.io.File(a[0]).toURI().toURL()};
                    for (int round = 0; round < 6; round++) {
                        ClassLoader loader = round % 2 == 0 ? new Own(jar) : new Locking(jar);
                        List<Thread> threads = new ArrayList<>();
                        for (int t = 0; t < 4; t++) {
                            int seed = t;
                            Thread thread = new Thread(() -> {
                                List<String> names = new ArrayList<>();
                                for (int f = 0; f < 20; f++) for (int n = 0; n < 5; n++) names.add("F" + f + "x" + n);
                                Collections.shuffle(names, new Random(seed));
                                try { for (String name : names) ((Job) loader.loadClass(name).getConstructor().newInstance()).go(); }
                                catch (Throwable e) { e.printStackTrace(); }
                            });
                            thread.start();
                            threads.add(thread);
                        }
                        for (Thread thread : threads) thread.join();
                    }
                    System.out.println(calls);
                    System.out.println(System.getProperty("entered"));
                }
            }""")
        kit = self.build("count", classpath=crowd, Slow="""import instr.kit.*;
            @Advice("Job+.go()") final class Slow {
                static final java.util.concurrent.atomic.AtomicInteger entered = new java.util.concurrent.atomic.AtomicInteger();
                static void enter() { System.setProperty("entered", "" + entered.incrementAndGet()); }
            }""")
        done = self.java(f"-agentpath:{AGENT}=kit={kit},quiet=yes", "-cp", crowd, "Crowd", crowd)
        # Depth n has n + 2 methods; 20 families, 4 threads, 6 rounds. The recursion guard of an advice lets each through.
        self.assertEqual(done.stdout.splitlines()[0], str(20 * 5 * 4 * 6))
        self.assertEqual(done.stderr, "")
        self.assertEqual(int(done.stdout.splitlines()[1]), 20 * (2 + 3 + 4 + 5 + 6) * 4 * 6)


class LoaderTest(ShopTest):
    def test_loaders_of_a_kind(self):
        loads = self.build("loads", Loads="""
            import java.net.*;
            public class Loads {
                static class Child extends URLClassLoader { Child(URL[] jars) { super(jars, null); } }
                public static void main(String[] a) throws Exception {
                    URL[] jar = {new java.io.File(a[0]).toURI().toURL()};
                    for (ClassLoader loader : new ClassLoader[] {new URLClassLoader(jar, null), new Child(jar)})
                        loader.loadClass("com.acme.Shop").getMethod("main", String[].class).invoke(null, (Object) null);
                    System.out.println(Integer.toOctalString(8));
                }
            }""")
        kit = self.kit("""
            @Advice(value = "com.acme.Shop.twice(..)", loader = "Loads$Child") final class Slow {
                static void enter(long x) { System.out.println("child " + x); }
            }
            @Advice(value = "com.acme.Shop.twice(..)", loader = "java.net.*") final class Net {
                static void enter(long x) { System.out.println("net " + x); }
            }
            @Advice(value = {"java.lang.Integer.toOctalString(int)", "com.acme.Shop.stock()"}, loader = "boot") final class Boot {
                static void enter() { System.out.println("boot"); }
            }""")
        done = self.java(f"-agentpath:{AGENT}=kit={kit},quiet=yes", "-cp", loads, "Loads", self.app)
        self.assertEqual((done.stdout.splitlines(), done.stderr), ([*PLAIN[:3], "net 21", "42", *PLAIN[:3], "child 21", "42", "boot", "10"], ""))
