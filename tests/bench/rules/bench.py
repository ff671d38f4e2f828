"""What rules cost for each call, beside the pass `calls` and the clock itself; and how soon one works in a running JVM."""

import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RULES = {
    "no agent": "",
    "calls": "calls,include=Rules",
    "a rule that counts": "rule=Rules.work(int) entry { @ = count() }",
    "hist(elapsed) by a string": "rule=Rules.order(Item item) exit { @ms[item.country] = hist(elapsed) }",
}


class Bench:
    def __init__(self, bench, jdk, options):
        self.bench, self.jdk, self.rounds = bench, jdk, options.rounds
        self.out = os.path.join(bench["WORK"], "rules")
        os.makedirs(self.out, exist_ok=True)
        bench["output"]([jdk.tool("javac"), "--release", "8", "-Xlint:-options", "-d", self.out, os.path.join(HERE, "Rules.java")])

    def java(self, options, *arguments):
        agent = [f"-agentpath:{self.bench['AGENT']}={options},quiet=yes"] if options else []
        return [self.jdk.tool("java"), *agent, "-cp", self.out, "Rules", *arguments]

    def calls(self):
        runs = {name: [] for name in RULES}
        for _ in range(self.rounds):
            for name, options in RULES.items():
                still = [f"-XX:CompileCommand=dontinline,Rules.{m}" for m in ("work", "order")]
                command = self.java(options)
                runs[name].append(self.bench["figures"](self.bench["output"]([command[0], "-XX:CompileCommand=quiet", *still, *command[1:]])))

        def median(name, key):
            return statistics.median(run[key] for run in runs[name])
        plain, clocks = median("no agent", "work"), median("no agent", "clocks")
        print(f"rules: nanoseconds per call, JDK {self.jdk.version}, medians of {self.rounds} runs; plain: {plain:.2f}")
        counted, ruled = median("calls", "work") - plain, median("a rule that counts", "work") - plain
        print(f"  calls: {counted:+.2f}; a rule that counts: {ruled:+.2f} (target: what calls costs), {ruled / counted:.2f} times")
        timed = median("hist(elapsed) by a string", "order") - median("no agent", "order")
        print(f"  hist(elapsed) by a string field: {timed:+.1f}; two System.nanoTime: {clocks:.1f}, {timed - clocks:+.1f} (target 40)")

    def instr(self, *words):
        return subprocess.run([os.path.join(self.bench["BUILD"], "instr", "instr"), *words], capture_output=True, text=True, check=True).stdout

    def count(self, pid):
        """What the rule has counted so far."""
        document = json.loads(self.instr("rules", pid, "--json") or "{}")
        return sum(row["count"] for row in document.get("tables", []))

    def effect(self):
        """From the command to the first counts that another command shows, and back to the original code."""
        shown, gone = [], []
        for _ in range(self.rounds):
            with subprocess.Popen(self.java("", "live"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
                try:
                    child.stdout.readline()
                    pid = str(child.pid)
                    start = time.monotonic()
                    self.instr("rule", pid, RULES["a rule that counts"][5:], "--name", "one")
                    while not self.count(pid):
                        time.sleep(0.005)
                    shown.append(time.monotonic() - start)
                    start = time.monotonic()
                    self.instr("rule", pid, "--drop", "one")
                    gone.append(time.monotonic() - start)
                finally:
                    child.kill()
        print(f"rules: in a running JVM without an agent, JDK {self.jdk.version}, medians of {self.rounds}: "
              f"{statistics.median(shown) * 1000:.0f} ms from the command to counts that are shown (target 2000), "
              f"{statistics.median(gone) * 1000:.0f} ms to drop it")


def run(bench, jdk, options):
    if not os.path.exists(os.path.join(bench["BUILD"], "instr", "instr")):
        sys.exit("bench: the tool is not built")
    rules = Bench(bench, jdk, options)
    rules.calls()
    rules.effect()
