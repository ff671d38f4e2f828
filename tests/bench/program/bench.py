"""What inserted code costs whole programs: the first run in a fresh JVM, and once the program is warm.

Four programs, each plain and with each pass, in turn:

ecj     the Eclipse compiler on 130 files, 16 times in one JVM
shapes  an interpreter of expressions: short methods in hot loops, 16 times in one JVM
nested  ten nested calls that do nothing, over and over
jetty   Jetty starts with a web application, answers one request and stops: many classes that run once

"first" is the time from the start of the process to the end of its first run, "warm" the median of runs 11 to 16. Ratios are medians of those
of each pair: the pass, and plain next to it. The ratio of processor time stands behind it: other processes disturb it less.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(os.path.dirname(HERE)), "coverage"))

import jacoco as jacoco_jars  # noqa: E402
from program.peers import FIRST_RUN_ONLY, Peers  # noqa: E402

JETTY = ["jetty9-server", "jetty9-servlet", "jetty9-util", "jetty9-http", "jetty9-io", "jetty9-security", "servlet-api"]
# The targets of a pass: first, warm.
PASSES = {
    "timing": (1.25, 1.25),
    "timing,timing.clock=every": (1.25, 1.25),
    "calls": (1.10, 1.08),
    "coverage": (1.05, 1.06),
    "exceptions": (1.03, 1.02),
    "alloc": (1.08, 1.10),
    "timing,calls,coverage,exceptions,alloc": (1.45, 1.50),
}
PATTERNS = {"ecj": "org.eclipse.jdt.**", "shapes": "Shapes:Shapes$*", "jetty": "org.eclipse.jetty.**:Start*"}


class Sources:
    """Files for a compiler: the 130 classes are the same in each run."""

    BODY = """    int m%d(List<? extends Number> list, Map<String, List<Integer>> map) {
        int sum = %d;
        for (Number n : list) sum += n.intValue() * %d;
        for (Map.Entry<String, List<Integer>> e : map.entrySet())
            switch (e.getKey().length() %% 4) {
                case 0: sum += e.getValue().stream().mapToInt(x -> x + 1).sum(); break;
                case 1: sum -= e.getValue().size(); break;
                default: try { sum ^= Integer.parseInt(e.getKey()); } catch (NumberFormatException x) { sum++; }
            }
        return new Object() { int twice(int v) { return v * 2; } }.twice(sum);
    }
"""

    def __init__(self, folder, count=130):
        os.makedirs(folder, exist_ok=True)
        for i in range(count):
            methods = "".join(self.BODY % (m, m, m + 1) for m in range(12))
            with open(os.path.join(folder, f"C{i}.java"), "w", encoding="utf-8") as file:
                file.write(f"package g;\nimport java.util.*;\npublic class C{i} {{\n{methods}    C{(i + 1) % count} next;\n}}\n")
        self.folder = folder


class Program:
    def __init__(self, name, class_path, arguments, times):
        self.name, self.class_path, self.arguments, self.times = name, class_path, arguments, times

    def command(self, jdk, options, times=None):
        return [jdk.tool("java"), *options, "-cp", self.class_path, "Repeat", str(times or self.times), *self.arguments]


def one_run(command):
    """One process: seconds of wall and processor time of its start with the first run, and of a warm run; None: there are none."""
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        first, runs = None, []
        for line in child.stdout:
            if re.fullmatch(r"run \d+ \d+ \d+\n", line):
                if not runs:
                    first = (time.monotonic() - start, cpu_of(child.pid))
                runs.append([int(n) / 1000 for n in line.split()[2:]])
    if child.returncode or not runs:
        sys.exit(f"bench: {' '.join(command)}: exit status {child.returncode}")
    warm = tuple(statistics.median(r[i] for r in runs[-6:]) for i in (0, 1)) if len(runs) > 6 else None
    return first, warm


def cpu_of(pid):
    with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def programs(jdk, work, jars):
    """Builds what is there; what is missing is said."""
    out = os.path.join(work, "program")
    os.makedirs(out, exist_ok=True)
    jetty, compiler = jars(*JETTY), jars("ecj")
    sources = [os.path.join(HERE, name) for name in ("Repeat.java", "Shapes.java") + (("Start.java",) if jetty else ())]
    subprocess.run([jdk.tool("javac"), "-nowarn", "--release", "8", "-Xlint:none", "-cp", ":".join(jetty), "-d", out, *sources], check=True)
    if compiler:
        folder = Sources(os.path.join(work, "program-g")).folder
        tail = ["ecj", "-source", "1.8", "-target", "1.8", "-proc:none", "-nowarn", "-d", os.path.join(work, "program-out"), folder]
        yield Program("ecj", f"{out}:{':'.join(compiler)}", tail, 16)
    else:
        print("  ecj: skipped: ecj.jar is missing (Debian: libecj-java)")
    yield Program("shapes", out, ["Shapes"], 16)
    if jetty:
        yield Program("jetty", f"{out}:{':'.join(jetty)}", ["Start"], 1)
    else:
        print("  jetty: skipped: its jars are missing (Debian: libjetty9-java)")


def ratios(pairs, which):
    """Medians of the ratios of wall and processor time. which: 0 first, 1 warm."""
    found = [(a[which], b[which]) for a, b in pairs if a[which]]
    return [statistics.median(a[i] / b[i] for a, b in found) for i in (0, 1)] if found else None


def text_of(pair, target=None):
    if not pair:
        return f"{'':26}"
    text = f"{pair[0]:5.2f} (cpu {pair[1]:.2f})"
    return f"{text + (f' of {target:.2f}' if target else ''):26}"


def measure(jdk, program, rows, rounds):
    """Runs plain and each row in turn. A dictionary of lists of pairs."""
    pairs = {name: [] for name, _ in rows}
    for i in range(rounds + 1):
        print(f"program: {program.name}, JDK {jdk.version}: round {i} of {rounds}", file=sys.stderr, flush=True)
        for name, options in rows:
            times = 1 if name in FIRST_RUN_ONLY else None
            pair = one_run(program.command(jdk, options, times)), one_run(program.command(jdk, [], times))
            if i:  # the first round warms the caches of the machine
                pairs[name].append(pair)
    return pairs


def print_program(jdk, program, agent, peers, jacoco, options):
    rounds = options.rounds
    chosen = [p for p in PASSES if not options.passes or p in options.passes]
    rows = [(p, [f"-agentpath:{agent}={p},quiet=yes,control=off,include={PATTERNS[program.name]}{extra(p)}"]) for p in chosen]
    rows += [] if options.passes else list(peers.rows(program.class_path, PATTERNS[program.name], jacoco))
    pairs = measure(jdk, program, rows, rounds)
    plain = [b for found in pairs.values() for _, b in found]
    warm_runs = [b[1][0] for b in plain if b[1]]
    warm = f", warm {statistics.median(warm_runs) * 1000:.0f} ms" if warm_runs else ""
    print(f"program: {program.name}, JDK {jdk.version}, {rounds} pairs; plain: first {statistics.median(b[0][0] for b in plain):.2f} s{warm}")
    print(f"  {'':40}{'first, of plain':26}{'warm, of plain':26}")
    for name, found in pairs.items():
        first, late = PASSES.get(name, (None, None))
        print(f"  {name:40}{text_of(ratios(found, 0), first)}{text_of(ratios(found, 1), late)}".rstrip(), flush=True)


def whole_run(command):
    """Processor time of a whole process."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    if status:
        sys.exit(f"bench: {' '.join(command)}: status {status}")
    return usage.ru_utime + usage.ru_stime


