"""The pass coverage, JaCoCo's agent and the plain program, in turn, so that all run under the same conditions."""

import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "coverage"))

import jacoco as jacoco_jars  # noqa: E402


class Side:
    """The three ways to run a program; `mapped`: a fourth with the probes in a file mapping."""

    def __init__(self, bench, jdk, jacoco, rounds, mapped=False):
        self.bench, self.jdk, self.jacoco, self.rounds, self.mapped = bench, jdk, jacoco, rounds, mapped

    def agents(self):
        file = os.path.join(self.bench["WORK"], "coverage.exec")
        if os.path.exists(file):
            os.unlink(file)
        ours = f"-agentpath:{self.bench['AGENT']}=coverage,coverage.file={file},coverage.append=no,quiet=yes"
        # Each probe writes to the file, or a thread copies the probes there.
        mapped = {f"instr, coverage.mmap={how}": [f"{ours},coverage.mmap={how}"] for how in ("yes", "flush") if self.mapped}
        return {"plain": [], "JaCoCo": [self.jacoco.agent_option(file)], "instr": [ours], **mapped}

    def measure(self, tail, value):
        """Lists of the results of `value` for a command, by the name of the way; the first round is dropped."""
        values = {name: [] for name in self.agents()}
        for i in range(self.rounds + 1):
            for name, agent in self.agents().items():
                result = value([self.jdk.tool("java"), *agent, *tail])
                if i > 0:
                    values[name].append(result)
        return values


def ratio(values, name, which):
    """The median of the ratios to plain, round by round."""
    return statistics.median(a[which] / b[which] for a, b in zip(values[name], values["plain"]))


def whole_runs(side, title, tail, target):
    values = side.measure(tail, lambda command: side.bench["accounted"](command)[::2])
    print(f"{title}, JDK {side.jdk.version}, {side.rounds} rounds (target {target:.2f} times; {side.jacoco})")
    for which, what in enumerate(("wall", "processors")):
        medians = {name: statistics.median(one[which] for one in of) * 1000 for name, of in values.items()}
        others = ", ".join(f"{name} {medians[name]:.1f} ms: {ratio(values, name, which):.2f} times" for name in medians if name != "plain")
        print(f"  {what}: plain {medians['plain']:.1f} ms, {others}", flush=True)


def hot_loop(side, folder):
    source = os.path.join(HERE, "runtime", "HotLoop.java")
    side.bench["output"]([side.jdk.tool("javac"), "-nowarn", "--release", "11", "-d", folder, source])
    print(f"coverage: {THREADS} threads in hot loops, JDK {side.jdk.version}, {side.rounds} rounds; nanoseconds per turn (target 1.00)")
    values = side.measure(["-cp", folder, "HotLoop", str(THREADS)], lambda command: side.bench["figures"](side.bench["output"](command)))
    for kind, what in (("step", "branches of one class"), ("calls", "calls of one method"), ("own", "each in a class of its own")):
        one = {name: [run[kind] for run in of] for name, of in values.items()}
        print(f"  {what}: " + ", ".join(f"{name} {statistics.median(of):.2f}" for name, of in one.items())
              + f"; instr {statistics.median(a / b for a, b in zip(one['instr'], one['JaCoCo'])):.2f} times JaCoCo's", flush=True)


THREADS = 8


def run(bench, jdk, options):
    there, missing = jacoco_jars.find(os.path.join(bench["WORK"], "coverage"), jdk, options.jacoco)
    if not there:
        sys.exit(f"bench: {missing[0]}")
    side = Side(bench, jdk, max(there, key=lambda jacoco: jacoco.newest), options.rounds)
    folder = os.path.join(bench["WORK"], "hello")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "Hello.java"), "w", encoding="utf-8") as file:
        file.write('public class Hello { public static void main(String[] a) { System.out.println("hello"); } }\n')
    bench["output"]([jdk.tool("javac"), "-nowarn", "--release", "11", "-d", folder, os.path.join(folder, "Hello.java")])
    quick = Side(bench, jdk, side.jacoco, options.rounds * 4)
    whole_runs(quick, "coverage: hello world", ["-cp", folder, "Hello"], 1.10)
    compiler, sources, out = bench["jar"]("ecj"), os.path.join(bench["WORK"], "g"), os.path.join(bench["WORK"], "out")
    bench["sources"](sources, 300)
    whole_runs(Side(bench, jdk, side.jacoco, options.rounds, mapped=True), "coverage: the Eclipse compiler on 300 files",
               ["-cp", compiler, "org.eclipse.jdt.internal.compiler.batch.Main", "-source", "1.8", "-target", "1.8", "-nowarn",
                "-d", out, sources], 1.10)
    hot_loop(side, folder)
