"""The pass exceptions, compared with what the programs expect, with JVM TI events, and with the flight recorder."""

import collections
import fnmatch
import json
import os
import re

from . import control, jdks, passes, random_throws, vm
from .programs import Skip, program, same_files, sources_for_compilers
from .programs_attach import Waiting, attached
from .programs_control import dormant

KEYS = ["class", "site_class", "site_method", "site_line", "count", "caught_class", "caught_method", "first_stack"]


def load(path):
    with open(path, encoding="utf-8") as f:
        report = json.load(f)
    assert list(report) in (["pass", "exceptions"], ["pass", "exceptions", "cost"]) and report["pass"] == "exceptions"
    assert all(list(row) == KEYS for row in report["exceptions"])
    return report["exceptions"]


def end_of(row):
    """How the exception ended, as in the program's comments."""
    if row["caught_class"] is None:
        return "left" if row["caught_method"] is None else "?"
    if row["caught_method"] is None:
        return "elsewhere"
    return re.sub(r"\$\d+$", "", row["caught_method"])  # a lambda without its number


def number(text):
    a, _, b = text.partition("*")
    return int(a) * int(b or 1)


def expected(source):
    """Counts by (site, class, end); a site is FILE:LINE or a pattern for CLASS.METHOD."""
    counts = collections.Counter()
    with open(source, encoding="utf-8") as f:
        for n, line in enumerate(f, 1):
            if line.lstrip().startswith("*"):
                continue
            if "//! " in line:
                for part in line.split("//! ")[1].split(";"):
                    cls, count, end = part.split()
                    counts[f":{n}", cls, end] += number(count)
            if "//@ " in line:
                site, cls, count, end = line.split("//@ ")[1].split()
                counts[site, cls, end] += number(count)
    return counts


def check(path, source):
    """Problems of a report: each row must be expected, and no expected row may be missing."""
    missing, problems = expected(source), []
    name = os.path.basename(source)[:-5]
    for row in load(path):
        here = f":{row['site_line']}" if row["site_class"].split("$")[0] == name else None
        where = row["site_class"] + "." + row["site_method"]
        key = next((k for k in missing if k[1:] == (row["class"], end_of(row))
                    and (k[0] == here or fnmatch.fnmatchcase(where, k[0]))), None)
        if key is None:
            problems.append(f"not expected: {row}")
            continue
        missing[key] -= row["count"]
        top = row["first_stack"][0] if row["first_stack"] else "no stack"
        if not top.startswith(where + "(") or (here and not top.endswith(here + ")")):
            problems.append(f"first stack begins at {top}, not at {where}{here}")
    return problems + [f"{k}: {n} missing" for k, n in missing.items() if n]


def by_class(path):
    counts = collections.Counter()
    for row in load(path):
        counts[row["class"]] += row["count"]
    return counts


def events(path):
    """The permitted range of the number for each class."""
    with open(path, encoding="utf-8") as f:
        lines = [line.split() for line in f]
    return tuple(collections.Counter({line[0]: int(line[i]) for line in lines}) for i in (1, 2))


def outside(found, least, most):
    return [f"{c}: {found[c]}, expected {least[c]} to {most[c]}" for c in sorted(found.keys() | most.keys())
            if not least[c] <= found[c] <= most[c]]


def differences(found, wanted):
    return [f"{c}: {found[c]}, expected {wanted[c]}" for c in sorted(found.keys() | wanted.keys()) if found[c] != wanted[c]]


def hard(r, name, passes_="exceptions", options=()):
    plain = r.run(name, [r.java, *options, "-cp", r.built.programs, "ThrowsHard", name])
    report = r.file(name + ".json")
    other = r.run(name + "-agent", [r.java, *options, r.with_agent(f"{passes_},exceptions.file={report}"), "-cp",
                                    r.built.programs, "ThrowsHard", name])
    return plain, other, report


