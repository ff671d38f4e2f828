"""Whole programs, bad input, start-up, other agents, the CLI: tests that need more than a line of the table.

Each is a function that takes a Run and yields (what, problems); the decorator puts it into ALL.
"""

import glob
import hashlib
import json
import os
import re
import resource

from . import expect, jdks, passes, vm
from .table import CASES


class Skip(Exception):
    """Raised, with the reason, by a test that cannot be run here."""


class Run:
    """The environment of a test: the tools under test, the compiled parts, one JDK, a folder of its own."""

    def __init__(self, options, built, jdk, name):
        self.agent, self.cli, self.reference_jar = options.agent, options.cli, built.reference
        self.stress, self.seeds = options.stress, options.seeds
        self.built, self.jdk, self.quick = built, jdk, options.quick
        self.whole = not options.quick or bool(options.jdk)
        self.folder = os.path.join(options.work, "run", jdk.name, re.sub(r"\W+", "-", name))
        vm.fresh(self.folder)
        self.java = jdk.tool("java")
        self.verify = (jdk.verify if options.verify else []) + options.hasty

    @property
    def every_pass(self):
        return ",".join(passes.every(self.cli))

    def file(self, *parts):
        return os.path.join(self.folder, *parts)

    def run(self, name, args, **kwargs):
        return vm.run(args, self.file(name), **kwargs)

    def with_agent(self, options):
        return f"-agentpath:{self.agent}={options}"

    def hello(self):
        return ["-cp", self.built.programs, "Hello", "world"]

    def classes(self):
        """The compiled cases of a release that this JDK runs."""
        return self.built.classes(17 if self.jdk.version >= 17 else 8)

    def expectations(self, name):
        """The case as this JDK runs it, and its expectations; (None, None) if it does not run here."""
        case = next(c for c in CASES if c.name == name).on(self.jdk.version)
        if case.jdk > self.jdk.version:
            return None, None
        return case, expect.read(case.main, [self.built.path(s) for s in case.sources], case.tag)


class Program:
    def __init__(self, name, function, quick, jdk, needs):
        self.name, self.function, self.quick, self.jdk, self.needs = name, function, quick, jdk, needs

    def run(self, options, built, jdk):
        if jdk.version < self.jdk:
            raise Skip(f"needs JDK {self.jdk}")
        for tool in self.needs:
            if not jdk.has(tool):
                raise Skip(f"{jdk} has no {tool}")
        return list(self.function(Run(options, built, jdk, self.name)))


ALL = []


def program(name, quick=True, jdk=8, needs=()):
    def register(function):
        ALL.append(Program(name, function, quick, jdk, needs))
        return function
    return register


def digests(folder):
    """The names and contents of all files below a folder."""
    return {os.path.relpath(p, folder): hashlib.sha256(open(p, "rb").read()).hexdigest()
            for p in glob.glob(os.path.join(folder, "**", "*"), recursive=True) if os.path.isfile(p)}


def same_files(a, b):
    left, right = digests(a), digests(b)
    if not left:
        return [f"{a} is empty"]
    different = sorted(n for n in left.keys() | right.keys() if left.get(n) != right.get(n))
    return [f"{len(different)} of {len(left)} files differ: {', '.join(different[:3])}"] if different else []


def sane(path, calls=1):
    """Problems of a report without known numbers: its times must be consistent, and something must have been called."""
    try:
        report = expect.load(path)
    except (OSError, ValueError) as e:
        return [f"{os.path.basename(path)}: {e}"]
    problems = []
    if sum(r["calls"] for r in report["methods"]) < calls:
        problems.append(f"{os.path.basename(path)}: fewer than {calls} calls")
    for row in report["methods"]:
        if report["pass"] == "timing" and row["thrown"] <= row["calls"] and row["max_ns"] > 0:
            problems += expect.times(row["class"] + "." + row["method"] + row["descriptor"], row)
    return problems[:3]


