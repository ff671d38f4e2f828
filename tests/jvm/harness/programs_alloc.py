"""The counts of the pass alloc, compared with what programs allocate and with the VM's own counts."""

import json
import os
import re
import subprocess

from . import programs_attach, vm
from .programs import Skip, program

EXPECTED = re.compile(r"^\s*//= (\S+) (\S+) (\d+)$", re.M)


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def exact_shape(report):
    """Problems with the form of a report: wrong keys, wrong types, sums of sites that differ from those of classes."""
    problems = []
    if list(report) not in (["pass", "sites", "classes"], ["pass", "sites", "classes", "cost"]):  # a result while the program runs has no cost
        problems.append(f"keys {list(report)}")
    problems += [f"{s} is new each time" for s in report["sites"] if re.search(r"[./]0x", s["class"] + s["site_class"])]
    sums = {}
    for site in report["sites"]:
        if list(site) != ["class", "site_class", "site_method", "site_line", "count", "bytes"]:
            problems.append(f"site {site}")
        n = sums.setdefault(site["class"], [0, 0])
        n[0] += site["count"]
        n[1] += site["bytes"]
    classes = {c["class"]: [c["count"], c["bytes"]] for c in report["classes"]}
    if classes != sums or len(classes) != len(report["classes"]):
        problems.append("the classes are not what the sites add up to")
    return problems[:3]


def by_method(report, cls):
    """{(method, class): [count, bytes]} of the sites in a class and those nested in it."""
    found = {}
    for site in report["sites"]:
        if site["site_class"].split("$")[0] != cls:
            continue
        n = found.setdefault((site["site_method"], site["class"]), [0, 0])
        n[0] += site["count"]
        n[1] += site["bytes"]
    return found


def as_expected(report, source):
    """Problems with the counts of methods for which the source has expectations."""
    with open(source, encoding="utf-8") as f:
        expected = {(m, c): int(n) for m, c, n in EXPECTED.findall(f.read())}
    methods = {m for m, _ in expected}
    counted = {k: n[0] for k, n in by_method(report, "Allocations").items() if k[0] in methods}
    return [f"{m}: {counted.get((m, c), 0)} of {c}, expected {expected.get((m, c), 0)}"
            for m, c in sorted(expected.keys() | counted.keys()) if counted.get((m, c)) != expected.get((m, c))]


def as_the_vm(report, stdout):
    """Problems with bytes: for each section they must be twice those that the VM reports for its second run."""
    counted, problems = by_method(report, "Allocations"), []
    for line in stdout.splitlines():
        name, said = line.split()
        if name == "caught":
            continue
        ours = sum(n[1] for k, n in counted.items() if k[0] == name)
        if ours != 2 * int(said) or ours == 0:
            problems.append(f"{name}: {ours} bytes of two runs, the VM says {said} of one")
    return problems


@program("cost of what the VM allocates")
def cost_of_vm(r):
    """Objects that no bytecode makes cost a microsecond or more each: the pass says so, too."""
    path = r.file("cost.json")
    done = r.run("cost", [r.java, "-Xint", r.with_agent(f"alloc,quiet=yes,include=no.such.**,alloc.file={path}"), "-cp", r.built.programs, "Allocations"])
    report = load(path) if done.status == 0 else {}
    objects = sum(row["count"] for row in report.get("classes", []))
    said = report.get("cost", {}).get("code_ns", 0)
    yield "", [done.tail()] if done.status else [] if 400 < objects < said / 1000 else [f"{objects} objects, {said} ns"]


LAYOUTS = (("", []), ("little memory", []), ("wide references", ["-XX:-UseCompressedOops"]),
           ("aligned to 32", ["-XX:ObjectAlignmentInBytes=32"]))


