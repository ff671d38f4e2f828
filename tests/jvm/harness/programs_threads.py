"""Many threads and many class loaders: their results, the counts, and the memory that stays in use."""

import json
import os
import re
import statistics

from . import expect, vm
from .programs import program

RUN = "ManyLoaders$"

# A small heap and other spaces that fill up soon: growth beyond them is native memory.
SMALL = ["-Xms48m", "-Xmx48m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-XX:MaxMetaspaceSize=48m", "-XX:ReservedCodeCacheSize=24m"]


def quiet(r):
    """Options without tables of exceptions, which contain names of errors, and without files in the working directory."""
    return f",exceptions.top=0,coverage.file={r.file('jacoco.exec')}"


def counted(path, instances):
    """Problems with the counts: one constructor call and ten runs for each class in each loader."""
    rows = {(m["class"], m["method"]): m for m in expect.load(path)["methods"] if m["class"].startswith(RUN)}
    problems = []
    for name, thrown in (("Thrower", 1), ("Initialised", 0), ("Catcher", 0), ("Closure", 0)):
        row = rows.get((RUN + name, "run"), {"calls": 0, "thrown": 0})
        if (row["calls"], row["thrown"]) != (10 * instances, thrown * instances):
            problems.append(f"{name}.run: {row['calls']} calls, {row['thrown']} thrown, of {10 * instances}")
    return problems


@program("sixteen threads in loaders of their own")
def sixteen(r):
    """Thousands of classes defined by 16 threads at a time, under every pass: the same sums, exact counts."""
    loaders, rounds = (20, 2) if r.quick else (60, 3)
    args = r.verify + ["-cp", r.built.programs, "ManyLoaders", "16", str(loaders), str(rounds)]
    plain = r.run("plain", [r.java] + args)
    yield "plain", [] if plain.status == 0 and plain.stdout.count("sum ") == rounds else [plain.tail()]
    for passes in ("calls", "timing", "calls,timing", r.every_pass)[3 if r.quick else 0:]:
        report = r.file(passes.replace(",", "+") + ".json")
        first = passes.split(",")[-1]
        options = f"{passes},{first}.file={report}" + quiet(r) * (passes == r.every_pass)
        other = r.run(passes.replace(",", "+"), [r.java, r.with_agent(options)] + args)
        yield passes, vm.compare(plain, other) + counted(report, 16 * loaders * rounds)


def resident(path):
    """(resident KB, classes, bytes that the agent holds) per round."""
    with open(path, encoding="ascii") as f:
        return [tuple(int(n) for n in line.split()[1:]) for line in f if len(line.split()) == 4]


def growth(rows):
    """The growth in KB in ten rounds: the median of those from each ten to the next, between their medians. The first ten
    are the program's start. Thirty rounds give one value, in which a step counts; among the five of seventy it does not."""
    tens = [statistics.median_high(k[0] for k in rows[i:i + 10]) for i in range(10, len(rows) - 9, 10)]
    return statistics.median(b - a for a, b in zip(tens, tens[1:]))


def grown(rows, plain):
    """Problems with the resident memory of a run, given the rows of a plain one."""
    if growth(rows) <= max(growth(plain), 0) + 6 * 1024:  # a tenth of one page per class
        return []
    return [f"grew by {growth(rows)} KB in ten of {len(rows)} rounds, without the agent by {growth(plain)}"]


def preloaded(r, live):
    """The environment that counts the agent's own memory; the agent's library lies beside the tests'."""
    with open(live, "wb") as f:
        f.write(bytes(4096))
    return {"LD_PRELOAD": os.path.join(os.path.dirname(os.path.dirname(r.agent)), "tests", "libfailing_malloc.so"), "FAIL_LIVE": live}


def held(rows, recent=0):
    """Problems with the agent's memory: eight bytes for each class would be too much; but it may use 64 for
    each of the `recent` classes, which may still be loading: 24 in a table that is three eighths full after it has grown."""
    third, kept = len(rows) // 3, [k[2] for k in rows]
    if not kept[-1] or max(kept[-third:]) > max(kept[third:-third]) + 128 * 1024 + 64 * recent:
        return [f"the agent held {kept[third]} bytes after a third of the rounds, {kept[-1]} at the end"]
    return []