def sources_for_compilers(folder, count):
    """Generates Java 8 sources that use many language features, the same every time."""
    os.makedirs(folder)
    files = []
    for n in range(count):
        text = f"""package made;
import java.util.*;
public class Made{n}<T extends Comparable<T>> implements Iterable<T> {{
    private final List<T> items = new ArrayList<>();
    static final String[] NAMES = {{"a{n}", "b" + {n}, "\\u00e9"}};
    enum Kind {{ ONE, TWO {{ int v() {{ return {n}; }} }}, THREE; int v() {{ return ordinal() * {n + 1}; }} }}
    interface Op {{ long apply(long a, int b); default Op twice() {{ return (x, y) -> apply(apply(x, y), y); }} }}
    public Iterator<T> iterator() {{ return items.iterator(); }}
    synchronized T best(Comparator<? super T> c) {{
        T best = null;
        for (T t : this) if (best == null || c.compare(t, best) > 0) best = t;
        return best;
    }}
    static long compute(int seed) {{
        long sum = {n}L;
        outer: for (int i = 0; i < seed; i++) {{
            switch (i % 5) {{
                case 0: sum += i; break;
                case 1: sum ^= (long) i << 3; continue outer;
                case 3: if (sum > 1e9) break outer;
                default: sum -= Kind.values()[i % 3].v();
            }}
            try {{ if (i == {n % 7}) throw new IllegalStateException("i" + i); sum++; }}
            catch (IllegalStateException | UnsupportedOperationException e) {{ sum += e.getMessage().length(); }}
            finally {{ sum *= 3; }}
        }}
        return sum;
    }}
    {"".join(f'''
    static int method{k}(int a, Object o, double d) {{
        int[][] grid = new int[{k + 2}][a & 7];
        for (int[] row : grid) for (int j = 0; j < row.length; j++) row[j] = j * {k} + a--;
        String s = o instanceof String ? (String) o : String.valueOf(d) + a + NAMES[{k} % 3];
        switch (s) {{ case "x{k}": return 1; case "y": return grid.length; default: }}
        Op op = (x, y) -> x * y + {k};
        return (int) op.twice().apply(s.hashCode(), a) + new Object() {{ int inner() {{ return {k}; }} }}.inner();
    }}''' for k in range(12))}
}}
"""
        path = os.path.join(folder, f"Made{n}.java")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        files.append(path)
    return files


SCOPES = {
    "default": "",
    "java.util and java.lang": ",include=java.util.**:java.lang.**",
    "everything": ",include=**",
}


@program("javac", needs=["javac"])
def javac(r):
    """javac produces the same bytes as without the agent."""
    cases = {c.main for c in (c.on(r.jdk.version) for c in CASES) if c.jdk <= r.jdk.version and "/L" in c.main}
    sources = sorted(r.built.path(c + ".java") for c in cases) + sources_for_compilers(r.file("made"), 1 if r.quick else 12)

    def go(name, *vm_options):
        os.makedirs(r.file(name + ".out"))
        return r.run(name, [r.jdk.tool("javac")] + [f"-J{o}" for o in r.verify + list(vm_options)]
                     + ["-nowarn", "-g", "-proc:none", "-encoding", "UTF-8", "-d", r.file(name + ".out"), "-cp",
                        os.pathsep.join([r.built.generated, r.built.support])] + sources)

    plain = go("plain")
    yield "plain", [] if plain.status == 0 else [plain.tail()]
    for scope, option in SCOPES.items():
        if r.quick and option:
            continue
        name = scope.replace(" ", "-")
        report = r.file(name + ".json")
        other = go(name, r.with_agent(f"calls,timing,timing.file={report}{option}"))
        yield scope, vm.compare(plain, other, may_skip=True) + same_files(r.file("plain.out"), r.file(name + ".out")) \
            + sane(report, 100000)


