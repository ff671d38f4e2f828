"""What HotSpot compiles without the agent it compiles with it: at each tier, and loops by on-stack replacement.

HotSpot reports methods that it gives up with -XX:+PrintCompilation (COMPILE SKIPPED); such a method is interpreted for ever.
Three plain runs say what it gives up anyway, and what it compiles in any case.
"""

import html
import re
import statistics
from collections import Counter
from dataclasses import dataclass, field

from . import passes
from .programs import program
from .table import CASES

PLAIN_RUNS = AGENT_RUNS = 3
# The VM's own output goes to a file, since a program's would run into it.
PRINT = ["-XX:+UnlockDiagnosticVMOptions", "-XX:-DisplayVMOutput", "-XX:+LogVMOutput", "-XX:LogFile=vm.log", "-XX:+PrintCompilation",
         "-XX:CompileCommand=quiet"]
# Time, id, attributes (% is on-stack replacement), tier, method, size, and what became of it. Native methods are left out: the pass
# natives puts others in their place.
LINE = re.compile(r"^ *\d+ +\d+ +([%sbn! ]*?) *([1-4])? +(\S+::\S+)(?: @ (-?\d+))? \((\d+) bytes\)(?: *(.*))?$")
# Not the method's fault: classes were loaded or changed meanwhile. HotSpot tries again.
TRANSIENT = re.compile(r"concurrent class loading|dependenc|stale|Jvmti state change|retry without", re.I)
# C1 gives up a handler whose first block may throw in a range that leads to it, as inserted code may. Compilers of languages cover at
# most moves and monitorexit there. These handlers, which no compiler generates, cover their whole method; C2 compiles it.
OWN_HANDLER = re.compile(r"exception handler covers itself|error while joining with exception handler")
OWN_HANDLERS = re.compile(r"cases\.(WholeMethod::|FramesAndLocals::lambda)")
# Compiled by chance: run once each, at the same time, in threads of their own, of which on JDK 8 some plain runs leave one or the other
# interpreted; called at one place, at which -Xcomp compiles the first method that is called, and the collector decides which it is.
BY_CHANCE = re.compile(r"cases\.(Loops::(spin|sleep|locked)|Finalizers\$\w+::finalize)$")
# Of PrintCompilation; without tiers (-XX:-TieredCompilation) none is named.
TOP = (None, "1", "4")
# Each compiler alone, at the first call of a method.
COMPILERS = {"C1": ["-XX:TieredStopAtLevel=1"], "C2": ["-XX:-TieredCompilation"]}


@dataclass
class Compiled:
    """What one run has compiled: (method, tier, by on-stack replacement), and why it gave up others."""
    done: set = field(default_factory=set)
    skipped: dict = field(default_factory=dict)
    top: set = field(default_factory=set)          # methods at the top tier: that of C2, or of C1 for the simplest
    undone: Counter = field(default_factory=Counter)  # how often their code there was given up ("made not entrant")


def by_own_handler(what, fate):
    return what[1] == "C1" and OWN_HANDLERS.match(what[0]) and OWN_HANDLER.search(fate)


def read(log):
    compiled = Compiled()
    with open(log, encoding="utf-8", errors="replace") as f:
        for line in f:
            found = LINE.match(html.unescape(line.rstrip()))
            if not found:
                continue
            attributes, tier, method, _, _, fate = found.groups()
            what = method, "C2" if tier in (None, "4") else "C1", "%" in attributes
            if not fate:
                compiled.done.add(what)
                compiled.top |= {method} if tier in TOP else set()
            elif "made not entrant" in fate and tier in TOP:
                compiled.undone[method] += 1
            elif "COMPILE SKIPPED" in fate and not TRANSIENT.search(fate) and not by_own_handler(what, fate):
                compiled.skipped[what] = fate
    return compiled


def named(what):
    method, tier, replaced = what
    return f"{method} by {tier}" + (" (on-stack replacement)" if replaced else "")


