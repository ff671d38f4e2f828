"""Compiling the cases: Java sources by release, generated classes, the module, the reference agent."""

import glob
import hashlib
import os
import shutil
import subprocess
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor

from . import jdks
from .table import CASES


QUICK = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]


class Failure(Exception):
    pass


def command(args, **kwargs):
    run = subprocess.run(args, capture_output=True, text=True, timeout=600, **kwargs)
    if run.returncode != 0:
        raise Failure(f"{' '.join(args)}: exit status {run.returncode}\n{run.stdout}{run.stderr}")
    return run


def javac(out, sources, *options):
    """The arguments of one run of javac."""
    os.makedirs(out, exist_ok=True)
    return ["-nowarn", "-Xlint:-options", "-proc:none", "-encoding", "UTF-8", "-d", out, *options, *sorted(sources)]


class Build:
    """All compiled parts, below `work`; `compiler` is the newest JDK with javac."""

    def __init__(self, source, work, compiler):
        self.source, self.work, self.compiler = source, work, compiler
        self.lock = threading.Lock()
        self.asm = jdks.jars("asm")
        if not self.asm:
            raise Failure("asm.jar not found: install libasm-java, or name its folder in INSTR_TEST_JARS")
        self.generated = os.path.join(work, "generated")
        self.support = os.path.join(work, "support")
        self.modules = os.path.join(work, "modules")
        self.programs = os.path.join(work, "programs")
        self.random = os.path.join(work, "random")
        self.reference = os.path.join(work, "reference.jar")
        self.loading = os.path.join(work, "loading.jar")
        self.stripping = os.path.join(work, "stripping.jar")
        self.wrapping = os.path.join(work, "wrapping.jar")

    def path(self, *parts):
        return os.path.join(self.source, *parts)

    def all(self):
        """Compiles everything, unless it exists already from the same sources and the same compiler."""
        stamp, now = os.path.join(self.work, "built"), self._fingerprint()
        if os.path.exists(stamp) and open(stamp, encoding="utf-8").read() == now:
            return
        for old in ("random", "support", "classes", "modules", "programs", "generator", "generated", "reference"):
            shutil.rmtree(os.path.join(self.work, old), ignore_errors=True)
        with ThreadPoolExecutor(2) as pool:
            for f in [pool.submit(self._cases), pool.submit(self._programs)]:
                f.result()
        with open(stamp, "w", encoding="utf-8") as f:
            f.write(now)

    def releases(self):
        return {c.release for c in self.all_cases() if c.release <= self.compiler.version
                and not (c.preview and c.release != self.compiler.version)}

    @staticmethod
    def all_cases():
        """Compiles the cases; those for an older release as well a second time."""
        return CASES + [c.on(c.also) for c in CASES if c.also]

    def _fingerprint(self):
        lines = [self.compiler.home, str(self.compiler.version)]
        for path in sorted(glob.glob(self.path("**", "*"), recursive=True)):
            if path.endswith((".java", ".py")):
                with open(path, "rb") as f:
                    lines.append(f"{path} {hashlib.sha256(f.read()).hexdigest()}")
        return "\n".join(lines)

    def _compile(self, name, runs):
        """Runs javac for all in one JVM, which is too short-lived to profit from the C2 compiler."""
        arguments = os.path.join(self.work, name + ".javac")
        with open(arguments, "w", encoding="utf-8") as f:
            f.write("".join("\n".join(words) + "\n\n" for words in runs))
        command([self.compiler.tool("java"), *QUICK, self.path("..", "..", "runtime-java", "Compile.java"), arguments])

    def _programs(self):
        reference = os.path.join(self.work, "reference")
        agents = [self.path("reference", a + ".java") for a in ("LoadingAgent", "ReferenceCounter", "StrippingAgent", "WrappingAgent")]
        self._compile("programs", [
            javac(self.programs, glob.glob(self.path("programs", "*.java")), "--release", "8"),
            javac(os.path.join(self.modules, "instr.cases.app"),
                  glob.glob(self.path("modapp", "**", "*.java"), recursive=True), "--release", "17", "-g"),
            javac(reference, agents, "-source", "8", "-target", "8", "-cp", self.asm[0]),
            javac(reference, [self.path("reference", "ReferenceAgent.java")], "--release", "11", "-cp", self.asm[0]),
        ])
        self._agent(self.reference, "ReferenceAgent", reference)
        self._agent(self.loading, "LoadingAgent", reference)
        self._agent(self.stripping, "StrippingAgent", reference)
        self._agent(self.wrapping, "WrappingAgent", reference)

    def random_classes(self, first, count):
        """Generates random classes from these seeds; returns their folder."""
        folder = os.path.join(self.random, f"{first}-{count}")
        with self.lock:
            if not os.path.isdir(folder):
                generator = os.path.join(self.work, "generator")
                command([self.compiler.tool("java"), *QUICK, "-cp", os.pathsep.join([generator] + self.asm), "gen.GenRandom",
                         folder + ".new", str(first), str(count)])
                os.rename(folder + ".new", folder)
        return folder

    def classes(self, release):
        return os.path.join(self.work, "classes", str(release))

    def _cases(self):
        """Compiles what the cases need, including classes that no compiler generates."""
        generator = os.path.join(self.work, "generator")
        self._compile("support", [
            javac(self.support, glob.glob(self.path("support", "*.java")), "--release", "8"),
            javac(generator, glob.glob(self.path("gen", "*.java")), "--release", "17", "-cp", self.asm[0]),
        ])
        command([self.compiler.tool("java"), *QUICK, "-cp", os.pathsep.join([generator] + self.asm), "gen.Generate",
                 self.generated])
        self._compile("cases", [self._release(n) for n in sorted(self.releases())])

    def _release(self, release):
        sources = {self.path("cases", c.main.rpartition("/")[2] + ".java") for c in self.all_cases()
                   if c.release == release and not c.module}
        return javac(self.classes(release), sources, "--release", str(release), "-g",
                     "-cp", os.pathsep.join([self.generated, self.support]),
                     *(["--enable-preview"] if any(c.preview for c in CASES if c.release == release) else []))

    def _agent(self, jar, premain, classes):
        with zipfile.ZipFile(jar, "w") as z:
            z.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\nPremain-Class: {premain}\n"
                       "Can-Redefine-Classes: true\nCan-Retransform-Classes: true\n"
                       "Can-Set-Native-Method-Prefix: true\n\n")
            for path in glob.glob(os.path.join(classes, "**", "*.class"), recursive=True):
                z.write(path, os.path.relpath(path, classes))
            with zipfile.ZipFile(self.asm[0]) as asm:
                for name in asm.namelist():
                    if name.endswith(".class") and name != "module-info.class":
                        z.writestr(name, asm.read(name))

    def launch(self, case):
        """The part of the command line that names the program."""
        if case.module:
            return ["-p", self.modules, "-m", f"{case.module}/{case.main.replace('/', '.')}"]
        path = [self.classes(case.release), self.generated, self.support]
        preview = ["--enable-preview"] if case.preview else []
        return preview + ["-cp", os.pathsep.join(path), case.main.replace("/", ".")]