@program("ecj", quick=False)
def ecj(r):
    """The Eclipse compiler produces the same bytes from some hundred sources."""
    jars = jdks.jars("ecj")
    if not jars:
        raise Skip("ecj.jar not found: install libecj-java")
    sources = sources_for_compilers(r.file("made"), 250)

    def go(name, *vm_options):
        os.makedirs(r.file(name + ".out"))
        return r.run(name, [r.java] + r.verify + list(vm_options) + [
            "-cp", jars[0], "org.eclipse.jdt.internal.compiler.batch.Main", "-8", "-nowarn", "-proc:none", "-encoding",
            "UTF-8", "-d", r.file(name + ".out")] + sources)

    plain = go("plain")
    yield "plain", [] if plain.status == 0 else [plain.tail()]
    for scope, option in SCOPES.items():
        name = scope.replace(" ", "-")
        report = r.file(name + ".json")
        other = go(name, r.with_agent(f"calls,timing,timing.file={report}{option}"))
        yield scope, vm.compare(plain, other, may_skip=True) + same_files(r.file("plain.out"), r.file(name + ".out")) \
            + sane(report, 1000000)


@program("hello")
def hello(r):
    """Hello world in every scope, and with the agent loaded but dormant."""
    plain = r.run("plain", [r.java] + r.hello())
    yield "dormant", vm.compare(plain, r.run("dormant", [r.java, f"-agentpath:{r.agent}"] + r.hello()))
    twice = r.run("twice", [r.java, r.with_agent("calls")] + r.hello(), env={"JAVA_TOOL_OPTIONS": f"-agentpath:{r.agent}=timing"})
    yield "loaded twice", [] if twice.status and "loads the agent twice, from its command line or from JAVA_TOOL_OPTIONS" in twice.stderr else [twice.tail()]
    for scope, option in SCOPES.items():
        for chosen in ("calls,timing",) if r.quick else ("calls", "timing", "calls,timing"):
            name = (scope + " " + chosen).replace(" ", "-").replace(",", "+")
            report = r.file(name + ".json")
            first = chosen.split(",")[-1]
            other = r.run(name, [r.java] + r.verify + [r.with_agent(f"{chosen},{first}.file={report}{option}")]
                          + r.hello())
            yield f"{scope} {chosen}", vm.compare(plain, other, may_skip=True) + sane(report)


@program("limits")
def limits(r):
    """A class excluded by a limit is reported at the end and does not count as changed."""
    stats = r.file("stats.json")
    run = r.run("limits", [r.java, f"-agentpath:{r.agent}=calls,include=Hello,max-methods=1,stats={stats}"] + r.hello())
    account = expect.load(stats)
    figures = [account[key] for key in ("classes_matched", "classes_changed", "methods_changed", "classes_over_limit")]
    reported = "instr: 1 class not changed because of max-classes or max-methods" in run.stderr
    same = account["bytes_in"] == account["bytes_out"]
    yield "max-methods", [] if (figures, reported, same) == ([1, 0, 0, 1], True, True) else [f"{account} {run.stderr}"]


COST = re.compile(r"^(\w+): cost about \S+ \w+ of CPU time \(inserted code \S+ \w+, the JVM's compilers \S+ \w+, rewriting \S+ \w+\); "
                  r"([\d,]+) bytes inserted into ([\d,]+) methods? of ([\d,]+) class(?:es)?$", re.M)