@program("allocations by bytecode")
def by_bytecode(r):
    """Counts by class and site, and bytes as the VM reports them for any layout of objects; the output is the same.

    With little memory most threads have no counters of their own and use buffers."""
    args = r.verify + ["-Xmx64m", "-cp", r.built.programs, "Allocations"]
    source = r.built.path("programs/Allocations.java")
    layouts = list(LAYOUTS)
    if r.jdk.version >= 25:
        layouts.append(("compact headers", ["-XX:+UseCompactObjectHeaders"]))
    for name, flags in layouts[:1] if r.quick else layouts:
        for mode in (["-Xint"], []) if not name else (["-Xint"],):
            what = " ".join([name or "default"] + mode)
            plain = r.run("plain", [r.java] + mode + flags + args)
            path = r.file("alloc.json")
            other = r.run("alloc", [r.java] + mode + flags + [r.with_agent(
                "alloc,quiet=yes,alloc.file=" + path + (",memory=64K,include=**" if name == "little memory" else ""))] + args)
            problems = vm.compare(plain, other) if mode else []
            if other.status != 0:
                yield what, [other.tail()]
                continue
            report = load(path)
            problems += exact_shape(report) + as_expected(report, source)
            yield what, problems + (as_the_vm(report, other.stdout) if mode else [])


def total_of(r, thing, times, mode, options=""):
    """The bytes that the VM reports for the thread, and the total of the report."""
    path, folder = r.file("totals.json"), r.file("listed")
    os.makedirs(folder, exist_ok=True)
    for i in range(10):
        with open(os.path.join(folder, "file%d" % i), "w", encoding="ascii") as f:
            f.write("x" * 200)
    done = r.run("totals", [r.java] + mode + [
        "-Xmx128m", r.with_agent("alloc,quiet=yes,memory=64M,include=**,alloc.file=" + path + options), "-cp", r.built.programs,
        "AllocationTotals", thing, str(times), folder, os.path.join(folder, "file0")])
    if done.status != 0:
        raise RuntimeError(done.tail())
    report = load(path)
    if exact_shape(report):
        raise RuntimeError(exact_shape(report)[0])
    return int(done.stdout), sum(c["bytes"] for c in report["classes"])


def deviation(r, thing, mode, options="", times=300):
    """The error of the report in percent, from the difference between n and 2n repetitions, which excludes start and end."""
    (vm_once, ours_once), (vm_twice, ours_twice) = (total_of(r, thing, n, mode, options) for n in (times, 2 * times))
    return 100.0 * (ours_twice - ours_once) / (vm_twice - vm_once) - 100


# The permitted errors below and above the VM's own count, in the interpreter, in percent. Lambdas: before JDK
# 25 the objects with captured values are created by hidden classes, which agents never get. Exceptions: see there.
WHOLE = {"collections": (0.1, 0.1), "strings": (0.1, 0.1), "reflection": (0.1, 0.1), "clones": (0.1, 0.1), "copies": (0.1, 0.1),
         "constructors": (0.1, 0.1), "lambdas": (6, 0.1), "natives": (0.1, 0.1), "captures": (0.1, 0.1), "versions": (0.1, 0.1), "exceptions": (100.1, 0.1)}
# If little is allocated a few objects of the JVM's own threads matter.
TIMES = {"constructors": 5000, "exceptions": 5000, "captures": 5000, "versions": 5000}
# The same for hot loops in compiled code, without anything that compilers can remove.
COMPILED = {"copies": 0.2, "constructors": 0.2}


@program("total allocations agree with the VM", quick=False, jdk=11)
def totals(r):
    """With all classes instrumented nothing is missing: reflection, clone and JNI are counted, and nothing is counted twice.

    JDK 8 offers its own loaded classes without their stack map frames, so that many of them are skipped."""
    for thing, (low, high) in WHOLE.items():
        if thing == "captures" and r.jdk.version < 25:
            low = 100.1
        yield thing, within(low, high, r, thing, ["-Xint"], times=TIMES.get(thing, 300))
    for thing, most in COMPILED.items():
        yield thing + ", compiled", within(most, most, r, thing, ["-XX:-BackgroundCompilation"], times=50000)