@program("exceptions by class, place and handler")
def exceptions(r):
    """Each exception of a program with expectations, whatever else is instrumented, and with other passes around it."""
    source = r.built.path("programs", "Throws.java")
    launch = ["-cp", r.built.programs, "Throws"]
    plain = r.run("plain", [r.java] + launch)
    yield "plain", [] if plain.status == 1 and "kept: 0" in plain.stdout else [plain.tail()]
    modes = ["exceptions", "timing,exceptions"] if r.quick else [
        "exceptions", "exceptions,runtime=path", "exceptions,calls,timing", "timing,calls,exceptions", "exceptions,verify=off"]
    for mode in modes:
        report = r.file("report.json")
        other = r.run("agent", [r.java] + r.verify + [r.with_agent(f"{mode},exceptions.file={report}")] + launch)
        yield mode, vm.compare(plain, other) + check(report, source)


@program("exceptions with everything instrumented", quick=False)
def everything(r):
    """The program's own rows are the same when JDK exceptions are reported, too; only those that end in the JVM end unseen."""
    launch = ["-cp", r.built.programs, "Throws"]
    plain = r.run("plain", [r.java] + launch)
    report = r.file("report.json")
    other = r.run("agent", [r.java] + r.verify + [r.with_agent(f"exceptions,include=**,exceptions.file={report}")] + launch)
    problems = vm.compare(plain, other, may_skip=True)
    wanted = collections.Counter()
    for (site, cls, end), n in expected(r.built.path("programs", "Throws.java")).items():
        if site.startswith(":"):
            wanted[site, cls] += n
    found = collections.Counter()
    for row in load(report):
        if row["site_class"].split("$")[0] == "Throws":
            found[f":{row['site_line']}", row["class"]] += row["count"]
    problems += [f"{k}: {found[k]}, expected {wanted[k]}" for k in sorted(wanted) if found[k] != wanted[k]]
    yield "include=**", problems


@program("exceptions agree with JVM TI events", quick=False, needs=["javac"])
def jvmti_events(r):
    """Another agent counts the JVM's own events, object by object: the same number for each class, in a program and in javac."""
    library = os.path.join(os.path.dirname(os.path.dirname(r.agent)), "tests", "libexception_events.so")
    if not os.path.exists(library):
        raise Skip("libexception_events.so is not built")
    launch = ["-cp", r.built.programs, "Throws"]
    r.run("events", [r.java, f"-agentpath:{library}={r.file('events.txt')}"] + launch)
    r.run("agent", [r.java, r.with_agent(f"exceptions,exceptions.file={r.file('report.json')}")] + launch)
    wanted, _ = events(r.file("events.txt"))
    wanted["Throws$B"] += 99 + 3999 + 1 + 1  # rethrown where they were caught
    yield "Throws", differences(by_class(r.file("report.json")), wanted)
    sources = sources_for_compilers(r.file("made"), 4)

    def compile_with(name, agent):
        os.makedirs(r.file(name + ".out"))
        return r.run(name, [r.jdk.tool("javac")] + ["-J" + a for a in agent] +
                     ["-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", r.file(name + ".out")] + sources)

    if r.jdk.version == 8:
        return  # its JVM has other classes in the bootstrap loader
    plain = compile_with("plain", [])
    compile_with("javac-events", [f"-agentpath:{library}={r.file('javac.txt')}"])
    other = compile_with("javac", [r.with_agent(f"exceptions,exceptions.file={r.file('javac.json')}")])
    problems = vm.compare(plain, other, may_skip=True) + same_files(r.file("plain.out"), r.file("javac.out"))
    least, most = events(r.file("javac.txt"))
    exact = [c for c in least if least[c] == most[c]]
    yield "javac", problems + outside(by_class(r.file("javac.json")), least, most) \
        + ([] if exact else [f"exact are only {exact}"])


@program("exceptions agree with the flight recorder", quick=False, jdk=17, needs=["jfr"])
def flight_recorder(r):
    """The flight recorder records each exception that is created: the numbers agree for the program's own classes."""
    recording, settings = r.file("throws.jfr"), r.file("settings.jfc")
    with open(settings, "w", encoding="ascii") as f:
        f.write('<?xml version="1.0" encoding="UTF-8"?><configuration version="2.0"><event name="jdk.JavaExceptionThrow">'
                '<setting name="enabled">true</setting><setting name="throttle">off</setting></event></configuration>')
    report = r.file("report.json")
    r.run("agent", [r.java, r.with_agent(f"exceptions,exceptions.file={report}"), f"-XX:StartFlightRecording=filename={recording},settings={settings}", "-cp", r.built.programs, "Throws"])
    printed = r.run("print", [r.jdk.tool("jfr"), "print", "--json", "--events", "jdk.JavaExceptionThrow", recording])
    wanted = collections.Counter()
    for event in json.loads(printed.stdout)["recording"]["events"]:
        wanted[event["values"]["thrownClass"]["name"].replace("/", ".")] += 1
    wanted = collections.Counter({c: n for c, n in wanted.items() if c.startswith("Throws$")})
    wanted["Throws$B"] += 100 + 4000 - 1 + 1 + 1  # see above
    found = collections.Counter({c: n for c, n in by_class(report).items() if c.startswith("Throws$")})
    yield "Throws", differences(found, wanted) + ([] if wanted["Throws$A"] > 4000 else ["the recorder has none"])


