"""Many threads and many class loaders: what they compute, what is counted, and what memory is left taken."""

import json
import os
import re

from . import expect, vm
from .programs import program

RUN = "ManyLoaders$"

# A heap and spaces that are filled soon and stay: what grows beyond them is native.
SMALL = ["-Xms48m", "-Xmx48m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-XX:MaxMetaspaceSize=48m", "-XX:ReservedCodeCacheSize=24m"]


def quiet(r):
    """What keeps the tables of exceptions away, which are full of errors' names, and the working directory clean."""
    return f",exceptions.top=0,coverage.file={r.file('jacoco.exec')}"


def counted(path, instances):
    """Problems with the counts: every instance's constructor and ten runs, of every class in every loader."""
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
    """KB by which the last third of the rounds is above the one before, by medians."""
    third = len(rows) // 3
    return sorted(k[0] for k in rows[-third:])[third // 2] - sorted(k[0] for k in rows[-2 * third:-third])[third // 2]


def preloaded(r, live):
    """The environment in which the agent's own memory is counted; the agent's library lies beside the tests'."""
    with open(live, "wb") as f:
        f.write(bytes(4096))
    return {"LD_PRELOAD": os.path.join(os.path.dirname(os.path.dirname(r.agent)), "tests", "libfailing_malloc.so"), "FAIL_LIVE": live}


def held(rows, recent=0):
    """Problems with what the agent holds: eight bytes of each class would be too much; but there are 64 for
    each of the `recent` ones, which may be loading still: 24 in a table that is three eighths full when it has grown."""
    third, kept = len(rows) // 3, [k[2] for k in rows]
    if not kept[-1] or max(kept[-third:]) > max(kept[third:-third]) + 128 * 1024 + 64 * recent:
        return [f"the agent held {kept[third]} bytes after a third of the rounds, {kept[-1]} at the end"]
    return []


def flat(rows, plain, recent):
    """Problems with the memory of a run, given the rows of a plain one."""
    problems = held(rows, recent)
    if growth(rows) > max(growth(plain), 0) + 6 * 1024:  # a tenth of what a page per class would be
        problems.append(f"grew by {growth(rows)} KB, without the agent by {growth(plain)}")
    if rows[-1][1] > plain[-1][1] + 100:
        problems.append(f"{rows[-1][1]} classes are left, without the agent {plain[-1][1]}")
    return problems


@program("class loaders dropped by the dozen")
def few_dropped(r):
    """What is left of them, in a run that is too short for its memory to tell."""
    sites, report, each, rounds = r.file("sites.json"), r.file("report.json"), 6, 3
    args = ["-cp", r.built.programs, "ManyLoaders", "2", str(each), str(rounds)]
    passes = r.every_pass + quiet(r) + f",alloc.file={sites},timing.file={report}"
    other = r.run("agent", [r.java, r.with_agent(passes)] + args)
    yield "results", ([] if other.status == 0 else [other.tail()]) + counted(report, 2 * each * rounds)
    yield "sites", lambdas(sites, r.jdk, 2 * each * rounds * 10)


@program("classes that the JVM makes", quick=False)
def made(r):
    """Proxies and what reflection generates, which a JVM numbers without end: their ids do come to an end."""
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
    # the sixteenth call makes the class, and those after it go there
    if accessors != [3 * (30 - 16)] * (r.jdk.version < 18):
        problems.append(f"calls of generated accessors: {accessors}")
    with open(sites, encoding="utf-8") as f:
        numbered = {s[k] for s in json.load(f)["sites"] for k in ("class", "site_class") if re.search(r"\$Proxy\d{4}|Accessor\d", s[k])}
    yield "ids", problems + [f"sites of {name}" for name in sorted(numbered)[:3]]


@program("class loaders dropped by the thousand", quick=False)
def dropped(r):
    """Loaders are collected and the agent keeps nothing of them."""
    live, rounds = r.file("live"), 30
    args = SMALL + ["-Drss=" + r.file("rss"), "-Dlive=" + live, "-cp", r.built.programs, "ManyLoaders", "2", "100", str(rounds)]
    env = preloaded(r, live)
    plain = r.run("plain", [r.java] + args, env=env)
    before = resident(r.file("rss"))
    report, sites = r.file("report.json"), r.file("sites.json")
    for passes in ("calls,timing", r.every_pass + quiet(r) + ",alloc.file=" + sites):
        other = r.run("agent", [r.java, r.with_agent(f"{passes},timing.file={report}")] + args, env=env)
        name = passes.partition(",exceptions.top")[0]
        yield f"{name}: results", vm.compare(plain, other) + counted(report, 2 * 100 * rounds)
        yield f"{name}: memory", flat(resident(r.file("rss")), before, 4 * 2 * 100 * rounds)
    yield "sites", lambdas(sites, r.jdk, 2 * 100 * rounds * 10)


def lambdas(path, jdk, expected):
    """Problems with the lambda that runs in each loader, ten times: it has one site, however many classes it had.
    Before JDK 15 it has none: bytecode of its class makes the object, and is left alone (instr/vm/untouchable.h)."""
    with open(path, encoding="utf-8") as f:
        found = [(s["site_class"], s["count"]) for s in json.load(f)["sites"] if "Closure$$Lambda" in s["class"] + s["site_class"]]
    return [] if [n for _, n in found] == [expected] * (jdk.version >= 15) else [f"{found[:3]} are the sites of {expected} lambdas"]