def print_costs(jdk, program, agent, options):
    """What passes say that they have cost, beside the difference to plain: whole processes that run the program once."""
    stats = os.path.join(program.class_path.split(":")[0], "cost.json")
    program.times = 1
    print(f"program: {program.name}, JDK {jdk.version}, CPU time that passes say they cost, beside what they do: medians of {options.rounds} pairs")
    for passes in [p for p in PASSES if not options.passes or p in options.passes]:
        option = f"-agentpath:{agent}={passes},quiet=yes,control=off,stats={stats},include={PATTERNS[program.name]}{extra(passes)}"
        said, more, plain = [], [], []
        for _ in range(options.rounds):
            ours = whole_run(program.command(jdk, [option]))
            plain.append(whole_run(program.command(jdk, [])))
            more.append(ours - plain[-1])
            with open(stats, encoding="utf-8") as file:
                said.append(sum(cost["total_ns"] for cost in json.load(file)["costs"].values()) / 1e9)
        says, does = statistics.median(said), statistics.median(more)
        print(f"  {passes:40}{says:6.2f} s, measured {does:6.2f} s of {statistics.median(plain):.2f}: "
              f"{says / does if does > 0 else float('inf'):.2f} times (target 0.67 to 1.50)", flush=True)
    os.remove(stats)


def nested(jdk, work, agent, peers, options):
    """Ten nested calls: medians of the runs' medians, beside plain."""
    out = os.path.join(work, "program")
    subprocess.run([jdk.tool("javac"), "--release", "8", "-Xlint:none", "-d", out, os.path.join(HERE, "Nested.java")], check=True)
    targets = {"calls": 1.25, "timing": 4, "timing,timing.clock=every": 4}
    rows = [("", [])] + [(p, [f"-agentpath:{agent}={p},quiet=yes,control=off,include=Nested"]) for p in targets]
    rows += [] if options.passes else list(peers.of_nested_calls())
    times = {name: [] for name, _ in rows}
    for _ in range(options.rounds):
        for name, more in rows:
            times[name].append(nested_once([jdk.tool("java"), *more, "-cp", out, "Nested"]))
            peers.clean()
    plain = statistics.median(times.pop(""))
    print(f"program: ten nested calls, JDK {jdk.version}, medians of {options.rounds} runs; plain: {plain:.0f} ns")
    for name, found in times.items():
        median = statistics.median(found)
        idle = name not in targets and median < 1.1 * plain
        print(f"  {name:40}{median:6.0f} ns, {median / plain:.2f}{f' of {targets[name]}' if name in targets else ''}"
              f"{' (it instruments nothing on this JDK)' if idle else ''}", flush=True)


def nested_once(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    line = re.search(r"^median (\d+)$", done.stdout, re.M)
    if done.returncode or not line:
        sys.exit(f"bench: {' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return int(line[1])


def extra(passes):
    return ",coverage.file=/dev/null" if "coverage" in passes else ""


def run_all(bench, jdk, options):
    """For JDK 17 and the newest that is there."""
    work = os.path.join(bench["WORK"], "program")
    os.makedirs(work, exist_ok=True)
    found = [j for j in bench["jdks"].find() if j.has("javac") and j.version >= 17]
    for one in {j.version: j for j in found if j.version in (options.jdk or (17, found[-1].version))}.values():
        there, _ = jacoco_jars.find(work, one, options.jacoco)
        fit = [j for j in there if j.newest_jdk >= one.version]
        peers = Peers(work, one, bench["jdks"].jars)
        if not options.program or "nested" in options.program:
            nested(one, work, bench["AGENT"], peers, options)
        for program in programs(one, work, bench["jdks"].jars):
            if not options.program or program.name in options.program:
                print_program(one, program, bench["AGENT"], peers, max(fit, key=lambda j: j.newest, default=None), options)
                print_costs(one, program, bench["AGENT"], options)
