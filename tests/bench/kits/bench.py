"""Kits beside calls written by hand, and beside Byte Buddy's agent with the same advice, in turn."""

import os
import re
import statistics
import subprocess
import sys
import time

from harness import jdks
from program.peers import build_agent

HERE = os.path.dirname(os.path.abspath(__file__))
ADVICE = """@instr.kit.Advice("{target}")
final class {name} {{
    static void enter() {{ }}
    static void exit() {{ }}
}}
"""
SAYING = """@instr.kit.Advice("Live.tick()")
final class Saying {{
    static void enter() {{ System.out.println("{word}"); }}
}}
"""


class Bench:
    def __init__(self, bench, jdk, options):
        self.bench, self.jdk, self.rounds = bench, jdk, options.rounds
        self.out = os.path.join(bench["WORK"], "kits")
        self.classes = os.path.join(self.out, "classes")
        os.makedirs(self.classes, exist_ok=True)
        self.javac(self.classes, "", *(os.path.join(HERE, name + ".java") for name in ("Calls", "Live", "Nothing", "Ten")))
        self.app = os.path.join(self.out, "app.jar")  # the JDK's caches want a jar
        self.output([jdk.tool("jar"), "cf", self.app, "-C", self.classes, "."])
        self.one = self.kit("one", {"Empty": "Calls.advised(int)"})
        self.ten = self.kit("ten", {f"Empty{i}": f"Ten.m{i}()" for i in range(10)})
        self.buddy = self.build_buddy()

    def output(self, command):
        return self.bench["output"](command)

    def javac(self, out, path, *sources):
        self.output([self.jdk.tool("javac"), "--release", "8", "-Xlint:-options", "-cp", path or out, "-d", out, *sources])

    def kit(self, name, advices):
        self.build_kit(name, {advice: ADVICE.format(name=advice, target=target) for advice, target in advices.items()})
        return f"-agentpath:{self.bench['AGENT']}=kit={os.path.join(self.out, name)}.jar,quiet=yes"

    def build_kit(self, name, sources):
        """As an author does: javac, and jar."""
        folder = os.path.join(self.out, name)
        os.makedirs(folder, exist_ok=True)
        for advice, text in sources.items():
            with open(os.path.join(folder, advice + ".java"), "w", encoding="utf-8") as file:
                file.write(text)
        jar = os.path.join(self.bench["BUILD"], "runtime-java", "kit", "instr-kit.jar")
        self.javac(os.path.join(folder, "classes"), jar, *(os.path.join(folder, advice + ".java") for advice in sources))
        self.output([self.jdk.tool("jar"), "cf", folder + ".jar", "-C", os.path.join(folder, "classes"), "."])

    def build_buddy(self):
        """The options that load Byte Buddy's agent, but its argument; None: it is not here."""
        library = jdks.jars("byte-buddy")
        if not library:
            print("kit: skipped: Byte Buddy: byte-buddy.jar is missing (Debian: libbyte-buddy-java)")
            return None
        agent = build_agent(self.jdk, os.path.join(HERE, "Buddy.java"), library[0], os.path.join(self.out, "buddy"))
        return ["-Dnet.bytebuddy.experimental=true", f"-javaagent:{agent}="]  # it refuses JDKs that it does not know

    def java(self, *options):
        return [self.jdk.tool("java"), *options, "-cp", self.app]

    def agents(self, kit, argument):
        agents = {"plain": [], "kit": [kit]}
        if self.buddy:
            agents["buddy"] = [self.buddy[0], self.buddy[1] + argument]
        return agents

    def calls(self):
        still = ["-XX:CompileCommand=quiet", *(f"-XX:CompileCommand=dontinline,Calls.{m}" for m in ("plain", "hand", "advised"))]
        for inlined, keep in (("not inlined", still), ("inlined", [])):
            runs = {name: [] for name in self.agents(self.one, "one")}
            for _ in range(self.rounds):
                for name, agent in self.agents(self.one, "one").items():
                    runs[name].append(self.bench["figures"](self.output([*self.java(*keep, *agent), "Calls"])))
            print(f"kit: nanoseconds per call of a method, {inlined}, with an advice of enter and exit that do nothing, JDK {self.jdk.version}, medians of {self.rounds} runs")
            for name, found in runs.items():
                plain, hand, advised = (statistics.median(run[key] for run in found) for key in ("plain", "hand", "advised"))
                who = {"plain": "no agent", "kit": "a kit", "buddy": "Byte Buddy"}[name]
                print(f"  {who}: {advised:.2f}, over plain {advised - plain:+.2f} (target of a kit 2), over calls by hand {advised - hand:+.2f} (target of a kit 1)")

    def loaded(self, command):
        """Which classes come from the JDK's caches, and which from elsewhere."""
        lines = re.findall(r"\[class,load *\] (\S+)(.*)", self.output([command[0], "-Xlog:class+load", *command[1:]]))
        cached = {name for name, more in lines if "source: shared objects file" in more}
        return cached, {name for name, _ in lines} - cached

    def caches(self, name, command):
        cached, others = self.loaded(command)
        bridges = sum(other.endswith("$bridge") for other in others)
        if name == "kit" and bridges != 10:
            sys.exit(f"bench: {bridges} of ten advices are in place")
        return f"{len(cached)} classes from the cache, {len(others)} from elsewhere"

    def start(self, what, *options):
        commands = {name: [*self.java(*options, *agent), "Ten"] for name, agent in self.agents(self.ten, "ten").items()}
        pairs = self.rounds * 4
        print(f"kit: hello world with ten advices, {what}, JDK {self.jdk.version}, medians of {pairs} pairs of runs")
        print(f"  plain: {self.caches('plain', commands['plain'])}")
        for name, target in (("kit", " (target 1.10)"), ("buddy", "")):
            if name not in commands:
                continue
            ours, plain, ratio, _, _ = self.bench["against"](commands[name], commands["plain"], pairs)
            who = {"kit": "a kit", "buddy": "Byte Buddy"}[name]
            print(f"  {who}: {ours * 1000:.1f} ms, plain {plain * 1000:.1f} ms: {ratio:.3f} times{target}; {self.caches(name, commands[name])}")

    def aot(self):
        if self.jdk.version < 25:
            print(f"kit: skipped: an AOT cache: JDK {self.jdk.version} does not make one in one step")
            return
        cache = os.path.join(self.out, "app.aot")
        self.output([*self.java(f"-XX:AOTCacheOutput={cache}"), "Ten"])
        self.start("with an AOT cache of a plain run", f"-XX:AOTCache={cache}")

    def families(self):
        """A program with the classes of a server, in a jar."""
        folder = os.path.join(self.out, "wide")
        os.makedirs(os.path.join(folder, "classes"), exist_ok=True)
        self.javac(folder, "", os.path.join(HERE, "Families.java"))
        with open(os.path.join(folder, "Wide.java"), "w", encoding="utf-8") as file:
            file.write(self.output([self.jdk.tool("java"), "-cp", folder, "Families"]))
        self.javac(os.path.join(folder, "classes"), "", os.path.join(folder, "Wide.java"))
        self.output([self.jdk.tool("jar"), "cf", folder + ".jar", "-C", os.path.join(folder, "classes"), "."])
        return folder + ".jar"

    def supertypes(self):
        """A name that no class has, beside a supertype of 100 classes whose method none has: what is between is the matching."""
        app = self.families()
        kits = {"by name": self.kit("by-name", {"Named": "Nowhere.none()"}), "by supertype": self.kit("by-supertype", {"Above": "Task+.none()"})}
        runs = {what: [] for what in ("no agent", *kits)}
        rounds = self.rounds * 4
        for _ in range(rounds):
            for what, found in runs.items():
                agent = [kits[what]] if what in kits else []
                text = self.output([self.jdk.tool("java"), *agent, "-cp", app, "Wide"])
                found.append(float(re.search(r"loading: ([\d.]+)", text)[1]))
        plain, named, above = (statistics.median(found) for found in runs.values())
        between = statistics.median(a - n for a, n in zip(runs["by supertype"], runs["by name"]))
        print(f"kit: loading 5,103 classes, an advice whose classes are matched, JDK {self.jdk.version}, medians of {rounds} runs")
        print(f"  no agent: {plain:.1f} ms; by name: {named:.1f} ms; by supertype: {above:.1f} ms, {between:+.1f} (target 20)")

    def edit(self):
        """From an edit of an advice to its first effect in a running JVM: compiled, packed, and reloaded; and what the last of these takes."""
        tool, jar = os.path.join(self.bench["BUILD"], "instr", "instr"), os.path.join(self.out, "saying.jar")
        agent = f"-agentpath:{self.bench['AGENT']}=kit={jar},quiet=yes"
        whole, reloads = [], []
        for _ in range(self.rounds):
            self.build_kit("saying", {"Saying": SAYING.format(word="first")})
            with subprocess.Popen([self.jdk.tool("java"), agent, "-cp", self.classes, "Live"], stdout=subprocess.PIPE, text=True) as child:
                try:
                    child.stdout.readline()
                    time.sleep(1)  # until the agent listens
                    start = time.monotonic()
                    self.build_kit("saying", {"Saying": SAYING.format(word="second")})
                    built = time.monotonic()
                    self.output([tool, "kit", "reload", str(child.pid)])
                    while child.stdout.readline() != "second\n":
                        pass
                    whole.append(time.monotonic() - start)
                    reloads.append(time.monotonic() - built)
                finally:
                    child.kill()
        print(f"kit: in a running JVM, JDK {self.jdk.version}, medians of {self.rounds}: {statistics.median(whole) * 1000:.0f} ms from an edit to its effect "
              f"(target 2000), javac and jar included; {statistics.median(reloads) * 1000:.0f} ms from `instr kit reload` to its effect")


def run(bench, jdk, options):
    kits = Bench(bench, jdk, options)
    kits.calls()
    kits.supertypes()
    kits.start("with the JDK's own CDS archive")
    kits.aot()
    kits.edit()
