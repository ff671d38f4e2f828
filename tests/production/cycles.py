"""Servers under load through cycles of enable, watch, disable and revert, and the effects that remain in the JVM.

Beside the server with the product there is a control: a server in which an agent that changes nothing makes the JVM
retransform the same classes as often. They take turns, some cycles each, so that other load on the machine affects
both. Both have the same options and a heap of 128 MiB, a third of which they keep for their users and replace piece
by piece, so that the JVM collects old garbage every few cycles, as servers do in the course of a day: HotSpot keeps
each version of a method, and the code compiled of it, until then, and all that is retransformed meanwhile takes
longer. HotSpot reuses the metaspace that it frees, but counts it as used; here it is subtracted. When a retransformed
class has lambdas, HotSpot creates a new class for each lambda that runs, and keeps it as long as the class loader:
reported as classes. It visits all classes whenever some are retransformed, which takes longer the more there are.
"""

import os
import re
import statistics
import subprocess
import time
import urllib.request

TURN = 20  # cycles
OPTIONS = ["-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch", "-Dkept=5000", "-Dsun.net.httpserver.nodelay=true"]
# The permitted growth beyond the control, in MiB: resident memory varies with the work of the JVM's compilers.
MORE = {"resident": 16, "metaspace": 2, "code": 4}
OF_LAMBDA = 3072  # maximum size of a lambda's class in metaspace, in bytes


def get(port, path="/"):
    return urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60).read().decode()


class Ours:
    """The product; every tenth cycle ends with a detach and a new attach."""

    name = "instr"

    def __init__(self, t, scope, start):
        self.jvm, self.scope, self.calls = start(*OPTIONS), scope, 0
        self.port, self.attach = int(self.jvm.line()), [t.cli, "attach", str(self.jvm.pid)]
        subprocess.run(self.attach, check=True, capture_output=True)

    def cycle(self, i):
        with self.jvm.control() as c:
            c.run("enable", f"timing,pace=off,include={self.scope}")
            c.start("watch", "Server.work(int)", "limit=3", "for=2000000000")
            self.calls += len([1 for kind, _ in c.events() if kind == "document"])
            c.run("disable", "timing")
            c.run("enable", f"calls,include={self.scope}")
            c.run("revert")
            if i % 10 == 9:
                c.run("detach")
        if i % 10 == 9:
            time.sleep(0.3)
            subprocess.run(self.attach, check=True, capture_output=True)


class Control:
    """An agent that changes nothing makes the JVM retransform the same classes as often."""

    name = "the control"

    def __init__(self, t, scope, start):
        self.jvm = start(t.library("floor"), *OPTIONS)
        self.port, self.all = int(self.jvm.line()), "/floor/500/" + scope.replace(":", ",").replace("**", "*")

    def cycle(self, i):
        for path in (self.all, "/floor/500/Server", "/floor/500/Server", self.all, self.all, self.all):
            if get(self.port, path).split()[0] == "0":
                raise Exception(f"the control: the JVM refuses {path}")