def within(low, high, *measured, **how):
    """Threads of the JVM allocate now and then, which adds to one of the runs that are compared: only what recurs is an error."""
    tries = [deviation(*measured, **how)]
    if not -low <= tries[0] <= high:
        tries += [deviation(*measured, **how) for _ in range(2)]
    wrong = [off for off in tries if not -low <= off <= high]
    return [f"off by {', '.join(f'{off:.3f}' for off in tries)} % of what the VM says"] if len(wrong) > 1 else []


def near(what, value, expected, part):
    return [] if abs(value - expected) <= part * expected else [f"{what}: {value}, expected {expected} within {100 * part:.0f} %"]


@program("allocations sampled", jdk=11)
def sampled_ones(r):
    """Estimates are close, stacks are complete, live and dead objects are distinguished; the output is the same."""
    path, stacks, page = r.file("sampled.json"), r.file("stacks.txt"), r.file("flame.html")
    plain = r.run("plain", [r.java, "-cp", r.built.programs, "Leaking"])
    done = r.run("sampled", [r.java, r.with_agent(
        f"alloc,alloc.mode=sampled,alloc.interval=4K,alloc.live=yes,alloc.file={path},alloc.stacks={stacks},alloc.html={page}"),
        "-Xint", "-cp", r.built.programs, "Leaking"])
    yield "output", vm.compare(plain, done)
    report = load(path)
    classes = {c["class"]: c for c in report["classes"]}
    leaked, gone = classes["Leaking$Leaked"], classes["Leaking$Gone"]
    problems = near("Leaked", leaked["count"], 20000, 0.3) + near("Gone", gone["count"], 380000, 0.1)
    problems += near("alive", leaked["live_bytes"], leaked["bytes"], 0.01)
    # The interpreter's frame may still refer to the last one.
    problems += [f"{gone['live_count']} Gone are alive"] if gone["live_count"] > gone["count"] / 100 else []
    site = next(s for s in report["sites"] if s["class"] == "Leaking$Leaked")
    if (site["site_class"], site["site_method"]) != ("Leaking", "inner") or not site["site_line"]:
        problems.append(f"site {site}")
    yield "estimates", problems
    with open(stacks, encoding="utf-8") as f:
        lines = [line.rsplit(" ", 1) for line in f.read().splitlines()]
    found = [int(n) for s, n in lines if s == "Leaking.main;Leaking.outer;Leaking.inner;Leaking$Gone"]
    yield "stacks", near("Gone", sum(found), gone["bytes"], 0.01) + near("all", sum(int(n) for _, n in lines),
                                                                         sum(c["bytes"] for c in report["classes"]), 0.01)
    with open(page, encoding="utf-8") as f:
        text = f.read()
    yield "page", [] if '"Leaking.inner","Leaking$Gone"]' in text and text.endswith("</html>\n") else ["the page lacks a stack"]
    again = r.run("report", [r.cli, "report", path, "--html", r.file("again.html")])
    with open(r.file("again.html"), encoding="utf-8") as f:
        yield "page from the file", [] if again.status == 0 and f.read() == text else [again.tail() or "another page"]


def weak_references(r, program_):
    """Those of JNI, as the JVM says."""
    if not r.jdk.has("jcmd"):
        raise Skip("needs jcmd")
    said = subprocess.run([r.jdk.tool("jcmd"), str(program_.pid), "Thread.print"], capture_output=True, text=True, timeout=60, check=False)
    found = re.search(r"^JNI global refs: \d+, weak refs: (\d+)", said.stdout, re.M)
    if not found:
        raise Skip("jcmd does not say how many weak references there are")
    return int(found[1])


