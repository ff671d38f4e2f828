"""timing.clock=auto: counts are exact as ever, times are estimates that are right."""

import json
import os
from time import sleep

from . import expect, vm
from .expect import TICK
from .programs import check, program
from .programs_attach import Waiting
from .table import CASES

CLOCK = 100  # nanoseconds of a call that the program's own clock does not see, at most
UNWINDING = 10000  # the same of a call that throws


def known(r, name, clock, program, *arguments, options=""):
    """The rows of a program with this clock, and what it prints of each: calls, thrown, nanoseconds."""
    report = r.file(name + ".json")
    agent = r.with_agent(f"timing,timing.clock={clock},include={program}:{program}$Made{options},timing.file={report}")
    run = r.run(name, [r.java] + r.verify + [agent, "-cp", r.built.programs, program, *arguments])
    if run.status != 0:
        return None, None, [run.tail()]
    with open(report, encoding="utf-8") as f:
        rows = {"made" if m["class"].endswith("$Made") else m["method"]: m for m in json.load(f)["methods"]}
    truth = {words[0]: [int(n) for n in words[1:]] for words in (line.split() for line in run.stdout.splitlines())}
    return rows, truth, []


def counts_of(rows, truth):
    """What is wrong with the counts."""
    problems = []
    for name, (calls, thrown, _) in truth.items():
        row = rows.get(name, {"calls": 0, "thrown": 0})
        if (row["calls"], row["thrown"]) != (calls, thrown):
            problems.append(f"{name}: {row['calls']} calls, {row['thrown']} thrown, not {calls} and {thrown}")
    return problems


class Chance(str):
    """A problem of a method that chance may cause where other processes keep the processors busy: a thread loses its processor between
    its own clock and ours."""

    def __new__(cls, method, text):
        problem = super().__new__(cls, f"{method}: {text}")
        problem.method = method
        return problem


def time_of(method, row, time, least, most):
    """The problem with the time of a method, if there is one; times are in nanoseconds."""
    if least <= row["total_ns"] <= most:
        return []
    return [Chance(method, f"{row['total_ns'] / 1e6:.1f} ms in total, not {time / 1e6:.1f}")]


def problems_of(rows, truth, estimated, most_of=()):
    """What is wrong with the counts and times. most_of: how many times as long those of some methods may seem."""
    lost = truth.pop("switches")[0] * TICK / 4  # a thread that lost its processor had it back at some time of a tick
    problems = counts_of(rows, truth)
    for name, (calls, thrown, time) in truth.items():
        row, most = rows[name], dict(most_of).get(name, 1.05)
        problems += time_of(name, row, time, 0.95 * time - lost, most * time + calls * CLOCK + thrown * UNWINDING + lost)
        if ("estimated" in row, "measured" in row) != (estimated, estimated):
            problems.append(f"{name}: marked as {row}")
    return problems


@program("timing, times that are estimated")
def estimated(r):
    """Most methods are short, and some calls of a short one are long; recursion, exceptions, a caller of calls without a clock."""
    ways = {"one thread": ["60000", "1"], "four threads": ["20000", "4"]}
    if r.jdk.version >= 21:
        ways["virtual threads"] = ["10000", "8", "virtual"]
    for way, arguments in ways.items():
        yield way, of_several(lambda n: sampled(r, f"{way}-{n}".replace(" ", "-"), arguments))
    yield "every", of_several(lambda n: measured(r, f"every-{n}"))


def of_several(attempt):
    """The problems of an attempt that are not of chance. Of the others those of methods that have one in each of four attempts."""
    lasting = None
    for n in range(4):
        found = attempt(n)
        certain = [problem for problem in found if not isinstance(problem, Chance)]
        if certain:
            return certain
        methods = {problem.method for problem in found}
        lasting = found if lasting is None else [problem for problem in lasting if problem.method in methods]
        if not lasting:
            return []
    return lasting


def measured(r, name):
    rows, truth, problems = known(r, name, "every", "KnownTimes", "20000", "1")
    return problems or problems_of(rows, truth, False)