class Served:
    """One of the servers, with its measurements."""

    def __init__(self, t, run, warm):
        self.run, self.warm, self.jvm, self.port, self.jcmd = run, warm, run.jvm, run.port, os.path.join(os.path.dirname(t.java), "jcmd")
        self.seconds, self.held, self.requests, self.failed, self.first = [], [], 0, "", None

    def memory(self, path):
        used = {k: int(v) for k, v in (line.split("=") for line in get(self.port, path).splitlines())}
        with open(f"/proc/{self.jvm.pid}/status") as f:
            resident = int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1)) * 1024
        return {"resident": resident, "metaspace": used.get("Metaspace", 0),
                "code": sum(v for k, v in used.items() if k.startswith("Code"))}

    def command(self, *words):
        return subprocess.run([self.jcmd, str(self.jvm.pid), *words], capture_output=True, text=True).stdout

    def after_collections(self):
        """The same without free metaspace and free C heap, if the JVM has commands for that; and the number of classes."""
        get(self.port, "/collected")
        self.command("System.trim_native_heap")
        memory, said = self.memory("/memory"), self.command("VM.metaspace", "scale=KB")
        free = re.search(r"Both:.*deallocated: *\d+ blocks with *([\d.]+) KB", said)
        classes = re.search(r"Total Usage.*?(\d+) classes", said)
        memory["metaspace"] -= int(float(free.group(1)) * 1024) if free else 0
        self.classes = int(classes.group(1)) if classes else 0
        return memory

    def turn(self, count):
        # A slow machine is not a failure: wrk itself waits for two seconds only.
        load = subprocess.Popen(["wrk", "-t1", "-c8", "-d7200s", "--timeout", "30s", f"http://127.0.0.1:{self.port}/"], stdout=subprocess.PIPE, text=True)
        try:
            for _ in range(count):
                start = time.monotonic()
                self.run.cycle(len(self.seconds))
                self.seconds.append(time.monotonic() - start)
                self.held.append(self.memory("/memory"))
                if len(self.seconds) == self.warm:
                    self.first = self.after_collections()
                    self.classes_first = self.classes
            load.send_signal(2)
            said = load.communicate(timeout=60)[0]
        finally:
            load.kill()
            load.wait()
        requests = re.search(r"(\d+) requests in", said)
        self.requests += int(requests.group(1)) if requests else 0
        if not requests or "Non-2xx" in said or "Socket errors" in said:
            self.failed += said

    def end(self):
        """The growth of memory since the first cycles, in bytes, and the time of the last cycles relative to the first."""
        n = min(100, max(1, len(self.seconds) // 3))
        last = self.after_collections()
        self.slower = statistics.median(self.seconds[-n:]) / statistics.median(self.seconds[:n])
        self.grown = {k: last[k] - self.first[k] for k in last}

        def most(cycles, k):
            return max(held[k] for held in cycles) / 2**20
        early = self.held[self.warm:self.warm + n]
        return (f"{self.run.name}: {self.requests} requests; the last {n} cycles took {self.slower:.2f} times the first (medians: "
                f"{statistics.median(self.seconds[:n]):.3f} s, {statistics.median(self.seconds[-n:]):.3f} s); "
                + ", ".join(f"{k} {self.first[k] / 2**20:.1f} -> {last[k] / 2**20:.1f} MiB (before collections up to "
                            f"{most(early, k):.1f} -> {most(self.held[-n:], k):.1f})" for k in last)
                + f", {self.classes - self.classes_first} classes more")


def under_load(t, main, scope, start):
    """`start` returns a JVM with such a server. Returns the problems and the measurements as text. No request may fail, cycles may slow down
    only as much as in the control, and memory may grow only as much; the last two are not checked below 100 cycles."""
    problems, runs = [], []
    warm = max(1, min(100, t.cycles // 5))
    try:
        runs = [Served(t, kind(t, scope, start), warm) for kind in ([Ours, Control] if t.cycles >= 100 else [Ours])]
        while len(runs[-1].seconds) < t.cycles:
            for run in runs:
                run.turn(min(TURN, t.cycles - len(run.seconds)))
        texts = [f"{main}: {t.cycles} cycles, {runs[0].run.calls} calls watched", *(run.end() for run in runs)]
        for run in runs:
            if run.failed:
                problems.append(f"{run.run.name}: requests failed: {run.failed}")
            run.jvm.end()
    finally:
        for run in runs:
            run.jvm.kill()
    if runs[0].run.calls < t.cycles:
        problems.append("nothing was watched")
    if len(runs) == 2:
        compare(problems, *runs)
    return problems, "\n    ".join(texts)


def compare(problems, ours, control):
    if ours.slower > max(1, control.slower) * 1.15:
        problems.append(f"the last cycles take {ours.slower:.2f} times as long as the first, in the control {control.slower:.2f} times")
    more_classes = ours.classes - ours.classes_first
    if more_classes and ours.grown["metaspace"] > (1 << 20) + more_classes * OF_LAMBDA:
        problems.append(f"metaspace grew by {ours.grown['metaspace'] / 2**20:.1f} MiB, which {more_classes} lambdas do not take")
    for k, more in MORE.items():
        if ours.grown[k] > max(0, control.grown[k]) * 1.25 + (more << 20):
            problems.append(f"{k} grew by {ours.grown[k] / 2**20:.1f} MiB, in the control by {control.grown[k] / 2**20:.1f}")
