"""JaCoCo as Debian packages it: its agent, and programs that use its libraries."""

import os
import random
import re
import subprocess
import zipfile

import execfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
JARS = ["org.jacoco.core", "org.jacoco.report", "asm", "asm-tree", "asm-commons", "asm-analysis"]
# Debian's own, and that of the development suite installed by tests/jdks/setup.
FOLDERS = ["/usr/share/java", os.path.join(TOP, "build", "jdks", "root", "usr", "share", "java")]


class Jacoco:
    """A release: `version` such as "0.8.6", `agent` (a jar), `newest`, a release of Java."""

    def __init__(self, folder, work, jdk):
        self.jars = [os.path.join(folder, name + ".jar") for name in JARS]
        if not all(os.path.exists(jar) for jar in [*self.jars, os.path.join(folder, "org.jacoco.agent.jar")]):
            raise FileNotFoundError(f"JaCoCo is not in {folder} (libjacoco-java)")
        with zipfile.ZipFile(self.jars[0]) as jar:
            manifest = jar.read("META-INF/MANIFEST.MF").decode()
        self.version = re.search(r"Bundle-Version: (\d+\.\d+\.\d+)", manifest).group(1)
        # The newest release whose classes it can all read: 0.8.6 loses sealed ones, though Debian has built it with a later ASM.
        # In a JDK it meets some classes of the application loader.
        old = tuple(map(int, self.version.split("."))) < (0, 8, 8)
        self.newest, self.newest_jdk = (16, 17) if old else (26, 26)
        self.work = os.path.join(work, "jacoco-" + self.version)
        os.makedirs(self.work, exist_ok=True)
        self.jdk = jdk
        with zipfile.ZipFile(os.path.join(folder, "org.jacoco.agent.jar")) as jar:
            self.agent = jar.extract("jacocoagent.jar", self.work)
        self.compiled = set()

    def __str__(self):
        return "JaCoCo " + self.version

    def agent_option(self, file):
        return f"-javaagent:{self.agent}=destfile={file}"

    def tool(self, name, *arguments, **more):
        """Runs the program NAME.java of this folder with JaCoCo's libraries."""
        path = os.pathsep.join([self.work, *self.jars])
        if name not in self.compiled:
            subprocess.run([self.jdk.tool("javac"), "-nowarn", "-cp", path, "-d", self.work, os.path.join(HERE, name + ".java")],
                           check=True, timeout=120)
            self.compiled.add(name)
        return subprocess.run([self.jdk.tool("java"), "-Xshare:auto", "-cp", path, name, *arguments], check=False,
                              capture_output=True, text=True, timeout=600, **more)

    def make_exec(self, classes, file):
        """An .exec file for a folder of classes in which half of the probes, chosen at random from a fixed seed, was hit."""
        chance, hit = random.Random(4711), {}
        for line in self.tool("JacocoProbes", classes).stdout.splitlines():
            ident, name, count = line.split(" ")
            if chance.random() < 0.8:
                hit[int(ident, 16)] = (name, "".join("01"[chance.random() < 0.6] for _ in range(int(count))))
        with open(file, "wb") as out:
            out.write(execfile.written(hit))


def find(work, jdk, folders=()):
    """The available releases, and a line for each that is missing."""
    there, missing = [], []
    for folder in folders or FOLDERS:
        try:
            there.append(Jacoco(folder, work, jdk))
        except FileNotFoundError as reason:
            missing.append(str(reason))
    return there, missing