class Runs:
    """Runs of one program: plain ones, and those with passes."""

    def __init__(self, r, name, java):
        self.r, self.name, self.java = r, name, java
        self.plain = [self.run(f"plain{n}", []) for n in range(PLAIN_RUNS)]

    def run(self, mode, agent):
        folder = f"{self.name}-{mode}"
        # On JDK 8 C1 gives up methods of the runtime (see is_runtime), which then count every probe interpreted: minutes.
        result = self.r.run(folder, [self.r.java, *PRINT, *self.java[:1], *agent, *self.java[1:]], timeout=900)
        return result, read(self.r.file(folder, "vm.log"))

    def with_passes(self, names, options=""):
        mode = re.sub(r"[^\w.=]+", "+", "+".join(names) + options)[:100]
        files = [f"coverage.file={self.r.file('jacoco.exec')}"] if "coverage" in names else []
        watched = ["watch.methods=cases.**.*(..)"] if "watch" in names else []
        return self.run(mode, [self.r.with_agent(",".join([*names, *files, *watched, "quiet=yes"]) + options)])

    def problems(self, names, options="", of=r"cases\."):
        """What HotSpot gives up with these passes alone, and what of `of` every plain run compiles and none with these passes. None: nothing."""
        result, compiled = self.with_passes(names, options)
        problems = self.compare(result) + [f"{named(what)}: {fate}" for what, fate in sorted(compiled.skipped.items())
                                           if not self.is_runtime(what) and not any(what in plain.skipped for _, plain in self.plain)]
        # With -Xcomp loops are replaced on the stack only where a thread happens to be in one at the time.
        missing = {what for what in self.always() if of and re.match(of, what[0]) and "$$Lambda" not in what[0]
                   and not ("-Xcomp" in self.java and (what[2] or BY_CHANCE.match(what[0])))
                   and not (what[1] == "C1" and OWN_HANDLERS.match(what[0]))}
        for run in range(AGENT_RUNS):
            missing -= (compiled if run == 0 else self.with_passes(names, options)[1]).done
            if not missing:
                break
        return problems + [f"{named(what)}: never" for what in sorted(missing)]

    def is_runtime(self, what):
        # C1 of JDK 8 gives up some methods of the runtime as long as nothing in them is resolved: only with -Xcomp.
        return "-Xcomp" in self.java and what[0].startswith("java.lang.Instr")

    def always(self):
        """What every plain run compiles."""
        return set.intersection(*(plain.done for _, plain in self.plain))

    def compare(self, result):
        """The program does the same; what it prints of itself may depend on the time."""
        plain = self.plain[0][0]
        if plain.status != result.status or result.crash:
            return [f"exit status {plain.status} became {result.status} {result.crash}: {result.tail()}"]
        return []


# Options with which passes insert other code than by default.
OTHER_CODE = {"timing": "timing.clock=every", "alloc": "alloc.track=object", "coverage": "coverage.counts=yes"}
# The same for methods of the application, by rules.
RULE = "rule=cases.**.*(..) entry { @entered = count() },name=entered,rule=cases.**.*(..) exit { @left = hist(elapsed) },name=left"


def combinations(r):
    """(what, passes, more options): all passes together, each alone, and the same with the options that change their code."""
    every = [*passes.every(r.cli), "watch"]
    other = "," + ",".join(OTHER_CODE.values())
    found = [(every, ""), (every, other + "," + RULE)] + [([name], "") for name in every]
    found += [([name], "," + option) for name, option in OTHER_CODE.items()]
    return [(" ".join(names) + options.partition(",rule=")[0].replace(",", " ") + (" rules" if "rule=" in options else ""), names, options)
            for names, options in found]


def hot(r):
    return next(c for c in CASES if c.name == "Hot").on(r.jdk.version)


@program("compiled, hot methods and loops")
def hot_methods(r):
    # Without inlining every method is called often enough to be compiled, whatever the passes add to it.
    # With -Xbatch the program waits for the compilers.
    only = ["-XX:CompileCommand=dontinline,cases/*.*", "-XX:CompileCommand=exclude,cases/Hot.main"]
    runs = Runs(r, "hot", ["-Xbatch", *only, *r.built.launch(hot(r))])
    # The test would prove nothing otherwise.
    yield "they are compiled", [f"{named(what)}: never, without the agent" for what in sorted({
        *(("cases.Hot::" + m, tier, False) for m in ("loopFirst", "switchInside", "manyExits", "nested", "caught", "callsInFinally", "callInFinally") for tier in COMPILERS),
        *(("cases.Hot::" + m, "C2", True) for m in ("switchLoop", "lockedLoop", "lockingLoop", "tryingLoop", "manyExitsOfALoop")),
        ("cases.OtherLocks::scala", "C2", False), ("cases.OtherLocks::kotlin", "C2", False),
        ("cases.StackedSwitch::loop", "C2", True)} - runs.always())]
    for what, names, options in combinations(r):
        yield what, runs.problems(names, options)