@program("exceptions that are hard to count", quick=False)
def hard_cases(r):
    """Exceptions without a stack trace that the JVM throws again and again, stack overflow, out of memory, virtual threads."""
    names = ["hot", "again", "overflow", "guardedOverflow", "memory"] + (["virtual"] if r.jdk.version >= 21 else []) \
        + (["stopped", "stoppedEarly"] if r.jdk.version < 20 else [])
    for name in names:
        plain, other, report = hard(r, name)
        problems = vm.compare(plain, other)
        found, wanted = by_class(report), collections.Counter()
        for line in plain.stdout.splitlines():
            wanted[line.split()[0]] += int(line.split()[1])
        for cls in wanted:
            if "." in cls or "$" in cls:
                problems += differences(collections.Counter({cls: found[cls]}), collections.Counter({cls: wanted[cls]}))
        yield name, problems
    for mode in ("exceptions", "exceptions,calls", "calls,timing,exceptions"):
        plain, other, report = hard(r, "deep", mode)
        problems, rows = vm.compare(plain, other), load(report)
        problems += [f"not where it was thrown and caught: {row}" for row in rows
                     if (row["site_class"], row["site_method"]) != ("ThrowsHard", "recurse") or row["caught_method"] != "overflows"]
        yield f"deep, {mode}", problems + ([] if sum(row["count"] for row in rows) == 60 else [f"not 60: {rows}"])


@program("stack overflows that finally blocks pass on")
def passed_on(r):
    """Each is counted once, as caught where it is caught."""
    plain, other, report = hard(r, "cleaned")
    rows = [(row["site_method"], row["caught_method"]) for row in load(report) for _ in range(row["count"])]
    wrong = [row for row in rows if row != ("clean", "cleaned")]
    yield "finally", vm.compare(plain, other) + ([] if len(rows) == 20 and not wrong else [f"{len(rows)}, not 20; {wrong[:3]}"])


@program("stack overflows that the innermost frame catches")
def innermost(r):
    """None is lost, and each is where it was thrown: the runtime's own frames are not."""
    for mode in ("exceptions", "calls,exceptions", "timing,exceptions"):
        for options in ((), ("-Xint",)):
            plain, other, report = hard(r, "innermost", mode, options)
            rows = collections.Counter()
            for row in load(report):
                rows[(row["site_method"], row["caught_method"])] += row["count"]
            wanted = collections.Counter({("catching", "catching"): 100, ("recurse", "overflows"): 100})
            yield " ".join((mode, *options)), vm.compare(plain, other) + differences(rows, wanted)


@program("stack overflows that other code catches")
def caught_outside(r):
    """Each is counted once, as caught by nobody that is instrumented, on whatever thread, and however few frames it leaves."""
    launch = ["-Xss256k", "-cp", r.built.programs, "Overflows"]
    plain, report = r.run("plain", [r.java, *launch]), r.file("report.json")
    wanted = collections.Counter({end: int(n) for end, n in map(str.split, plain.stdout.splitlines())})
    for mode in ("exceptions", "calls,timing,exceptions"):
        for options in ((), ("-Xint",)):
            other = r.run("agent", [r.java, *options, r.with_agent(f"{mode},exclude=Overflows$Outside,exceptions.file={report}"), *launch])
            found = collections.Counter()
            for row in load(report):
                if row["class"] == "java.lang.StackOverflowError":
                    found[row["caught_method"] or "null"] += row["count"]
            yield " ".join((mode, *options)), vm.compare(plain, other) + differences(found, wanted) + ([] if len(wanted) == 3 else [plain.tail()])


