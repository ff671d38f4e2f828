"""Advice in the loaders, jars and domains that applications have."""

import os
import unittest

from support import AGENT, JDK, PLAIN, SHOP, ShopTest, release

# Loads com.acme.Shop by a loader of a kind, runs it, and says what it sees of the classes that were defined beside it.
LOADERS = """
    import java.io.*;
    import java.lang.ref.*;
    import java.net.*;
    public class Loaders {
        /** Its own classes first; asks its parent for those that it lacks. */
        static class ChildFirst extends URLClassLoader {
            ChildFirst(URL[] jars) { super(jars, Loaders.class.getClassLoader()); }
            @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                synchronized (getClassLoadingLock(name)) {
                    if (name.contains("$$instr$") && !name.startsWith("java.")) System.out.println("asked for " + name);
                    Class<?> c = findLoadedClass(name);
                    if (c == null) try { c = findClass(name); } catch (ClassNotFoundException e) { c = super.loadClass(name, resolve); }
                    return c;
                }
            }
        }
        /** As in OSGi: not parallel, java.* by its parent, anything else from its own jar alone. */
        static class Bundle extends ClassLoader {
            private final URLClassLoader jar;
            Bundle(URL[] jars) { super(null); jar = new URLClassLoader(jars, null); }
            @Override protected synchronized Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (name.startsWith("java.")) return Loaders.class.getClassLoader().loadClass(name);
                if (!name.startsWith("com.acme.")) throw new ClassNotFoundException(name + " is not imported");
                Class<?> c = findLoadedClass(name);
                if (c != null) return c;
                try (InputStream in = jar.getResourceAsStream(name.replace('.', '/') + ".class")) {
                    if (in == null) throw new ClassNotFoundException(name);
                    ByteArrayOutputStream out = new ByteArrayOutputStream();
                    for (int b; (b = in.read()) >= 0;) out.write(b);
                    return defineClass(name, out.toByteArray(), 0, out.size());
                } catch (IOException e) { throw new ClassNotFoundException(name, e); }
            }
        }
        static ClassLoader loader(String kind, URL[] jar) {
            return kind.equals("child-first") ? new ChildFirst(jar) : kind.equals("bundle") ? new Bundle(jar) : new URLClassLoader(jar, null);
        }
        static ClassLoader run(String kind, String path) throws Exception {
            ClassLoader loader = loader(kind, new URL[] {new File(path).toURI().toURL()});
            loader.loadClass("com.acme.Shop").getMethod("main", String[].class).invoke(null, (Object) null);
            return loader;
        }
        public static void main(String[] a) throws Exception {
            if (!a[0].equals("ended")) { run(a[0], a[1]); return; }
            java.util.List<Reference<ClassLoader>> all = new java.util.ArrayList<>();
            for (int i = 0; i < 20; i++) all.add(new WeakReference<>(run(a[0], a[1])));
            int left = 20;
            for (int i = 0; i < 100 && left > 0; i++) {
                System.gc();
                Thread.sleep(20);
                left = 0;
                for (Reference<ClassLoader> one : all) if (one.get() != null) left++;
            }
            System.out.println(left + " left");
        }
    }
    """
# One advice that is defined once in the bootstrap loader, one that is defined beside the class, with a helper and state.
ADVICE = """
    package com.acme;
    import instr.kit.*;
    final class Own {
        @Advice("com.acme.Shop.order(..)") static final class Stock {
            static final State<String> SEEN = new State<>();
            static void enter(@This Shop shop, String item) { SEEN.put(shop, item); Helper.say(SEEN.get(shop) + Shop.stock()); }
        }
        static final class Helper {
            static void say(String what) { Runnable r = () -> System.out.println("own " + what); r.run(); }
        }
        @Advice("com.acme.Shop.twice(long)") static final class Boot {
            static long returned(@Result long r) { return r + 1; }
        }
    }
    """
SEEN = ["own tea5", PLAIN[0], "own tea5", *PLAIN[1:3], "43"]


