"""What the tests share: javac, jar, java and the tool, in a folder of the test's own."""

import os
import re
import subprocess
import threading
import time
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ["KIT_BUILD"]
JDK = os.environ["KIT_JDK"]
INSTR = os.path.join(BUILD, "instr", "instr")
KIT_JAR = os.path.join(BUILD, "runtime-java", "kit", "instr-kit.jar")
AGENT = os.path.join(BUILD, "instr", "libinstr.so")
SHOP = """
    package com.acme;
    public class Shop {
        private final String name;
        Shop(String name) { this.name = name; if (name.isEmpty()) throw new IllegalArgumentException("empty"); }
        String order(String item, int n) { item += "!"; if (n < 0) throw new IllegalStateException("n"); return item + n; }
        static long twice(long x) { return x * 2; }
        public static int stock() { return 5; }
        static void stop() { throw new SecurityException("own"); }
        public static void main(String[] a) {
            Shop shop = new Shop("s");
            System.out.println(shop.order("tea", 3));
            try { shop.order("tea", -1); } catch (IllegalStateException e) { System.out.println("caught " + e.getMessage()); }
            try { new Shop(""); } catch (IllegalArgumentException e) { System.out.println("caught " + e.getMessage()); }
            try { System.out.println(twice(21)); } catch (SecurityException e) { System.out.println("denied " + e.getMessage()); }
        }
    }
    """
PLAIN = ["tea!3", "caught n", "caught empty", "42"]


def release():
    """8, 17, 25: the JDK's."""
    text = subprocess.run([os.path.join(JDK, "bin", "java"), "-version"], capture_output=True, text=True, check=True).stderr
    return int(re.search(r'version "(?:1\.)?(\d+)', text).group(1))


class Compiler:
    """javac in a JVM that stays: a test compiles some times, and javac's own start takes most of its time."""

    _process = None

    @classmethod
    def run(cls, arguments):
        """Its status and what it printed."""
        if cls._process is None:
            folder = os.path.join(os.environ["KIT_WORK"], f"compiler-{os.getpid()}")
            os.makedirs(folder, exist_ok=True)
            subprocess.run([os.path.join(JDK, "bin", "javac"), "-d", folder, os.path.join(HERE, "programs", "Compiler.java")], check=True)
            java = [os.path.join(JDK, "bin", "java"), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", folder, "Compiler"]
            cls._process = subprocess.Popen(java, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        cls._process.stdin.write("\t".join(arguments).encode() + b"\n")
        cls._process.stdin.flush()
        status, size = cls._process.stdout.readline().split()
        return int(status), cls._process.stdout.read(int(size)).decode(errors="replace")


class KitTest(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.join(os.environ["KIT_WORK"], self.id())
        os.makedirs(self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def run_any(self, *command, **more):
        return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, cwd=self.folder, **more)

    def run_command(self, *command, status=0, **more):
        done = self.run_any(*command, **more)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def tool(self, *arguments, status=0):
        """instr with these arguments. attach is to have changed all classes when it ends, also on a busy machine."""
        return self.run_command(INSTR, *arguments, *(["--wait"] if arguments[0] == "attach" else []), status=status)

    def java(self, *arguments, **more):
        return self.run_command(os.path.join(JDK, "bin", "java"), *arguments, **more)

    def javac(self, out, *sources, classpath="", options=()):
        path = os.pathsep.join(filter(None, [KIT_JAR, classpath]))
        os.makedirs(self.path(out), exist_ok=True)  # javac of JDK 8 does not make it
        status, printed = Compiler.run(["-cp", path, *options, "-d", self.path(out), *sources])
        self.assertEqual(status, 0, printed)
        return self.path(out)

    def jar(self, name, folder):
        """A jar of what is in the folder, which has no manifest of its own."""
        with zipfile.ZipFile(self.path(name), "w", zipfile.ZIP_DEFLATED) as jar:
            jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\n\r\n")
            for below, folders, files in os.walk(folder):
                for file in sorted(folders + files):
                    path = os.path.join(below, file)
                    jar.write(path, os.path.relpath(path, folder))
        return self.path(name)

    def build(self, name, classpath="", options=(), **sources):
        """A jar of classes: NAME="source" each."""
        files = [self.write(f"{name}/{source}.java", text) for source, text in sources.items()]
        return self.jar(name + ".jar", self.javac(name + "-classes", *files, classpath=classpath, options=options))


class ShopTest(KitTest):
    """Kits for the program above."""

    def setUp(self):
        super().setUp()
        self.app = self.build("app", Shop=SHOP)

    def kit(self, body, name="kit"):
        return self.build(name, classpath=self.app, Slow="import instr.kit.*;\n" + body)

    def run_shop(self, *options, status=0):
        done = self.java("-Xcheck:jni", "-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal", f"-agentpath:{AGENT}={','.join(options)}", "-cp", self.app, "com.acme.Shop", status=status)
        return done.stdout.splitlines(), [line for line in done.stderr.splitlines() if " seen, " not in line]

    def run_kit(self, body):
        return self.run_shop("kit=" + self.kit(body))


class Running:
    """A program that ends with its standard input. Who waits for a line for two minutes ends it, too."""

    def __init__(self, test, *arguments):
        self.test = test
        self.process = subprocess.Popen([os.path.join(JDK, "bin/java"), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def wait_for_agent(self):
        """The control socket is there soon after the start."""
        while self.test.run_any(INSTR, "status", str(self.pid)).returncode != 0 and self.process.poll() is None:
            time.sleep(0.1)

    def line(self):
        late = threading.Timer(120, self.process.kill)
        late.start()
        try:
            return self.process.stdout.readline().rstrip("\n")
        finally:
            late.cancel()

    def ask(self, line=""):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.line()

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()