@program("stack overflows of virtual threads")
def overflows_virtual(r):
    """Nothing makes a virtual thread leave its carrier there: HotSpot crashes when one comes back that has nearly exhausted its stack.
    A monitor does so (since JDK 24) only where two threads want it at the same moment, so the runtime must not have any."""
    jar = r.run("jar", [r.cli, "runtime-jar"]).stdout.strip()
    classes = [f"instr.runtime.Instr{name}" for name in ("Exceptions", "ExceptionsLock", "Flight", "SpareTasks", "Threads")]
    listed = r.run("javap", [r.built.compiler.tool("javap"), "-p", "-c", "-cp", jar, *classes]).stdout
    monitors = [line.strip() for line in listed.splitlines() if "monitorenter" in line or " synchronized " in line]
    yield "monitors", monitors + ([] if listed.count("class instr.runtime.") == len(classes) else ["the classes were not found"])
    if r.jdk.version < 21:
        raise Skip("there are virtual threads from JDK 21 on")
    report = r.file("report.json")
    launch = ["-Djdk.virtualThreadScheduler.parallelism=16", "-cp", r.built.programs, "OverflowsVirtual"]
    plain = r.run("plain", [r.java, *launch])
    other = r.run("agent", [r.java, r.with_agent(f"exceptions,include=OverflowsVirtual,exceptions.file={report}"), *launch])
    rows = collections.Counter()
    for row in load(report) if os.path.exists(report) else []:
        rows[(row["site_method"], row["caught_method"])] += row["count"]
    yield "counts", vm.compare(plain, other) + differences(rows, collections.Counter({("recurse", "overflows"): 2000}))


@program("random throws")
def random_programs(r):
    """Programs that count their exceptions themselves agree with the report, in each mode of the compilers, compiled by javac and by ecj."""
    first, _, count = (r.seeds or ("1:8" if r.quick else "1:30")).partition(":")
    # In 5010 a static exception is thrown behind a synchronized block that has passed it on, by ecj without a local.
    seeds = [*range(int(first), int(first) + int(count or 1)), 5010]
    folder, by_ecj, ecj = r.file("classes"), r.file("classes-ecj"), jdks.jars("ecj")
    os.makedirs(folder)
    sources = random_throws.write(folder, seeds)
    compiled = r.run("compile", [r.built.compiler.tool("javac"), "--release", "8", "-Xlint:-options", "-nowarn", "-d", folder, *sources])
    assert compiled.status == 0, compiled.tail()
    modes = {"interpreted": (["-Xint"], 100, folder), "C1": (["-XX:TieredStopAtLevel=1"], 1000, folder),
             "C2": (["-XX:-TieredCompilation"], 4000, folder), "tiered": ([], 4000, folder)}
    if ecj:
        compiled = r.run("ecj", [r.built.compiler.tool("java"), "-cp", ecj[0], "org.eclipse.jdt.internal.compiler.batch.Main", "-8", "-nowarn",
                                 "-proc:none", "-d", by_ecj, *sources])
        assert compiled.status == 0, compiled.tail()
        modes["of ecj"] = ["-XX:TieredStopAtLevel=1"], 1000, by_ecj
    for mode, (words, rounds, folder) in modes.items():
        rounds = rounds // 4 if r.quick else rounds
        launch = [*words, "-cp", folder, "RandomThrows", str(rounds), *map(random_throws.name_of, seeds)]
        plain, report = r.run("plain", [r.java, *launch]), r.file("report.json")
        other = r.run("agent", [r.java, r.with_agent(f"exceptions,huge=yes,exceptions.file={report}"), *launch])
        problems = vm.compare(plain, other) + ([] if plain.status == 0 else [plain.tail()])
        wanted, found = collections.Counter(), collections.Counter()
        for line in plain.stdout.splitlines():
            cls, site, end, n = line.split()
            wanted[cls, site, f"{site.split('.')[0]}.{end}"] += int(n)
        for row in load(report):
            found[row["class"], f"{row['site_class']}.{row['site_method']}", f"{row['caught_class']}.{row['caught_method']}"] += row["count"]
        wrong = {key[1].split(".")[0].replace("Random", "seed ") for key in wanted.keys() | found.keys() if wanted[key] != found[key]}
        if wrong:
            problems += [f"wrong: {', '.join(sorted(wrong))}"] + differences(found, wanted)[:5]
        yield mode, problems + ([] if sum(wanted.values()) > 100 * len(seeds) else ["they hardly throw"])


