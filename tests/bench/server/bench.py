"""A server whose every method is timed: how long requests take at half of its capacity, and how many it answers at most.

The server is a shop on Jetty (Serve.java), the client another JVM (Load.java). First the plain server's capacity is measured; then, for each
row, pairs of servers one after the other, the row's and a plain one: warmed up under full load, half of that capacity for so many seconds,
full load again. p99 counts from when a request was due. Ratios are medians of those of the pairs.
"""

import os
import statistics
import subprocess
import sys

from program import bench as programs
from program.peers import Peers

HERE = os.path.dirname(os.path.abspath(__file__))
PASSES = ["timing", "timing,timing.clock=every", "calls", "timing,calls,coverage,exceptions,alloc"]
P99, THROUGHPUT = 1.05, 0.90  # targets of timing
PATTERN = "org.eclipse.jetty.**:Serve*"


class Bench:
    def __init__(self, bench, jdk, options):
        self.bench, self.jdk, self.options = bench, jdk, options
        self.out = os.path.join(bench["WORK"], "server", str(jdk.version))
        os.makedirs(self.out, exist_ok=True)
        self.jetty = bench["jdks"].jars(*programs.JETTY)

    def build(self):
        self.javac(self.out, self.jetty, "Serve", "Load")

    def javac(self, out, path, *names):
        self.bench["output"]([self.jdk.tool("javac"), "-nowarn", "--release", "8", "-Xlint:none", "-cp", ":".join([*path, out]), "-d", out,
                              *(os.path.join(HERE, name + ".java") for name in names)])

    def load(self, port, rate, seconds):
        return self.bench["figures"](self.bench["output"]([self.jdk.tool("java"), "-Xmx512m", "-cp", self.out, "Load", str(port), str(self.options.connections),
                                                           f"{rate:.2f}", str(seconds)]))

    def server(self, options, rate):
        """p99 in ms at this rate (0: not measured), and the requests a second of full load."""
        command = [self.jdk.tool("java"), "-Xmx512m", *options, "-cp", ":".join([self.out, *self.jetty]), "Serve"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
            line = child.stdout.readline()
            while line and not line.startswith("port "):
                line = child.stdout.readline()
            if not line:
                sys.exit(f"bench: {' '.join(command)}: does not start")
            port, seconds = int(line.split()[1]), self.options.seconds
            self.load(port, 0, max(seconds / 3, 5))
            p99 = self.load(port, rate, seconds)["p99_us"] / 1000 if rate else 0
            full = self.load(port, 0, max(seconds / 3, 5))["requests_per_second"]
            child.stdin.close()
        return p99, full

    def rows(self, jacoco):
        chosen = [p for p in PASSES if not self.options.passes or p in self.options.passes]
        for passes in chosen:
            yield passes, [f"-agentpath:{self.bench['AGENT']}={passes},quiet=yes,control=off,include={PATTERN}{programs.extra(passes)}"]
        if self.options.passes:
            return
        yield from Peers(self.bench["WORK"], self.jdk, self.bench["jdks"].jars).rows(":".join([self.out, *self.jetty]), PATTERN, jacoco)

    def run(self, jacoco):
        self.build()
        capacity = self.server([], 0)[1]
        rounds, seconds = self.options.rounds, self.options.seconds
        print(f"server: a shop on Jetty, JDK {self.jdk.version}, {rounds} pairs of {seconds} s, {self.options.connections} connections; plain: {capacity:.0f} requests a second at full load")
        print(f"  {'':40}{'p99 at half of it, of plain':36}{'full load, of plain':24}")
        for name, options in self.rows(jacoco):
            pairs = [(self.server(options, capacity / 2), self.server([], capacity / 2)) for _ in range(rounds)]
            p99, full = (statistics.median(a[i] / b[i] for a, b in pairs) for i in (0, 1))
            ms, plain = (statistics.median(p[i][0] for p in pairs) for i in (0, 1))
            ours = name.startswith("timing") and ",calls" not in name
            print(f"  {name:40}{f'{p99:.2f} ({ms:.2f}, {plain:.2f} ms)' + (f' of {P99}' if ours else ''):36}"
                  f"{full:.2f}{f' of {THROUGHPUT:.2f}' if ours else ''}", flush=True)


def run(bench, jdk, options):
    """For JDK 17 and the newest that is there."""
    found = [j for j in bench["jdks"].find() if j.has("javac") and j.version >= 17]
    if not bench["jdks"].jars(*programs.JETTY):
        print("server: skipped: Jetty's jars are missing (Debian: libjetty9-java)")
        return
    for one in {j.version: j for j in found if j.version in (options.jdk or (17, jdk.version))}.values():
        there, _ = programs.jacoco_jars.find(os.path.join(bench["WORK"], "program"), one, options.jacoco)
        fit = [j for j in there if j.newest_jdk >= one.version]
        Bench(bench, one, options).run(max(fit, key=lambda j: j.newest, default=None))