class LoadersTest(ShopTest):
    def setUp(self):
        super().setUp()
        self.loaders = self.build("loaders", Loaders=LOADERS)
        self.advice = self.build("kit", classpath=self.app, Own=ADVICE)

    def run_loader(self, kind, app=None, options=()):
        done = self.java(*options, f"-agentpath:{AGENT}=kit={self.advice},quiet=yes", "-cp", self.loaders, "Loaders", kind, app or self.app)
        return done.stdout.splitlines(), done.stderr

    def test_loaders_of_applications(self):
        for kind in ("child-first", "bundle", "none"):
            with self.subTest(kind):
                self.assertEqual(self.run_loader(kind), (SEEN, ""))

    def test_loaders_that_end_are_collected(self):
        out, err = self.run_loader("ended", options=["-Xmx64m"])
        self.assertEqual((out[-1], err), ("0 left", ""))
        self.assertEqual(out[:-1], SEEN * 20)

    def test_signed_and_sealed_jars(self):
        """The JVM would refuse a class of the package that is not signed, or from elsewhere, if it came from a jar."""
        manifest = self.write("sealed.mf", "Name: com/acme/\nSealed: true\n")
        later = SHOP.replace("Shop shop = new Shop", "new Later(); Shop shop = new Shop")
        files = [self.write("sealed/Shop.java", later), self.write("sealed/Later.java", """
            package com.acme;
            class Later {
                static { System.out.println(Later.class.getSigners().length + " " + Later.class.getPackage().isSealed()); }
            }""")]
        folder = self.javac("sealed-classes", *files)
        jar, keys = self.path("sealed.jar"), ["-keystore", self.path("keys"), "-storepass", "secret1"]
        self.run_command(os.path.join(JDK, "bin", "jar"), "cfm", jar, manifest, "-C", folder, ".")
        self.run_command(os.path.join(JDK, "bin", "keytool"), "-genkeypair", "-keyalg", "RSA", "-alias", "own", "-dname", "CN=own", "-keypass", "secret1", *keys)
        self.run_command(os.path.join(JDK, "bin", "jarsigner"), *keys, jar, "own")
        self.assertEqual(self.run_loader("none", jar), (["1 true", *SEEN], ""))
        done = self.java(f"-agentpath:{AGENT}=kit={self.advice},quiet=yes", "-cp", jar, "com.acme.Shop")
        self.assertEqual((done.stdout.splitlines(), done.stderr), (["1 true", *SEEN], ""))

    @unittest.skipIf(release() >= 24, "newer JDKs do not have a SecurityManager")
    def test_a_security_manager(self):
        """Advice gets no more than the code that it is called from, and what it is denied stays with it."""
        kit = self.kit("""
            @Advice("com.acme.Shop.twice(..)") final class Slow {
                static void enter() { System.out.println("enter"); }
                static void exit() { System.out.println(System.getProperty("user.home")); }
            }
            @Advice("com.acme.Shop.order(..)") final class Old {
                static void enter() { com.acme.Shop.stock(); }
            }""", "denied")
        other = self.write("other/Shop.java", SHOP.replace("int stock()", "long stock()"))
        app = self.jar("other.jar", self.javac("other-classes", other))
        policy = self.write("policy", 'grant { permission java.util.PropertyPermission "none", "read"; };')
        done = self.java("-Djava.security.manager", f"-Djava.security.policy=={policy}", f"-agentpath:{AGENT}=kit={kit},kit={self.advice},quiet=yes",
                         "-cp", app, "com.acme.Shop")
        err = [line for line in done.stderr.splitlines() if not line.startswith("WARNING:")]
        self.assertEqual(done.stdout.splitlines(), [*PLAIN[:3], "enter", "43"])
        self.assertEqual(len(err), 3, err)
        self.assertIn("Old does not fit these classes and is switched off for them: java.lang.NoSuchMethodError: ", err[0])
        self.assertIn("Stock does not fit these classes and is switched off for them: java.lang.NoSuchMethodError: ", err[1])
        self.assertRegex(err[2], 'advice Slow has thrown an exception, which is dropped: java.security.AccessControlException: access denied .*user.home')