@program("handlers that run for the first time")
def first_time(r):
    """With a full heap, an exhausted stack or a class loader that throws, exceptions arrive where they do without the agent."""
    def run(name, options, *words):
        return r.run(name, [r.java, *options, *words, "-cp", r.built.programs, "ThrowsFirst", name])

    others = [p for p in passes.every(r.cli) if p not in ("watch", "exceptions")]
    report, result = r.file("report.json"), f"exceptions,exceptions.file={r.file('report.json')},exclude=ThrowsFirst$Refusing"
    # On a busy machine a JVM whose heap is free again may throw all the same, as so much time went to collections.
    full = ["-Xmx16m", "-XX:-UseGCOverheadLimit"]
    for name, words in (("heap", full + ["-XX:+UseG1GC"]), ("heap", full + ["-XX:+UseSerialGC"]), ("stack", ["-Xss256k"]), ("loader", []),
                        ("threads", full + ["-XX:+UseSerialGC"]), ("threads", full + ["-XX:+UseG1GC"])):
        plain = run(name, words)
        other = run(name, [r.with_agent(result)], *words)
        problems = vm.compare(plain, other) + ([] if plain.status == 0 else [plain.tail()])
        if name == "heap":
            wanted = collections.Counter({"java.lang.OutOfMemoryError": 15})
            problems += differences(by_class(report), wanted)
            problems += [f"not caught: {row}" for row in load(report) if row["caught_method"] != "heap"]
        if name == "threads":
            problems += differences(collections.Counter({"own": by_class(report)["ThrowsFirst$Own"]}), collections.Counter({"own": 21 * 300}))
        yield f"{name} {' '.join(words)}".strip(), problems
        if name not in ("loader", "threads") and not r.quick:
            yield f"{name} {' '.join(words)}, all passes", vm.compare(plain, run(name, [r.with_agent(",".join(["exceptions"] + others))], *words))


@program("a full heap and an exhausted stack")
def full_and_deep(r):
    """All are counted, and reports that fail for want of both do not collect the heap in each frame."""
    report = r.file("report.json")
    for collector in ("-XX:+UseSerialGC", "-XX:+UseG1GC"):
        for mode in ("", "-Xint"):
            words = [word for word in ("-Xmx24m", "-Xss512k", "-XX:-UseGCOverheadLimit", collector, mode) if word]
            run = r.run("agent", [r.java, *words, r.with_agent(f"exceptions,quiet=yes,exceptions.file={report}"), "-cp", r.built.programs, "FullAndDeep"])
            *counts, (_, times) = [line.split() for line in run.stdout.splitlines()] or [("none", "0")]
            wanted = collections.Counter({(cls, method): int(n) for cls, method, n in counts if n != "0"})
            found = collections.Counter()
            for row in load(report):
                found[row["class"], row["caught_method"]] += row["count"]
            problems = differences(found, wanted) + ([] if run.status == 0 and sum(wanted.values()) > 100 else [run.tail()])
            yield f"{collector} {mode}".strip(), problems + ([] if int(times) < 2000 else [f"{times} collections"])


@program("a class loader that refuses the runtime")
def refusing_loader(r):
    """As instr/LIMITS.md says: what calls the runtime fails with what the loader throws, unless the loader's classes are excluded."""
    def run(name, *options):
        return r.run(name, [r.java, *options, "-cp", r.built.programs, "ThrowsFirst", "loader"])

    plain = run("plain")
    for name in "calls", "timing", "alloc", "rule=ThrowsFirst$*.*(..) entry { @n = count() }":
        result = run(name.split("=")[0], r.with_agent(f"{name},include=ThrowsFirst**"))
        told = result.status == 1 and re.search(r"(?m)^Caused by: java.lang.IllegalStateException\n\tat ThrowsFirst.loader", result.stderr)
        yield f"{name} fails", [] if told else [result.tail()]
        if not name.startswith("rule"):
            yield f"{name} without its classes", vm.compare(plain, run("excluded", r.with_agent(f"{name},quiet=yes,include=ThrowsFirst**,exclude=ThrowsFirst$*")))
    for name in "coverage", "exceptions":
        yield name, vm.compare(plain, run(name, r.with_agent(f"{name},quiet=yes,include=ThrowsFirst**,{name}.file={r.file(name)}")))


