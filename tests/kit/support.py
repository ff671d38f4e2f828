"""What the tests share: javac, jar, java and the tool, in a folder of the test's own."""

import os
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ["KIT_BUILD"]
JDK = os.environ["KIT_JDK"]
INSTR = os.path.join(BUILD, "instr", "instr")
KIT_JAR = os.path.join(BUILD, "runtime-java", "kit", "instr-kit.jar")


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
        return self.run_command(INSTR, *arguments, status=status)

    def java(self, *arguments, **more):
        return self.run_command(os.path.join(JDK, "bin", "java"), *arguments, **more)

    def javac(self, out, *sources, classpath="", options=()):
        path = os.pathsep.join(filter(None, [KIT_JAR, classpath]))
        os.makedirs(self.path(out), exist_ok=True)  # javac of JDK 8 does not make it
        self.run_command(os.path.join(JDK, "bin", "javac"), "-cp", path, *options, "-d", self.path(out), *sources)
        return self.path(out)

    def jar(self, name, folder, options="cf"):
        self.run_command(os.path.join(JDK, "bin", "jar"), options, self.path(name), "-C", folder, ".")
        return self.path(name)

    def build(self, name, classpath="", options=(), **sources):
        """A jar of classes: NAME="source" each."""
        files = [self.write(f"{name}/{source}.java", text) for source, text in sources.items()]
        return self.jar(name + ".jar", self.javac(name + "-classes", *files, classpath=classpath, options=options))