@program("many allocations sampled", jdk=11)
def many_sampled(r):
    """Samples take their 64 MB and no more: later ones count without a stack. Switched off, the pass leaves no weak references."""
    options = ("alloc.mode=sampled", "alloc.live=yes", "alloc.interval=1")
    for end in (["detach"], ["revert"], ["disable", "alloc"])[:1 if r.quick else 3]:
        program_ = programs_attach.Waiting(r, "-Xmx256m", main="Sampled")
        before = weak_references(r, program_)
        problems = [programs_attach.attached(program_.instr("attach", "alloc", *options), "active")]
        program_.process.stdin.write("fill\n")
        program_.process.stdin.flush()
        program_.process.stdout.readline()
        memory = json.loads(program_.instr("status", "--json").stdout)["memory_bytes"]["passes"]
        problems += [] if 64 << 20 <= memory < 80 << 20 else [f"samples take {memory} bytes"]
        classes = {c["class"]: c for c in json.loads(program_.instr("report", "alloc", "--json").stdout)["classes"]}
        kept = classes["Sampled$Kept"]
        # JDK 11 does not sample each object, also with the least interval.
        count = kept["count"] if r.jdk.version == 11 else 60000
        problems += near("Kept", kept["count"], count, 0.001) + near("alive", kept["live_count"], count, 0.001)
        during = weak_references(r, program_)
        problems += [] if during > before + max(count - 1000, 20000) else [f"{during} weak references while it is on"]
        program_.instr(*end)
        after = weak_references(r, program_)
        problems += [] if after < before + 100 else [f"{after} weak references, {before} before"]
        yield " ".join(end), program_.end(problems)


@program("allocations through the constructor of Object", quick=False)
def by_constructor(r):
    """alloc.track=object finds the same objects at the same places, and those from classes that no pass may change."""
    path, args = r.file("alloc.json"), ["-Xmx64m", "-cp", r.built.programs, "Allocations"]
    plain = r.run("plain", [r.java] + args)
    done = r.run("object", [r.java, r.with_agent("alloc,quiet=yes,alloc.track=object,alloc.file=" + path)] + args)
    same = [line for line in plain.stdout.splitlines() if line.startswith("caught")] == \
        [line for line in done.stdout.splitlines() if line.startswith("caught")]
    problems = [] if done.status == 0 and same else [done.tail()]
    report = load(path)
    counts = as_expected(report, r.built.path("programs/Allocations.java"))
    # Exceptions thrown by the VM run a constructor, too, but no bytecode creates them.
    problems += [p for p in counts if not re.fullmatch(r"failing: \d+ of java\.lang\.\w+(Error|Exception), expected 0", p)]
    yield "counts", problems + exact_shape(report)
    others = [s for s in report["sites"] if s["site_class"].startswith("java.")]
    yield "all classes", [] if len(others) > 50 else [f"only {len(others)} sites of the JDK"]


@program("alloc rejects invalid options", quick=False)
def mistakes_refused(r):
    """One line is printed, and the JVM does not start."""
    mistakes = [("alloc.mode=some", "option 'alloc.mode': must be exact or sampled, not 'some'"),
                ("alloc.mode=sampled,alloc.interval=9G", "alloc.interval: must be below 2G"),
                ("alloc.mode=sampled,alloc.interval=x", "option 'alloc.interval': must be a size, such as 512K, not 'x'"),
                ("alloc.live=yes", "alloc.interval and alloc.live need alloc.mode=sampled"),
                ("alloc.mode=sampled,alloc.track=object", "exclude each other")]
    if r.jdk.version < 11:
        mistakes.append(("alloc.mode=sampled", "this JVM does not sample allocations; JDK 11 or later does"))
    for options, line in mistakes:
        done = r.run("refused", [r.java, r.with_agent("alloc," + options)] + r.hello())
        ours = [x for x in done.stderr.splitlines() if x.startswith("instr: ")]
        yield options, [] if done.status not in (0, None) and len(ours) == 1 and line in ours[0] else [done.stderr[:300]]