# Left out: what sets options of the VM, what has methods as large as a class file can have, on which compilers give up by size,
# and what starts threads for seconds.
LEFT_OUT = ("Limits", "LargeCode", "LargeCodeSkipped", "LargePools", "FarBranches", "ThreadChurn")
QUICK_CASES = ("Exceptions", "Exits", "Loops", "Monitors")


@program("compiled, the cases at the first call")
def at_the_first_call(r):
    cases = [c.on(r.jdk.version) for c in CASES]
    cases = [c for c in cases if c.jdk <= r.jdk.version and not (c.module or c.preview or c.status or c.java or c.name in LEFT_OUT)]
    if not r.whole:
        cases = [c for c in cases if c.name in QUICK_CASES]
    releases = sorted({c.release for c in cases}, reverse=True)
    path = ":".join([*map(r.built.classes, releases), r.built.generated, r.built.support, r.built.programs])
    for compiler, options in COMPILERS.items():
        # What passes call is compiled too: the program would run for minutes.
        # What is inlined wherever it is called would not be compiled for itself.
        java = ["-Xcomp", *options, "-XX:CompileCommand=compileonly,cases/*.*", "-XX:CompileCommand=compileonly,java/lang/Instr*.*",
                "-XX:CompileCommand=dontinline,cases/*.*",
                "-cp", path, "Each"]
        runs = Runs(r, compiler, java + [c.main.replace("/", ".") for c in cases])
        count = sum(what[0].startswith("cases.") for what in runs.always())
        yield f"{compiler} compiles them", [] if count > 5 * len(cases) else [f"only {count} methods of {len(cases)} cases"]
        for what, names, options in combinations(r)[:1] if r.quick else combinations(r):
            yield f"{compiler} {what}", runs.problems(names, options)


@program("compiled, the JDK's own classes", quick=False)
def own_classes(r):
    # What the JVM runs until a program ends: some thousand methods.
    for compiler, options in COMPILERS.items():
        runs = Runs(r, compiler, ["-Xcomp", *options, "-XX:CompileCommand=compileonly,java/*.*", *r.hello()])
        # That a method is missing says nothing here: which of them run, and are not replaced by intrinsics, depends on random numbers of the JDK's own
        # collections, and on what ran before the agent was there, or, under natives, after it.
        for what, names, options in combinations(r):
            yield f"{compiler} {what}", runs.problems(names, options + ",include=**", of=None)


FEWER = 0.10  # of the methods at the top tier may be missing
FEW = 4       # methods whose code is given up, whatever the plain runs do


def undone(compiled):
    """How often code of the top tier was given up, by method; the runtime's own is that of a pass."""
    return Counter({m: n for m, n in compiled.undone.items() if not m.startswith("java.lang.Instr")})


def at_the_top_too(runs, names, options):
    """Problems that all runs with these passes have: fewer methods at the top tier than in every plain run, code given up more often."""
    always = {m for m in set.intersection(*(plain.top for _, plain in runs.plain)) if m.startswith("Warm")}
    most = 2 * max(FEW, statistics.median(sum(undone(plain).values()) for _, plain in runs.plain))
    missing, least = always, Counter()
    for number in range(AGENT_RUNS):
        result, compiled = runs.with_passes(names, options)
        if runs.compare(result):
            return runs.compare(result)
        missing = missing - compiled.top
        least = undone(compiled) if number == 0 else min(least, undone(compiled), key=lambda c: sum(c.values()))
        if len(missing) <= FEWER * len(always) and sum(least.values()) <= most:
            return []
    return ([f"{len(missing)} of {len(always)} methods never reach the top tier: {' '.join(sorted(missing))}"]
            if len(missing) > FEWER * len(always) else []) + (
            [f"code of the top tier is given up {sum(least.values())} times, at most {most:g} times: {least.most_common(5)}"]
            if sum(least.values()) > most else [])


@program("compiled, at the top tier", quick=False)
def top_tier(r):
    """As many methods as without the agent, and they stay there. The program waits for the compilers, however busy the machine is."""
    # Without inlining every method is called often enough, whatever is inlined where.
    runs = Runs(r, "warm", ["-Xbatch", "-XX:CompileCommand=dontinline,Warm*.*", "-cp", r.built.programs, "Warm"])
    always = [m for m in set.intersection(*(plain.top for _, plain in runs.plain)) if m.startswith("Warm")]
    yield "they get there", [] if len(always) >= 20 else [f"only {len(always)}: {always}"]
    for what, names, options in combinations(r):
        yield what, at_the_top_too(runs, names, options)