def judged():
    """Problems with the judgement itself: a step is no growth, and what recurs is."""
    def made(rounds, size):
        return [(100000 + size(i), 0, 0) for i in range(rounds)]

    still, leak = made(70, lambda i: 300 * (i % 2)), made(70, lambda i: 640 * i)
    cases = [("a step", made(70, lambda i: 9000 * (i > 24)), False), ("two steps", made(70, lambda i: 9000 * ((i > 24) + (i > 55))), False),
             ("a leak", leak, True), ("a leak in steps", made(70, lambda i: 6400 * (i // 10)), True), ("a short leak", leak[:30], True)]
    return [f"{name}: growth {growth(rows)} KB" for name, rows, grows in cases if bool(grown(rows, still)) != grows]


def flat(rows, plain, recent):
    """Problems with what the agent holds and with the classes that are left, given the rows of a plain run."""
    problems = held(rows, recent)
    if rows[-1][1] > plain[-1][1] + 100:
        problems.append(f"{rows[-1][1]} classes are left, without the agent {plain[-1][1]}")
    return problems


@program("class loaders dropped by the dozen")
def few_dropped(r):
    """The agent's records of unloaded classes, in a run that is too short to measure memory."""
    sites, report, each, rounds = r.file("sites.json"), r.file("report.json"), 6, 3
    args = ["-cp", r.built.programs, "ManyLoaders", "2", str(each), str(rounds)]
    passes = r.every_pass + quiet(r) + f",alloc.file={sites},timing.file={report}"
    other = r.run("agent", [r.java, r.with_agent(passes)] + args)
    yield "results", ([] if other.status == 0 else [other.tail()]) + counted(report, 2 * each * rounds)
    yield "sites", lambdas(sites, r.jdk, 2 * each * rounds * 10)


@program("classes generated by the JVM", quick=False)
def made(r):
    """Proxies and classes generated by reflection, which a JVM numbers without end, use a limited number of ids."""
    report, sites = r.file("report.json"), r.file("sites.json")
    args = ["-cp", r.built.programs, "MadeByJvm"]
    plain = r.run("plain", [r.java] + args)
    other = r.run("agent", [r.java, r.with_agent(f"calls,alloc,calls.file={report},alloc.file={sites}")] + args)
    rows = [(m["class"], m["calls"]) for m in expect.load(report)["methods"] if m["method"] in ("run", "invoke")]
    proxies = [(c, n) for c, n in rows if re.search(r"\$Proxy\d*$", c)]
    late = [n for c, n in proxies if not re.search(r"\$Proxy\d{1,3}$", c)]
    problems = vm.compare(plain, other)
    if sum(n for _, n in proxies) != 1200 or late != [int(plain.stdout.split()[1])] or not late[0]:
        problems.append(f"{len(proxies)} rows of proxies, {sum(n for _, n in proxies)} calls; {late[:3]} of the late ones")
    accessors = [n for c, n in rows if "GeneratedMethodAccessor" in c]
    # the sixteenth call generates the class that later calls use
    if accessors != [3 * (30 - 16)] * (r.jdk.version < 18):
        problems.append(f"calls of generated accessors: {accessors}")
    with open(sites, encoding="utf-8") as f:
        numbered = {s[k] for s in json.load(f)["sites"] for k in ("class", "site_class") if re.search(r"\$Proxy\d{4}|Accessor\d", s[k])}
    yield "ids", problems + [f"sites of {name}" for name in sorted(numbered)[:3]]


@program("class loaders dropped by the thousand", quick=False)
def dropped(r):
    """Loaders are collected, and the agent keeps no memory for them."""
    live, rounds = r.file("live"), 30
    args = SMALL + ["-Drss=" + r.file("rss"), "-Dlive=" + live, "-cp", r.built.programs, "ManyLoaders", "2", "100"]
    env = preloaded(r, live)

    def rows(name, agent, count):
        run = r.run(name, [r.java] + agent + args + [str(count)], env=env)
        return run, resident(r.file("rss"))

    yield "what counts as growth", judged()
    plain, before = rows("plain", [], rounds)
    for passes in ("calls,timing", r.every_pass + quiet(r)):
        def agent(kind, options=passes):
            sites = ",alloc.file=" + r.file(kind + "-sites.json") if "alloc" in options else ""
            return [r.with_agent(f"{options},timing.file={r.file(kind + '.json')}{sites}")]

        other, after = rows("agent", agent("agent"), rounds)
        name = passes.partition(",exceptions.top")[0]
        yield f"{name}: results", vm.compare(plain, other) + counted(r.file("agent.json"), 2 * 100 * rounds)
        problems = grown(after, before)
        if problems:  # perhaps a step, as of the compilers' arenas: more rounds show what recurs
            problems = grown(rows("longer", agent("longer"), 70)[1], rows("plain-longer", [], 70)[1])
        yield f"{name}: memory", flat(after, before, 4 * 2 * 100 * rounds) + problems
    yield "sites", lambdas(r.file("agent-sites.json"), r.jdk, 2 * 100 * rounds * 10)


def lambdas(path, jdk, expected):
    """Problems with the lambda that runs ten times in each loader: it has one site for all its classes.
    Before JDK 15 it has none: the object is created by bytecode of its class, which is skipped (instr/vm/untouchable.h)."""
    with open(path, encoding="utf-8") as f:
        found = [(s["site_class"], s["count"]) for s in json.load(f)["sites"] if "Closure$$Lambda" in s["class"] + s["site_class"]]
    return [] if [n for _, n in found] == [expected] * (jdk.version >= 15) else [f"{found[:3]} are the sites of {expected} lambdas"]