def sampled(r, name, arguments):
    rows, truth, problems = known(r, name, "auto", "KnownTimes", *arguments)
    if problems:
        return problems
    problems = problems_of(rows, truth, True)
    sparse = {name for name in ("small", "rare", "throwing") if rows[name]["measured"] * 8 < rows[name]["calls"]}
    if sparse != {"small", "rare", "throwing"}:
        problems.append(Chance("sparse", f"only of {sparse} few calls were measured"))
    for name in ("own", "later"):
        if rows[name]["measured"] != rows[name]["calls"]:
            problems.append(Chance(name, f"{rows[name]['measured']} of {rows[name]['calls']} calls were measured"))
    # One of some 4, and of those that call themselves of the outermost.
    for name, outermost in (("middle", rows["middle"]["calls"]), ("recursive", rows["recursive"]["calls"] // 8)):
        if not outermost // 8 <= rows[name]["measured"] < outermost // 2:
            problems.append(Chance(name, f"{rows[name]['measured']} of {outermost} calls were measured"))
    if not 64 <= rows["nested"]["measured"] < rows["nested"]["calls"] // 20:
        problems.append(Chance("nested", f"{rows['nested']['measured']} of {rows['nested']['calls']} calls were measured"))
    if rows["rare"]["max_ns"] < 9e6:
        problems.append(Chance("rare", f"its long calls are missing: {rows['rare']}"))
    half, calls = rows["own"]["total_ns"] / 2, rows["own"]["calls"]
    if not 0.8 * half - calls * TICK / 4 <= rows["own"]["self_ns"] <= 1.2 * half + calls * TICK / 4:
        problems.append(Chance("own", f"{rows['own']['self_ns'] / 1e6:.1f} ms of its own, not {half / 1e6:.1f}"))
    if rows["caller"]["self_ns"] > truth["caller"][2] / 5 + 5 * TICK:
        problems.append(Chance("caller", f"has the time of its callees: {rows['caller']}"))
    return problems


@program("timing, estimates of random programs")
def at_random(r):
    """Calls and exceptions are exact; the times of methods that have a tenth of the run are right, whatever calls them, and for how long."""
    for seed in (13, 22, 27):
        yield f"seed {seed}", of_several(lambda n, seed=seed: drawn(r, f"random-times-{seed}-{n}", seed))


def drawn(r, name, seed):
    milliseconds = 1500
    rows, truth, problems = known(r, name, "auto", "RandomTimes", str(seed), str(milliseconds), "1")
    if problems:
        return problems
    problems, checked = counts_of(rows, truth), 0
    for method, (calls, thrown, time) in truth.items():
        if time < milliseconds * 1e5:
            continue
        checked += 1
        problems += time_of(method, rows[method], time, 0.95 * time, 1.05 * time + calls * CLOCK + thrown * UNWINDING)
    return problems or ([] if checked > 2 else ["too few methods had a tenth of the run"])


@program("timing, estimates of a running JVM")
def switched(r):
    """After it was switched off and on, the first calls of a method are measured again; `instr report` marks what it prints. Where other processes keep
    the processors busy, calls may last so long that all are measured: so it is tried three times."""
    tries = []
    while len(tries) < 3 and (not tries or tries[-1]):
        tries.append(switched_once(r))
    yield "off and on", tries[-1]


def switched_once(r):
    p = Waiting(r)
    problems = []
    try:
        for rounds, least, most in ((40, 64, 200), (5, 50, 50)):
            attached = p.instr("attach", "timing", "include=Waiting", "max-overhead=off")
            for _ in range(rounds):
                p.round()
            report, table = p.instr("report", "timing", "--json"), p.instr("report", "timing")
            rows = {m["method"]: m for m in json.loads(report.stdout or '{"methods": []}')["methods"]}
            work = rows.get("work", {"calls": 0, "measured": 0})
            if (attached.returncode, work["calls"]) != (0, 10 * rounds) or not least <= work["measured"] <= most:
                problems.append(f"{rounds} rounds: {work} {attached}")
            if "  ~" not in table.stdout:
                problems.append(f"not marked: {table.stdout}")
            p.instr("revert")
    finally:
        p.process.stdin.close()
        if p.process.wait(timeout=60) != 0:
            problems.append(f"exit status {p.process.returncode}")
    return problems


@program("timing, counters without memory")
def little_memory(r):
    """Threads for whose counters there is no memory any more, since the JDK's methods have had it: each call counts, one of some
    64 is measured, and what ticks see is estimated, as of other threads; of methods that call themselves inner calls are measured, too."""
    yield "estimated", of_several(lambda n: crowded(r, f"crowded-{n}"))
    said = "instr: the counters of all threads have reached their limit of memory"
    for options, expected in ((",memory=64K", True), ("", False)):
        run = r.run("limit", [r.java, r.with_agent("calls,include=**" + options), "-cp", r.built.programs, "Hello"])
        yield "limit" + options, [] if run.status == 0 and (said in run.stderr) == expected else [run.tail(), run.stderr[-300:]]


def crowded(r, name):
    rows, truth, problems = known(r, name, "auto", "KnownTimes", "10000", "8", options=":java.**,memory=64K")
    if problems:
        return problems
    call_themselves = {method: 2 for method in ("recursive", "nested", "late", "weigh")}
    problems = problems_of(rows, truth, True, call_themselves)
    for method in ("small", "rare", "middle"):
        if not rows[method]["calls"] // 200 < rows[method]["measured"] < rows[method]["calls"] // 8:
            problems.append(Chance(method, f"{rows[method]['measured']} of {rows[method]['calls']} calls were measured"))
    return problems


@program("timing, threads that come later")
def newcomers(r):
    """How often a method is timed was learned from the first thread; others do not time their first 64 calls once more, those that have
    called the method before included."""
    yield "short", of_several(lambda n: come_later(r, f"newcomers-{n}"))
    yield "short, all have called it once", of_several(lambda n: come_later(r, f"newcomers-together-{n}", "together"))
    yield "short, a few calls of each thread", of_several(lambda n: few_calls(r, f"newcomers-few-{n}"))


def come_later(r, name, *arguments):
    report = r.file(name + ".json")
    run = r.run(name, [r.java, r.with_agent(f"timing,include=Newcomers,timing.file={report},quiet=yes"), "-cp", r.built.programs, "Newcomers", *arguments])
    if run.status != 0:
        return [run.tail()]
    with open(report, encoding="utf-8") as f:
        row = next(m for m in json.load(f)["methods"] if m["method"] == "work")
    # At most one of 64 calls, and the first 64 of the first thread, or of a few that begin at the same time.
    most = 64 * 8 + row["calls"] // 64
    if row["calls"] != int(run.stdout):
        return [f"{run.stdout.strip()} calls: {row}"]
    return [] if 64 <= row["measured"] <= most else [Chance("work", f"at most {most} measured: {row}")]


def few_calls(r, name):
    """Each call of a thread has the same chance to be measured: the first one is not measured for hundreds that the thread never makes."""
    report = r.file(name + ".json")
    run = r.run(name, [r.java, r.with_agent(f"timing,include=FewCalls,timing.file={report},quiet=yes"), "-cp", r.built.programs, "FewCalls"])
    if run.status != 0:
        return [run.tail()]
    with open(report, encoding="utf-8") as f:
        row = next(m for m in json.load(f)["methods"] if m["method"] == "twice")
    # The first 64 calls, and one of some 64 of the others or fewer; were it the first of each thread, 600 more.
    most = 64 + int(run.stdout) // 40
    if row["calls"] != 2 * int(run.stdout):
        return [f"{run.stdout.strip()} calls that call themselves once: {row}"]
    return [] if 64 <= row["measured"] <= most else [Chance("twice", f"at most {most} measured: {row}")]


UNTIMED = {"number", "sum", "sign", "cell"}  # of Owners


def owners(r, name, *arguments):
    """The counts of all methods are those of the program, and no time is made up for those that are too small for a clock."""
    report = r.file(name + ".json")
    agent = r.with_agent(f"timing,include=Owners,timing.file={report},quiet=yes")
    run = r.run(name, [r.java] + r.verify + [agent, "-cp", r.built.programs, "Owners", *arguments])
    if run.status != 0:
        return [run.tail()]
    with open(report, encoding="utf-8") as f:
        rows = {m["method"]: m for m in json.load(f)["methods"]}
    problems = []
    for line in run.stdout.splitlines():
        method, calls, thrown = line.split()
        row = rows[method]
        if (row["calls"], row["thrown"]) != (int(calls), int(thrown)):
            problems.append(f"{method}: {row['calls']} calls, {row['thrown']} thrown, not {calls} and {thrown}")
        if (row.get("timed", True), row["total_ns"] > 0) != (method not in UNTIMED, method not in UNTIMED):
            problems.append(f"{method}: {row}")
    return problems


@program("timing, methods that are short or too small for a clock")
def owned(r):
    """One thread after the other, and many at the same time, own the counters of the methods: no call is lost or counts twice."""
    ways = {"one after another": ["30", "1", "3000"], "at the same time": ["3", "12", "4000"], "main alone": ["0", "0", "50000"],
            "more than can own them": ["2", "150", "1500"]}
    if r.jdk.version >= 21:
        ways["virtual threads"] = ["3", "40", "3000", "virtual"]
    for way, arguments in ways.items():
        yield way, owners(r, way.replace(" ", "-"), *arguments)


@program("timing, methods too small for a clock, in a running JVM")
def owned_late(r):
    """In classes that are loaded already inserted code has another form; after a revert, counts begin anew."""
    p = Waiting(r, main="OwnersAttached")
    try:
        for rounds in (60, 4):
            problems = []
            attached = p.instr("attach", "timing", "include=Owners", "max-overhead=off")
            for _ in range(rounds):
                p.round()
            report, table = p.instr("report", "timing", "--json"), p.instr("report", "timing")
            rows = {m["method"]: m for m in json.loads(report.stdout or '{"methods": []}')["methods"]}
            for method in UNTIMED | {"loop", "twice"}:
                row = rows.get(method, {"calls": 0})
                counts = (100 * rounds, 25 * rounds if method == "cell" else 0, method not in UNTIMED)
                if attached.returncode or (row["calls"], row.get("thrown"), row.get("timed", True)) != counts:
                    problems.append(f"{method}: {attached.stderr} {row}")
            if not any(line.split()[2:4] == ["-", "-"] for line in table.stdout.splitlines() if "Owners.number" in line):
                problems.append(f"times of number(): {table.stdout}")
            p.instr("revert")
            yield f"{rounds} rounds", problems
    finally:
        p.process.stdin.close()
        p.process.wait(timeout=60)


@program("cases with a clock read in each call", quick=False)
def cases(r):
    """All that the cases expect of `timing`, also where times are no estimates."""
    for case in CASES:
        ours, expectations = r.expectations(case.name)
        if not ours or ours.agent or ours.java or ours.status or ours.skipped or ours.preview:
            continue
        launch = r.built.launch(ours)
        plain = r.run(case.name, [r.java] + launch)
        report = r.file(case.name + ".json")
        agent = r.with_agent(f"calls,timing,timing.clock=every,timing.file={report},include=cases.**:app.**")
        other = r.run(case.name + "-agent", [r.java] + r.verify + [agent] + launch)
        yield case.name, vm.compare(plain, other) + check(report, expectations, ours)


@program("counts of calls that overflow the stack")
def overflows(r):
    """Each call whose code begins is counted, and no other, whatever compiled the program and the runtime; and each that throws."""
    for options in ("calls", "timing", "calls,timing", "timing,timing.clock=every", "calls,timing,timing.clock=every"):
        names = [name for name in ("calls", "timing") if name in options.split(",")]
        for mode in ("", "-XX:TieredStopAtLevel=1", "-Xint")[:3 if r.whole else 2]:
            files = [r.file(name + ".json") for name in names]
            agent = r.with_agent(f"{options},include=CountedOverflows," + ",".join(f"{n}.file={f}" for n, f in zip(names, files)))
            ran = r.run("overflows", [r.java] + mode.split() + [agent, "-cp", r.built.programs, "CountedOverflows", "25"])
            truth = sorted(ran.stdout.splitlines())
            problems = [] if ran.status == 0 and len(truth) == 8 else [ran.tail()]
            for file in files if not problems else []:
                rows = [f"{m['method']}{m['descriptor']} {m['calls']} {m['thrown']}" for m in expect.load(file)["methods"]]
                problems += [f"{os.path.basename(file)}: of {row}" for row in truth if row not in rows]
            yield " ".join([options, mode]).strip(), problems


@program("results, calls that outlast a detach")
def outlasting(r):
    """Calls that began before the agent was detached end after it was attached for other methods: these do not get their exceptions or times."""
    for options in (("calls",), ("timing",), ("timing", "timing.clock=every")):
        p = Waiting(r, main="LongCalls")
        problems = []

        def line(text):
            p.process.stdin.write(text + "\n")
            p.process.stdin.flush()
            answer = p.process.stdout.readline()
            problems.extend([] if answer == text + "\n" else [f"{answer!r}"])

        def instr(*words):
            done = p.instr(*words)
            problems.extend([] if done.returncode == 0 else [f"{done}"])
            return done.stdout

        try:
            instr("attach", *options, "include=LongCalls$Old")
            line("begin")
            instr("detach")
            instr("attach", *options, "include=LongCalls$New")
            line("call")
            sleep(1)  # the time of the calls that outlast it
            line("end")
            rows = json.loads(instr("report", options[0], "--json"))["methods"]
            found = sorted((m["method"], m["calls"], m["thrown"]) for m in rows)
            problems += [] if found == [("<init>", 10, 0), ("f", 10, 0)] else [f"{found}"]
            problems += [f"{m}" for m in rows if m.get("total_ns", 0) > 5e8]
        finally:
            p.process.stdin.close()
            status = p.process.wait(60)
            p.process.stdout.close()
        yield " ".join(options), problems + ([] if status == 0 else [f"status {status}"])
