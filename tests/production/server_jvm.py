"""For all tests: a JVM with the agent, one JDK with the compiled programs, the classes of that JDK, and bytecodes to compare."""

import glob
import os
import re
import shutil
import subprocess
import zipfile

from control import Failed, reach

HERE = os.path.dirname(os.path.abspath(__file__))


class Skip(Exception):
    pass


class Jvm:
    """A JVM with a dormant agent and a program that is controlled line by line. `below`: a command that becomes the JVM."""

    def __init__(self, t, *args, agent=True, env=None, name=None, cwd=None, below=()):
        loaded = [f"-agentpath:{t.agent}"] if agent else ["-XX:+EnableDynamicAgentLoading"] if t.version >= 21 else []
        self.process = subprocess.Popen([*below, name or t.java, *loaded, f"-XX:ErrorFile={t.file('hs_err_%p.log')}", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=open(t.file("stderr"), "ab"), text=True, env=env, cwd=cwd, executable=None if below else t.java)
        self.pid = self.process.pid

    def line(self):
        return self.process.stdout.readline().strip()

    def ask(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return self.line()

    def control(self):
        return reach(self.pid)

    def end(self):
        self.process.stdin.close()
        return self.process.wait(60)

    def ends(self, problems, what=""):
        """Ends the program and checks that it ends normally."""
        expect(problems, f"{what}exit status {self.end()}", self.process.returncode == 0)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


class Test:
    """The environment of a test: the product, one JDK, a folder with the compiled programs."""

    def __init__(self, options, jdk):
        self.build, self.work, self.cycles = os.path.abspath(options.build), os.path.abspath(options.work), options.cycles
        self.java, self.javac = os.path.join(jdk, "bin", "java"), os.path.join(jdk, "bin", "javac")
        self.agent, self.cli = os.path.join(self.build, "instr", "libinstr.so"), os.path.join(self.build, "instr", "instr")
        version = subprocess.run([self.java, "-version"], capture_output=True, text=True).stderr
        self.version = int(re.search(r'version "(?:1\.)?(\d+)', version).group(1))
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.file("classes"))
        self.compile(glob.glob(os.path.join(HERE, "programs", "[BCFHMST]*.java"))
                     + [os.path.join(HERE, "..", "jvm", "programs", "Waiting.java")], "classes")

    def file(self, *parts):
        return os.path.join(self.work, *parts)

    def library(self, name):
        """The option for an agent of the tests."""
        return f"-agentpath:{os.path.join(self.build, 'tests', f'lib{name}.so')}"

    def compile(self, sources, folder, path=""):
        os.makedirs(self.file(folder), exist_ok=True)
        command = [self.javac, "-nowarn", "-proc:none", "-cp", path or self.file("classes"), "-d", self.file(folder)]
        subprocess.run(command + sources, check=True, stderr=subprocess.DEVNULL)


def expect(problems, what, is_so):
    if not is_so:
        problems.append(what)


def refused(control, *words, **kwargs):
    try:
        control.run(*words, **kwargs)
    except Failed as e:
        return str(e)
    return ""


def jdk_classes(t):
    home = os.path.dirname(os.path.dirname(t.java))
    names = subprocess.run([os.path.join(home, "bin", "jimage"), "list", "--include", "regex:/java.base/(java|sun)/.*\\.class",
                            os.path.join(home, "lib", "modules")], capture_output=True, text=True)
    return [line.strip()[:-6].replace("/", ".") for line in names.stdout.splitlines() if line.endswith(".class")]


def load_all(t, jvm):
    for name in jdk_classes(t):
        jvm.process.stdin.write(name + "\n")
    return int(jvm.ask("").split()[1])


def digests(t, jvm, name):
    """Digests of GetBytecodes of every method."""
    jvm.ask(t.file(name))
    with open(t.file(name)) as f:
        return dict(line.rsplit(" ", 2)[::2] for line in f)


def agent_jar(t):
    t.compile([os.path.join(HERE, "programs", "OtherAgent.java")], "other")
    with zipfile.ZipFile(t.file("other.jar"), "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nPremain-Class: OtherAgent\nAgent-Class: OtherAgent\n"
                     "Can-Retransform-Classes: true\nCan-Redefine-Classes: true\n")
        jar.write(t.file("other", "OtherAgent.class"), "OtherAgent.class")
    return t.file("other.jar")