@program("exceptions after attaching")
def attach(r):
    """Loaded classes are instrumented, and exceptions from then on are reported."""
    waiting = Waiting(r)
    report = r.file("report.json")
    problems = [attached(waiting.instr("attach", "exceptions", f"exceptions.file={report}"), "active")]
    problems += waiting.end(problems)
    yield "attach", [p for p in problems + reported(report, 2) if p]


def reported(report, count):
    """The program Waiting throws one exception in each round."""
    rows = [(row["class"], row["site_method"], row["count"], row["caught_method"]) for row in load(report)]
    return [] if rows == [("java.lang.IllegalStateException", "work", count, "round")] else [f"reported: {rows}, not {count}"]


@program("exceptions switched on and off")
def switched(r):
    """Each time the counts start at zero; counts of another pass continue."""
    p, problems = dormant(r), []

    def ask(*words):
        client = control.Client(p.pid)
        _, status, error = client.ask(*words)
        client.close()
        return [f"{words}: {error}"] if status else []

    for turn, (rounds, with_calls) in enumerate(((2, False), (3, True), (1, True))):
        report = r.file(f"{turn}.json")
        problems += ask("enable", f"exceptions,exceptions.file={report}" + (",calls" if with_calls else ""))
        for _ in range(rounds):
            p.round()
        problems += ask("disable", "exceptions") + reported(report, rounds)
        p.round()
    p.process.stdin.close()
    problems += [] if p.process.wait(timeout=60) == 0 else ["it failed"]
    yield "three times", problems


@program("an overflow after the pass has ended")
def late_overflow(r):
    """What code that is still running notes while the pass is off, the next time that it is on forgets: no class loader stays."""
    program_ = Waiting(r, main="LateOverflow")

    def ask(line):
        program_.process.stdin.write(line + "\n")
        program_.process.stdin.flush()
        return program_.process.stdout.readline()

    problems = [attached(program_.instr("attach", "exceptions", "include=LateOverflow$Passing"), "active")]
    ask("enter")
    program_.instr("disable", "exceptions")
    ask("throw")
    for words in (("enable", "exceptions", "include=LateOverflow$Passing"), ("disable", "exceptions")):
        done = program_.instr(*words)
        problems += [f"{done}"] if done.returncode else []
    problems += [] if ask("collect") == "true\n" else ["the class loader of an error is not collected"]
    program_.process.stdin.close()
    problems += [] if program_.process.wait(60) == 0 else ["it failed"]
    yield "class loader", [p for p in problems if p]


@program("exceptions where Thread cannot be retransformed")
def without_thread(r):
    """JDK 11 and 17 then cannot retransform it: a line says so, the counts are what they are, and the other passes have theirs."""
    case, _ = r.expectations("Uncaught")
    launch = r.built.launch(case)
    for name, java in (("as usual", []), ("other padding", ["-XX:ContendedPaddingWidth=64"])):
        plain = r.run(f"plain, {name}", [r.java, *java, *launch])
        report, calls = r.file(f"{name}.json"), r.file(f"{name}-calls.json")
        options = f"calls,exceptions,calls.file={calls},exceptions.file={report},quiet=yes"
        result = r.run(name, [r.java, *java, r.with_agent(options), *launch])
        yield f"{name}: the program", vm.compare(plain, result, stderr=False)
        if not (os.path.exists(report) and os.path.exists(calls)):
            yield f"{name}: results", [result.tail()]
            continue
        rows = load(report)
        told = "cannot retransform java.lang.Thread" in result.stderr
        yield f"{name}: results", [] if sum(row["count"] for row in rows) == 2 else [f"{rows}"]
        yield f"{name}: ends", [] if {end_of(row) for row in rows} == {"elsewhere" if told else "left"} else [f"{rows}"]
        yield f"{name}: a line", [] if told == (bool(java) and r.jdk.version in (11, 17)) else [result.tail()]