@program("cost")
def cost(r):
    """What each pass has cost is a line below its table, and the same in its file and in that of the totals."""
    names = ["calls", "timing", "exceptions", "alloc", "coverage"]
    stats, files = r.file("stats.json"), {name: r.file(name + ".json") for name in names[:4]}
    options = ",".join([*names, f"stats={stats}", f"coverage.file={r.file('jacoco.exec')}", "include=Warm*",
                        *(f"{name}.file={path}" for name, path in files.items())])
    launch = ["-cp", r.built.programs, "Warm"]
    loud = r.run("loud", [r.java, r.with_agent(options), *launch])
    lines = {name: tuple(int(n.replace(",", "")) for n in numbers) for name, *numbers in COST.findall(loud.stderr)}
    costs = json.load(open(stats, encoding="utf-8"))["costs"]
    for name in names:
        own = json.load(open(files[name], encoding="utf-8"))["cost"] if name in files else costs[name]
        same = [tuple(found[key] for key in ("bytes", "methods", "classes")) for found in (own, costs[name])]
        sums = all(c["total_ns"] == c["code_ns"] + c["compilers_ns"] + c["rewriting_ns"] for c in (own, costs[name]))
        right = lines.get(name) == same[0] == same[1] and sums and all(lines[name]) and own["rewriting_ns"] > 0
        yield name, [] if right else [f"{lines.get(name)} {own} {costs[name]}: {loud.stderr[-600:]}"]
    # The program's own methods, which `calls` counts; each call takes a nanosecond at least.
    calls = sum(row["calls"] for row in json.load(open(files["calls"], encoding="utf-8"))["methods"])
    yield "inserted code", [] if costs["calls"]["code_ns"] >= calls > 100000 else [f"{calls} calls: {costs['calls']}"]
    quiet = r.run("quiet", [r.java, r.with_agent(options + ",quiet=yes"), *launch])
    yield "quiet", [] if "cost" not in re.sub(r"written to .*", "", quiet.stderr) and quiet.status == loud.status == 0 else [quiet.tail()]
    if r.jdk.version < 17:
        return  # the other agent is one for 17
    # Another agent has the classes between coverage and the other passes.
    between = r.run("between", [r.java, r.with_agent(options), f"-javaagent:{r.built.reference}={r.file('reference.json')}", *launch])
    found = {name: numbers for name, *numbers in COST.findall(between.stderr)}
    yield "with another agent", [] if sorted(found) == sorted(names) and "0" not in sum(found.values(), []) else [f"{found}: {between.stderr[-600:]}"]


@program("cost of calls that follow each other closely")
def dense_cost(r):
    """What a pass says that its code has taken is a part of the CPU time of the whole process."""
    def used():
        times = resource.getrusage(resource.RUSAGE_CHILDREN)
        return times.ru_utime + times.ru_stime

    for name in ("calls", "timing"):
        stats, before = r.file(f"dense-{name}.json"), used()
        run = r.run(name, [r.java, r.with_agent(f"{name},include=Dense,quiet=yes,stats={stats}"), "-cp", r.built.programs, "Dense"])
        process, said = used() - before, json.load(open(stats, encoding="utf-8"))["costs"][name]["code_ns"] / 1e9
        yield name, [run.tail()] if run.status else [] if 0.1 < said < process else [f"{said:.2f} s of inserted code in {process:.2f} s of CPU time"]


@program("cases with everything instrumented", quick=False)
def everything(r):
    """Some cases run while the whole JDK is instrumented, too; their own numbers must still be right."""
    for name in ("Constructors", "Exceptions", "Language", "Threads", "Reflection", "Handles", "Finalizers",
                 "VirtualThreads", "Observed", "Loaders"):
        case, expectations = r.expectations(name)
        if not case:
            continue
        launch = r.built.launch(case)
        plain = r.run(name, [r.java] + launch)
        report = r.file(name + ".json")
        other = r.run(name + "-agent", [r.java] + r.verify + [
            r.with_agent(f"timing,timing.file={report},include=**")] + launch)
        yield name, vm.compare(plain, other, may_skip=True) + check(report, expectations, case)


def check(path, expectations, case):
    try:
        return expect.check(expect.load(path), expectations, case.main)
    except (OSError, ValueError) as e:
        return [f"{os.path.basename(path)}: {e}"]