@program("sampling that JDK 8 cannot do")
def cannot_sample(r):
    """A running JVM refuses it in one line, and continues."""
    if r.jdk.version >= 11:
        return
    program_ = programs_attach.Waiting(r)
    done = program_.instr("attach", "alloc", "alloc.mode=sampled")
    yield "attach", program_.end([programs_attach.refused(done, "this JVM does not sample allocations; JDK 11 or later does")])


@program("allocations after attaching", quick=False)
def after_attaching(r):
    """Loaded classes are counted from then on; also with the constructor of Object."""
    for track in ("site", "object"):
        path = r.file(track + ".json")
        program_ = programs_attach.Waiting(r)
        done = program_.instr("attach", "alloc", "alloc.track=" + track, "alloc.file=" + path, "include=Waiting:java.lang.String*")
        problems = program_.end([] if done.returncode == 0 else [done.stderr])
        sites = {(s["class"], s["site_class"], s["site_method"]): s["count"] for s in load(path)["sites"]}
        thrown = sites.get(("java.lang.IllegalStateException", "Waiting", "work"))
        # Two rounds ran after that.
        yield track, problems + ([] if thrown == 2 else [f"{thrown} exceptions of 2"])


@program("allocations by reflection", quick=False)
def by_reflection(r):
    """In any scope each object is reported once, also when the JDK's code that creates it is compiled."""
    path = r.file("reflection.json")
    plain = r.run("plain", [r.java, "-cp", r.built.programs, "MadeByReflection"])
    for scope in ("include=MadeByReflection", "include=MadeByReflection:java.lang.invoke.**", "include=**", "exclude=java.**"):
        done = r.run("reflection", [r.java, r.with_agent(f"alloc,quiet=yes,alloc.file={path},{scope}"), "-cp", r.built.programs,
                                    "MadeByReflection"])
        report = load(path)
        counts = {c["class"].split("$")[-1]: c["count"] for c in report["classes"] if c["class"].startswith("MadeByReflection$")}
        counts["Proxy"] = max([c["count"] for c in report["classes"] if "$Proxy" in c["class"] and "Lambda" not in c["class"]] + [0])
        names = ("ByConstructor", "Private", "ByClass", "ByHandle", "Throwing", "InArrays[]", "ByCode", "Proxy")
        # Excluded JDK code is not changed; then only the JVM's reports count.
        if scope.startswith("exclude"):
            names = ("ByCode", "InArrays[]")
        wrong = [f"{counts.get(n, 0)} of {n}, expected 60000" for n in names if counts.get(n) != 60000]
        yield scope, vm.compare(plain, done) + wrong + exact_shape(report)


@program("allocations of value objects", jdk=28)
def values(r):
    """Value objects are counted and sampled like others, without using their identity."""
    case, _ = r.expectations("ValueClasses")
    if case is None or case.release > r.built.compiler.version:
        raise Skip("needs a JDK 28 that compiles")
    path, made = r.file("values.json"), {"cases.ValueClasses$Pair": 5, "cases.ValueClasses$Range": 4}
    plain = r.run("plain", [r.java] + r.built.launch(case))
    for options in ("", ",alloc.track=object", ",alloc.mode=sampled,alloc.interval=1,alloc.live=yes"):
        done = r.run("values", [r.java, "-Xint", r.with_agent("alloc,quiet=yes,alloc.file=" + path + options)] + r.built.launch(case))
        counts = {c["class"]: c["count"] for c in load(path)["classes"]}
        # One of each throws before it reaches the constructor of Object. A value read from a flat field or array is
        # a new copy, which only the JVM sees.
        low, high = (-1, -1) if "object" in options else (0, 3 if "sampled" in options else 0)
        wrong = [f"{counts.get(c, 0)} of {c}, expected {n}" for c, n in made.items()
                 if not n + low <= counts.get(c, 0) <= n + high]
        yield options or "exact", vm.compare(plain, done) + wrong
