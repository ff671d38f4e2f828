"""The examples, out of the tree: the commands of their first lines run against an installed prefix."""

import os
import re
import shutil
import subprocess
import unittest

from support import BUILD, HERE, JDK, KitTest, release

EXAMPLES = os.path.join(HERE, os.pardir, os.pardir, "instr", "examples")
HSQLDB = "/usr/share/java/hsqldb.jar"

QUERIES = """
    import java.sql.*;
    public class Main {
        public static void main(String[] a) throws Exception {
            try (Connection c = DriverManager.getConnection("jdbc:hsqldb:mem:test", "sa", "")) {
                try (Statement s = c.createStatement()) {
                    s.execute("create table item (id int)");
                    for (int i = 0; i < 3; i++) s.executeUpdate("insert into item values 1");
                    try { s.executeQuery("select none from item"); } catch (SQLException e) { System.out.println("caught"); }
                }
                PreparedStatement p = c.prepareStatement("select id from item where id = ?");
                for (int i = 0; i < 5; i++) { p.setInt(1, i); try (ResultSet r = p.executeQuery()) { while (r.next()) System.out.println(r.getInt(1)); } }
            }
        }
    }
    """
ORDERS = """
    package com.acme;
    public class Shop {
        static long order(long start) { return System.nanoTime() - start; }
        public static void main(String[] a) {
            int late = 0;
            for (int i = 0; i < 1000; i++) if (order(System.nanoTime()) >= 100000000) late++;
            System.out.println(late);
        }
    }
    """
CARTS = """
    package com.acme;
    public class Shop {
        static class Cart {
            private final String country;
            private final int total;
            Cart(String country, int total) { this.country = country; this.total = total; }
        }
        static void order(Cart cart) { }
        public static void main(String[] a) { for (int i = 1; i <= 10; i++) order(new Cart(i % 3 == 0 ? "NO" : "DE", i)); }
    }
    """
# Each attempt prints whether it got an object. `Strange` finds classes in a way of its own.
ATTACKS = """
    package com.acme;
    import java.io.*;
    import java.lang.instrument.*;
    import java.lang.reflect.*;
    public class Attacks {
        static Instrumentation instrumentation;
        public static void premain(String a, Instrumentation i) { instrumentation = i; }
        static class Strange extends ObjectInputStream {
            Strange(InputStream in) throws IOException { super(in); }
            @Override protected Class<?> resolveClass(ObjectStreamClass c) { return Gadget.class; }
        }
        interface Attempt { Object run(ObjectInputStream in) throws Throwable; }
        static byte[] bytes;
        static String bridge = "none";
        static InputStream stream() { return new ByteArrayInputStream(bytes); }
        static void attempt(String name, ObjectInputStream in, Attempt attempt) {
            try { System.out.println(name + ": " + attempt.run(in)); }
            catch (Throwable t) {
                while (t instanceof InvocationTargetException) t = t.getCause();
                System.out.println(name + ": " + (t instanceof InvalidClassException ? "denied" : t));
                for (StackTraceElement e : t.getStackTrace()) if (e.getClassName().endsWith("$bridge")) bridge = e.getClassName();
            }
        }
        static Object invoke(String name, ObjectInputStream in) throws Exception {
            for (Method m : ObjectInputStream.class.getDeclaredMethods()) {
                if (!m.getName().equals(name)) continue;
                Object[] values = new Object[m.getParameterTypes().length];
                for (int i = 0; i < values.length; i++) values[i] = m.getParameterTypes()[i] == boolean.class ? (Object) false : Object.class;
                m.setAccessible(true);
                return m.invoke(in, values);
            }
            throw new AssertionError(name);
        }
        static Object change(ObjectInputStream in) throws Exception {
            Class<?> c = Class.forName(bridge);
            for (String name : new String[] {"off", "busy", "failures"})
                try {
                    Field f = c.getDeclaredField(name);
                    f.setAccessible(true);
                    if (name.equals("off")) f.setBoolean(null, true);
                    else if (name.equals("busy") && f.get(null) instanceof long[]) java.util.Arrays.fill((long[]) f.get(null), Thread.currentThread().getId() + 1);
                    else if (name.equals("busy")) java.util.Arrays.fill((Object[]) f.get(null), Thread.currentThread());
                    System.out.println("changed " + name);
                } catch (NoSuchFieldException hidden) { }
            return in.readObject();
        }
        static Object redefine(ObjectInputStream in) throws Throwable {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (InputStream old = ClassLoader.getSystemResourceAsStream("java/io/ObjectStreamClass.class")) { for (int b; (b = old.read()) >= 0;) out.write(b); }
            instrumentation.redefineClasses(new ClassDefinition(ObjectStreamClass.class, out.toByteArray()));
            return in.readObject();
        }
        public static void main(String[] a) throws Exception {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            new ObjectOutputStream(out).writeObject(new Gadget());
            bytes = out.toByteArray();
            attempt("plain", new ObjectInputStream(stream()), in -> in.readObject());
            attempt("own resolveClass", new Strange(stream()), in -> in.readObject());
            attempt("reflection", new ObjectInputStream(stream()), in -> ObjectInputStream.class.getMethod("readObject").invoke(in));
            attempt("setAccessible", new ObjectInputStream(stream()), in -> invoke("readObject0", in));
            attempt("fields of the bridge", new ObjectInputStream(stream()), Attacks::change);
            attempt("retransformation", new ObjectInputStream(stream()), in -> { instrumentation.retransformClasses(ObjectStreamClass.class); return in.readObject(); });
            attempt("redefinition", new ObjectInputStream(stream()), Attacks::redefine);
            out = new ByteArrayOutputStream();
            new ObjectOutputStream(out).writeObject("text");
            bytes = out.toByteArray();
            attempt("others", new ObjectInputStream(stream()), in -> in.readObject());
        }
    }
    class Gadget implements Serializable { @Override public String toString() { return "boom"; } }
    """