@program("random methods", jdk=11)
def random_methods(r):
    """Valid classes with random code: the same results under all passes, and the same counts as a reference agent."""
    first, _, count = (r.seeds or ("1:12" if r.quick else "1:300")).partition(":")
    folder = r.built.random_classes(int(first), int(count or 1))
    launch = ["-cp", os.pathsep.join([folder, r.built.programs]), "RandomMethods", folder]
    theirs = r.file("reference.json")
    plain = r.run("plain", [r.java] + r.verify + launch)
    problems = [] if plain.status == 0 else [plain.tail()]
    problems += [line[:200] for line in plain.stdout.splitlines() if re.search(r"(VerifyError|ClassFormatError)", line)]
    yield "plain", problems
    other = r.run("reference", [r.java] + r.verify + [f"-javaagent:{r.reference_jar}={theirs}"] + launch)
    problems = vm.compare(plain, other)
    expected = {(m["class"].replace(".", "/"), m["method"], m["descriptor"]): (m["calls"], m["thrown"])
                for m in expect.load(theirs)["methods"] if m["calls"]}
    if len(expected) < 4 * int(count or 1):
        problems.append(f"only {len(expected)} methods ran")
    yield "reference", problems
    for name in ["calls", "timing", "calls,timing"] + (["stress"] if r.stress else []):
        report = r.file("report.json")
        if name == "stress":
            agent = f"-agentpath:{r.stress}=stress,quiet=yes,huge=yes"
        else:
            agent = r.with_agent(f"{name},huge=yes," + ",".join(f"{n}.file={report if n == name else r.file(n + '.json')}" for n in name.split(",")))
        other = r.run(name, [r.java] + r.verify + [agent] + launch)
        problems = vm.compare(plain, other)
        if name in ("calls", "timing"):
            found = {(m["class"].replace(".", "/"), m["method"], m["descriptor"]): (m["calls"], m["thrown"])
                     for m in expect.load(report)["methods"] if m["calls"]}
            problems += [f"{'.'.join(k)}: {found.get(k)}, expected {expected.get(k)}"
                         for k in sorted(expected.keys() | found.keys())
                         if k[0].startswith("random/") and expected.get(k) != found.get(k)]
        yield name, problems


@program("JDK tools", quick=False, needs=["javap", "jar"])
def tools(r):
    """javap and jar, with the agent given by -J and by JAVA_TOOL_OPTIONS."""
    classes = sorted(glob.glob(os.path.join(r.classes(), "cases", "L*.class")))
    commands = {
        "javap": ["javap", "-v", "-p"] + classes,
        "jar": ["jar", "cf", "out.jar", "-C", r.classes(), "cases"],
    }
    if r.jdk.version == 8:
        del commands["jar"]  # its classes belong to the bootstrap loader there
    for name, args in commands.items():
        plain = r.run(name, [r.jdk.tool(args[0])] + args[1:])
        report = r.file(name + ".json")
        agent = r.with_agent(f"timing,timing.file={report}")
        by_option = r.run(name + "-option", [r.jdk.tool(args[0]), "-J" + agent] + args[1:])
        yield name + " -J", vm.compare(plain, by_option, may_skip=True) + sane(report)
        os.remove(report) if os.path.exists(report) else None
        by_variable = r.run(name + "-variable", [r.jdk.tool(args[0])] + args[1:], env={"JAVA_TOOL_OPTIONS": agent})
        yield name + " JAVA_TOOL_OPTIONS", vm.compare(plain, by_variable, may_skip=True) + sane(report)


# Each of these adds its programs to the list above.
from . import (  # noqa: E402,F401
    programs_alloc,
    programs_attach,
    programs_broken,
    programs_compile,
    programs_compose,
    programs_control,
    programs_coverage,
    programs_coverage_files,
    programs_exceptions,
    programs_exec,
    programs_failures,
    programs_input,
    programs_natives,
    programs_owners,
    programs_threads,
    programs_timing,
    programs_vm,
)
