"""The delays for an operator and for the JVM: passes switched on in a server with 5,000 classes."""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
PRODUCTION = os.path.join(os.path.dirname(HERE), "production")
sys.path.insert(0, PRODUCTION)
from control import reach  # noqa: E402

# Some 5,000 classes that exist in every JDK from 9 on, and that no server needs.
MODULES = ["compiler", "javadoc", "hotspot.agent", "jshell", "jdeps", "jlink", "jdi"]
PACKAGES = ["com.sun.tools", "com.sun.jdi", "com.sun.source", "jdk.javadoc", "jdk.jshell", "jdk.internal.jshell", "jdk.tools", "sun.jvm.hotspot"]
# About as many as timing adds.
CONSTANTS = 8
SCOPE = ":".join(p + ".**" for p in PACKAGES)


def processor_ms(stat):
    with open(stat, encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 // os.sysconf("SC_CLK_TCK")


class Jvm:
    """A server with those classes loaded and linked."""

    def __init__(self, jdk, work, *options):
        self.log = os.path.join(work, "safepoints")
        self.process = subprocess.Popen([jdk.tool("java"), "-Xms1g", "-Xmx1g", "-XX:+UseSerialGC", "--add-modules", "ALL-SYSTEM", *options, f"-Xlog:safepoint:file={self.log}",
                                         "-cp", os.path.join(work, "classes"), "Server", os.path.join(work, "names")],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.pid, self.port = self.process.pid, int(self.process.stdout.readline())
        self.rest()

    def rest(self):
        """Waits until the compilers are idle: the server must run, not start."""
        used = None
        while used is None or self.used_ms() - used > 20:
            used = self.used_ms()
            time.sleep(0.5)

    def used_ms(self):
        return processor_ms(f"/proc/{self.pid}/stat")

    def get(self, path="/"):
        return urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60).read().decode()

    def processor_ms(self):
        """Processor time of all its threads so far, without its compilers."""
        total = self.used_ms()
        for thread in os.listdir(f"/proc/{self.pid}/task"):
            try:
                with open(f"/proc/{self.pid}/task/{thread}/comm", encoding="ascii") as file:
                    if "CompilerThre" in file.read():
                        total -= processor_ms(f"/proc/{self.pid}/task/{thread}/stat")
            except OSError:
                pass  # it has ended
        return total

    def control(self):
        return reach(self.pid)

    def end(self):
        """The longest pause for a redefinition, ns."""
        self.process.stdin.close()
        self.process.wait(60)
        with open(self.log, encoding="utf-8") as file:
            return max([int(n) for n in re.findall(r'"RedefineClasses".*Total: *(\d+) ns', file.read())], default=0)


def prepare(jdk, work):
    os.makedirs(os.path.join(work, "classes"), exist_ok=True)
    programs = [os.path.join(PRODUCTION, "programs", name + ".java") for name in ("Server", "Floor")]
    subprocess.run([jdk.tool("javac"), "-nowarn", "-proc:none", "-d", os.path.join(work, "classes"), *programs], check=True)
    pattern = "regex:/jdk\\.(" + "|".join(m.replace(".", "\\.") for m in MODULES) + ")/.*\\.class"
    found = subprocess.run([jdk.tool("jimage"), "list", "--include", pattern, os.path.join(jdk.home, "lib", "modules")],
                           capture_output=True, text=True, check=True).stdout
    names = [line.strip()[:-6].replace("/", ".") for line in found.splitlines() if line.strip().endswith(".class")]
    with open(os.path.join(work, "names"), "w", encoding="utf-8") as file:
        file.write("\n".join(n for n in names if n != "module-info"))


def floor_of(jdk, work, library, batch=500, constants=0):
    """(classes, ns, longest pause, processor ms) of an agent that changes nothing, or adds constants."""
    jvm = Jvm(jdk, work, f"-agentpath:{library}")
    before = jvm.processor_ms()
    count, took, _ = (int(n) for n in jvm.get(f"/floor/{batch}+{constants}/" + ",".join(p + ".*" for p in PACKAGES)).split())
    cpu = jvm.processor_ms() - before
    return count, took, jvm.end(), cpu


def enable(jdk, work, agent, batch=500, threads="auto"):
    """The same for timing, with the classes that it changed; and the figures of the revert."""
    jvm = Jvm(jdk, work, f"-agentpath:{agent}")
    with jvm.control() as c:
        before = jvm.processor_ms()
        done = c.run("enable", f"timing,include={SCOPE},interfaces=yes,batch={batch},batch-threads={threads},pace=off")
        cpu = jvm.processor_ms() - before
        back = c.run("revert")
    return done["classes"], done["elapsed_ns"], jvm.end(), cpu, done["changed"], back["elapsed_ns"]


def first_figures(jdk, work, cli, scope):
    """Seconds from the first command to the first table, for a server under load without an agent; and the number of
    classes changed after the command."""
    jvm, stop = Jvm(jdk, work, *(["-XX:+EnableDynamicAgentLoading"] if jdk.version >= 21 else [])), threading.Event()

    def use():
        while not stop.is_set():
            jvm.get()
    user = threading.Thread(target=use)
    user.start()
    time.sleep(1)
    start = time.monotonic()
    said = subprocess.run([cli, "attach", str(jvm.pid), "timing", f"include={scope}", "max-overhead=off", "--json"], check=True, capture_output=True, text=True).stdout
    attached = time.monotonic() - start
    table = subprocess.run([cli, "top", str(jvm.pid), "--once"], check=True, capture_output=True, text=True).stdout
    took = time.monotonic() - start
    stop.set()
    user.join()
    jvm.end()
    if not re.search(r", [1-9][\d,]* methods called", table):
        sys.exit(f"bench: no figures in the first table: {table}")
    return attached, took, json.loads(said)["remaining"]


# Seconds of load: until the server is warm, while nothing changes, and after each change.
WARM, CONTROL, AFTER = 30, 60, 5


def per_second(jdk, work, agent, pace, connections):
    """The server's requests in each second under load: while nothing changes (the control), while timing is switched on, and while it is reverted, each
    against the control's median: in all, and per processor time that the JVM used, which other processes on the machine disturb less. A list of
    (step, ratio, ratio by processor time)."""
    jvm = Jvm(jdk, work, "-Dsun.net.httpserver.nodelay=true", f"-agentpath:{agent}")
    load = subprocess.Popen(["wrk", "-t1", f"-c{connections}", "-d1200", f"http://127.0.0.1:{jvm.port}/"], stdout=subprocess.DEVNULL)
    seconds = []

    def second(step):
        start, served, used = time.monotonic(), int(jvm.get("/served")), jvm.used_ms()
        time.sleep(1)
        served, used = int(jvm.get("/served")) - served, jvm.used_ms() - used
        seconds.append((step, served / (time.monotonic() - start), served / max(used, 1)))
    try:
        for step, count in (("warm", WARM), ("control", CONTROL)):
            for _ in range(count):
                second(step)
        with jvm.control() as c:
            for step, words in (("switch-on", ("enable", f"timing,include=Server*:sun.net.httpserver.**:com.sun.net.httpserver.**:{SCOPE},pace={pace}")),
                                ("revert", ("revert",))):
                work_of = threading.Thread(target=c.run, args=words)
                work_of.start()
                while work_of.is_alive():
                    second(step)
                for _ in range(AFTER):
                    second("after " + step)
    finally:
        load.kill()
        load.wait()
    jvm.end()
    usual = [statistics.median(s[i] for s in seconds if s[0] == "control") for i in (1, 2)]
    return [(step, rate / usual[0], by_time / usual[1]) for step, rate, by_time in seconds if step != "warm"]


def of_seconds(ratios):
    """How they are spread, and how many are below 80 %."""
    ratios = sorted(ratio * 100 for ratio in ratios)
    return (f"mean {statistics.mean(ratios):.0f}, a tenth below {ratios[len(ratios) // 10]:.0f}, least {ratios[0]:.0f} %; "
            f"{sum(ratio < 80 for ratio in ratios)} of {len(ratios)} below 80 %")


def print_per_second(jdk, work, agent):
    """The seconds of a change say something about it only beside those of the control: on a machine with other work, or with as many busy threads as
    processors, some seconds are slow in any case."""
    for pace, connections in (("auto", 4), ("auto", 1), ("off", 4)):
        seconds = per_second(jdk, work, agent, pace, connections)
        print(f"  pace={pace}, {connections} connection{'s'[connections == 1:]}: requests in each second against the median of {CONTROL} seconds in which nothing "
              "changes (target: with pace=auto not more seconds below 80 % than there)")
        for wanted in ("control", "switch-on", "after switch-on", "revert", "after revert"):
            of = [(ratio, by_time) for step, ratio, by_time in seconds if step == wanted]
            if of:
                print(f"    {wanted}, {len(of)} s: {of_seconds(r for r, _ in of)}; by processor time of the JVM: {of_seconds(b for _, b in of)}")
        for wanted in ("switch-on", "revert"):
            print(f"    {wanted}: {' '.join(f'{ratio * 100:.0f}' for step, ratio, _ in seconds if step == wanted)} %", flush=True)


def production(jdk, options, build, work):
    work = os.path.join(work, "production")
    agent, cli = os.path.join(build, "instr", "libinstr.so"), os.path.join(build, "instr", "instr")
    floor = os.path.join(build, "tests", "libfloor.so")
    prepare(jdk, work)
    rounds = [(enable(jdk, work, agent, threads=1), enable(jdk, work, agent), floor_of(jdk, work, floor)) for _ in range(options.rounds)]
    (classes, _, _, _, changed, _), (again, *_), (there, *_) = rounds[0]
    if not classes == again == there >= 4500:
        sys.exit(f"bench: {classes} and {again} classes retransformed, {there} by the agent that changes nothing")
    pairs = [(one, least) for one, _, least in rounds]

    def median(of):
        return statistics.median(of(*r) for r in rounds)
    theirs, pause = median(lambda one, two, least: least[1]), median(lambda one, two, least: least[2])
    print(f"production: a server of the JDK's with {classes} more classes, JDK {jdk.version}, batches of 500, {options.rounds} times three JVMs, {os.cpu_count()} processors")
    print(f"  an agent that changes nothing, one thread: {theirs / 1e6:.0f} ms, {theirs / classes / 1e3:.0f} us per class, "
          f"{median(lambda one, two, least: least[3])} ms of processors without the JVM's compilers, the longest pause {pause / 1e6:.0f} ms")
    for which, threads in enumerate(("one thread", "two threads (the default where the JVM supports it and a processor is idle)")):
        ours = median(lambda *r: r[which][1])
        print(f"  timing enabled, {changed} classes changed, by {threads}: {ours / 1e6:.0f} ms, {ours / classes / 1e3:.0f} us per class: "
              f"{median(lambda *r: r[which][1] / r[2][1]):.2f} times (target 1.2); {median(lambda *r: r[which][3])} ms of processors: "
              f"{median(lambda *r: r[which][3] / r[2][3]):.2f} times; the longest pause {median(lambda *r: r[which][2]) / 1e6:.0f} ms; "
              f"reverted in {median(lambda *r: r[which][5]) / 1e6:.0f} ms")
    took = [floor_of(jdk, work, floor, 500, CONSTANTS)[1] / p[1][1] for p in pairs]
    print(f"  an agent that adds {CONSTANTS} constants to each class and changes no method: {statistics.median(took):.2f} times")
    for batch in (50, 200, 500, 1000, 10000):
        took = [enable(jdk, work, agent, batch) for _ in range(max(1, options.rounds // 2))]
        there = [floor_of(jdk, work, floor, batch) for _ in range(max(1, options.rounds // 2))]
        print(f"  batch={batch}: {statistics.median(t[1] for t in took) / 1e6:.0f} ms, the longest pause "
              f"{statistics.median(t[2] for t in took) / 1e6:.1f} ms (the agent that changes nothing: "
              f"{statistics.median(t[1] for t in there) / 1e6:.0f} ms, {statistics.median(t[2] for t in there) / 1e6:.1f} ms)")
    for what, scope in (("the server's own classes", "Server:Server$*:sun.net.httpserver.**"), ("all of them", f"Server*:{SCOPE}")):
        took = [first_figures(jdk, work, cli, scope) for _ in range(options.rounds)]
        print(f"  attach to first figures, {what}: {statistics.median(t[1] for t in took):.2f} s, of which attach "
              f"{statistics.median(t[0] for t in took):.2f} s; {max(t[2] for t in took)} classes follow (target 0.5)")
    if shutil.which("wrk"):
        print_per_second(jdk, work, agent)
    else:
        print("  skipped: requests per second while switching, needs the Debian package wrk")