class ExamplesTest(KitTest):
    @classmethod
    def setUpClass(cls):
        root = os.path.join(os.environ["KIT_WORK"], "root")
        subprocess.run(["meson", "install", "--no-rebuild", "-C", BUILD], env={**os.environ, "DESTDIR": root}, check=True, capture_output=True)
        cls.bin = next(folder for folder, _, files in os.walk(root) if "instr" in files and folder.endswith("/bin"))

    def app(self, main, *options, **sources):
        """app.jar, which the examples name."""
        files = [self.write(f"app/{name}.java", text) for name, text in sources.items()]
        manifest = self.write("app.mf", f"Main-Class: {main}\nPremain-Class: {main}\nCan-Redefine-Classes: true\nCan-Retransform-Classes: true\nClass-Path: {HSQLDB}\n")
        self.run_command(os.path.join(JDK, "bin", "jar"), "cfm", self.path("app.jar"), manifest, "-C", self.javac("app-classes", *files, options=options), ".")

    def run_example(self, name, java="", count=3):
        """The output of the last command, of `count`; `java`: options of the JVM."""
        source = os.path.join(EXAMPLES, name)
        shutil.copy(source, self.folder)
        os.makedirs(self.path("classes"), exist_ok=True)
        with open(source, encoding="utf-8") as file:
            text = file.read()
        self.assertLess(len(text.splitlines()), 60)
        commands = re.findall(r"^(?://|#)      (.*)$", text, re.M)
        self.assertEqual(len(commands), count)
        path = os.pathsep.join([self.bin, os.path.join(JDK, "bin"), os.environ["PATH"]])
        for command in commands:
            done = self.run_command("bash", "-c", command.replace("-jar", f"{java} -jar"), env={**os.environ, "PATH": path, "JAVA_HOME": JDK})
        return done.stdout.splitlines(), done.stderr.splitlines()

    @unittest.skipUnless(os.path.exists(HSQLDB), "there is no hsqldb.jar (Debian: libhsqldb-java)")
    @unittest.skipIf(release() < 17, "Debian's hsqldb.jar is for JDK 17 and later")
    def test_sql(self):
        self.app("Main", Main=QUERIES)
        out, err = self.run_example("Sql.java")
        self.assertEqual(out, ["caught", "1", "1", "1"])
        rows = sorted(re.findall(r"^ +(\d+) +\d+\.\d{3} ms  (.*)$", "\n".join(err), re.M))
        self.assertEqual(rows, [("1", "create table item (id int)"), ("1", "select none from item"), ("3", "insert into item values 1"), ("5", "select id from item where id = ?")])

    def test_deny(self):
        self.app("com.acme.Attacks", Attacks=ATTACKS)
        opens = "" if release() < 9 else "--add-opens java.base/java.io=ALL-UNNAMED --add-opens java.base/java.lang=ALL-UNNAMED"
        out, _ = self.run_example("Deny.java", f"{opens} -javaagent:app.jar")
        self.assertEqual(out, ["plain: denied", "own resolveClass: denied", "reflection: denied", "setAccessible: denied", "fields of the bridge: denied",
                               "retransformation: denied", "redefinition: denied", "others: text"])

    def test_delay(self):
        self.app("com.acme.Shop", Shop=ORDERS)
        for name, count in (("Delay.java", 3), ("delay.rules", 1)):
            with self.subTest(name):
                out, _ = self.run_example(name, count=count)
                self.assertIn(int(out[0]), range(1, 61))

    def test_orders(self):
        self.app("com.acme.Shop", Shop=CARTS)
        out, err = self.run_example("orders.rules", count=1)
        table = "\n".join(out + err)
        self.assertRegex(table, r"(?m)^ +7 .* DE$")
        self.assertRegex(table, r"(?m)^ +3 .* NO$")
        self.assertRegex(table, r"(?m)^ .*\b37 .* DE$")
        self.assertRegex(table, r"(?m)^ .*\b18 .* NO$")

    def test_the_smallest_kit(self):
        with open(os.path.join(EXAMPLES, "Delay.java"), encoding="utf-8") as file:
            code = file.read().split("\n\n", 1)[1]
        self.assertLessEqual(len(code.splitlines()), 15)
