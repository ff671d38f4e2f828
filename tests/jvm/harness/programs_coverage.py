"""The pass coverage on real JVMs: any kind of exit, coverage by test, counts, other agents.

tests/coverage checks that the bits are JaCoCo's.
"""

import glob
import json
import os
import re
import sys

from .programs import program

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "coverage"))
import execfile  # noqa: E402


def load(path):
    """The names of the sessions in their order, and {class: (id, bits)}."""
    with open(path, "rb") as file:
        sessions, classes = execfile.parse(file.read())
    return [session[0] for session in sessions], {name: (f"{key:016x}", bits) for key, (name, bits) in classes.items()}


def covered(r, name, what, options="", java=(), then=()):
    path = r.file(name + ".exec")
    done = r.run(name, [r.java, *java, r.with_agent(f"coverage,coverage.file={path}{options}"), "-cp", r.built.programs,
                        "Covered", what, *then])
    return path, done


@program("coverage after any kind of exit")
def ends(r):
    """Nothing is lost at halt, nor with a mapping at kill -9; the mapping is removed when everything is written."""
    path, _ = covered(r, "plain", "nothing")
    key, whole = load(path)[1]["Covered"]
    path, done = covered(r, "halt", "halt")
    halted = load(path)[1]["Covered"]
    yield "halt", [] if halted[0] == key and 0 < halted[1].count("1") < whole.count("1") else [f"{halted}, {whole}"]
    for mode, kill in (("yes", "kill"), ("flush", "kill late")):
        path, done = covered(r, "mapped", "nothing", ",coverage.mmap=" + mode)
        problems = [] if load(path)[1]["Covered"] == (key, whole) else ["other bits than without a mapping"]
        if mode == "flush":
            path, done = covered(r, "truncated", f"truncate {r.folder}", ",coverage.mmap=flush")
            if done.status or load(path)[1]["Covered"][1].count("1") <= halted[1].count("1"):
                problems.append(f"truncated: {done.tail()}")
            late, done = covered(r, "truncated and killed", f"truncate {r.folder}", ",coverage.mmap=flush", then=("kill",))
            reported = r.run("recover truncated", [r.cli, "coverage", "recover", *glob.glob(late + ".*.map")])
            ended, killed = load(path)[1], load(late)[1] if reported.status == 0 else {}
            missing = [i for i, bits in enumerate(zip(ended["Covered"][1], killed.get("Covered", (0, ""))[1].ljust(len(ended["Covered"][1]), "0"))) if bits == ("1", "0")]
            if done.status != -9 or not ended.keys() <= killed.keys() or len(missing) > 2:  # main goes another way, and does not return
                problems.append(f"truncated and killed: {done.status} {missing} {reported.tail()}")
            for file in glob.glob(late + ".*.map"):
                os.remove(file)
        yield f"mapped, {mode}", problems + [f"left behind: {f}" for f in glob.glob(path + ".*")]
        path, done = covered(r, "killed " + mode, kill, ",coverage.mmap=" + mode)
        maps = glob.glob(path + ".*.map")
        problems = [] if done.status == -9 and len(maps) == 1 and not os.path.exists(path) else [f"{done.status}, {maps}"]
        reported = r.run("recover", [r.cli, "coverage", "recover", *maps])
        bits = load(path)[1]["Covered"][1] if reported.status == 0 else ""
        # After the code covered at halt there is only the code that leads to the kill.
        missing = [i for i, (a, b) in enumerate(zip(halted[1], bits)) if a == "1" and b == "0"]
        if len(missing) > 1:  # the branch that halts
            problems.append(f"{reported.stdout}{reported.stderr}: {missing} are lost of {halted[1]}: {bits}")
        yield f"killed, {mode}", problems + ([] if reported.status == 0 and bits.count("1") >= halted[1].count("1") else [reported.tail()])
    other = r.run("no map", [r.cli, "coverage", "recover", "-o", r.file("x.exec"), __file__])
    yield "no map", [] if other.status == 1 and "not a file of coverage.mmap" in other.stderr else [other.tail()]


@program("coverage of no class")
def no_class(r):
    """An include that matches nothing is reported."""
    for pattern, said in (("no/such/*", True), ("Covered", False)):
        _, done = covered(r, "include", "nothing", f",include={pattern}")
        good = (f"no class was loaded that include={pattern} matches. com.acme.* is one package" in done.stderr) == said
        yield "include " + pattern, [] if good else [done.tail()]


@program("coverage with JaCoCo's option string")
def jacocos_options(r):
    """The file and the classes are those that JaCoCo's options name; the bootstrap loader's only if they ask for these."""
    _, classes = load(covered(r, "plain", "nothing")[0])
    for name, more in (("without bootstrap", ""), ("with bootstrap", ",inclbootstrapclasses=true")):
        path = r.file(name + ",a.exec")
        string = f"coverage=jacoco:destfile={path},includes=Cover*:java.util.*,excludes=*.Nothing{more}"
        done = r.run(name, [r.java, r.with_agent(string), "-cp", r.built.programs, "Covered", "nothing"])
        found = load(path)[1]
        problems = [] if done.status == 0 and found.get("Covered") == classes["Covered"] else [f"{found.keys()}: {done.tail()}"]
        if any(n.startswith("java/util/") for n in found) != bool(more) or any(not n.startswith(("Covered", "java/util/")) for n in found):
            problems.append(f"classes: {sorted(found)}")
        yield name, problems


@program("coverage of each test")
def tests(r):
    """Each test, even a failing one, has its own bits; code covered outside of tests has a session of its own."""
    options = ",coverage.per-test=Covered#test*,coverage.session=all"
    path, done = covered(r, "tests", "tests", options)
    whole = load(path)
    sessions, classes = load(path[:-5] + "-tests.exec")
    wanted = ["Covered.testSmall", "Covered.testLarge", "Covered.testBoth", "all"]
    problems = [] if sessions == wanted and whole[0] == ["all"] else [f"{sessions}, {whole[0]}: {done.tail()}"]
    if classes["Covered"] != whole[1]["Covered"]:
        problems.append("the tests' bits and the rest do not add up to the whole")
    plain = load(covered(r, "plain", "tests")[0])[1]
    if plain["Covered"] != whole[1]["Covered"]:
        problems.append("telling tests apart changes the whole")
    yield "sessions", problems
    listed = r.run("list", [r.cli, "coverage", "tests", "--class", "Covered", path[:-5] + "-tests.exec"])
    yield "coverage tests", [] if all(w in listed.stdout for w in wanted[:3]) else [listed.tail()]
    bad = r.run("bad", [r.java, r.with_agent("coverage,coverage.per-test=Covered"), "-version"])
    os.mkfifo(r.file("pipe-tests.exec"))
    done = covered(r, "pipe", "tests", ",coverage.per-test=Covered#test*")[1]
    yield "a pipe that nobody reads", [] if "pipe-tests.exec: no process reads it" in done.stderr else [done.tail()]
    yield "no pattern", [] if bad.status and "option 'coverage.per-test': must be junit4" in bad.stderr else [bad.tail()]


@program("coverage counts")
def counts(r):
    """Counts are exact with eight threads."""
    path, _ = covered(r, "counts", "threads", ",coverage.counts=yes")
    key, bits = load(path)[1]["Covered"]
    with open(path + ".counts", encoding="utf-8") as file:
        report = json.load(file)
    found = next(c for c in report["classes"] if c["class"] == "Covered")
    problems = [] if found["id"] == key else [f"id {found['id']}, not {key}"]
    if "".join("1" if n else "0" for n in found["counts"]) != bits:
        problems.append(f"counted {found['counts']}, hit {bits}")
    if sorted(found["counts"])[-2:] != [8000, 800000] and 800000 not in found["counts"]:
        problems.append(f"8,000 loops of 100 rounds: {found['counts']}")
    yield "threads", problems


@program("coverage beside an agent that changes classes", jdk=11)
def changed(r):
    """Before the other agent the classes are those of the class files, behind it they are reported with both ids."""
    whole = load(covered(r, "plain", "nothing")[0])[1]["Covered"]
    plain = whole[0]
    for name, first in (("before", True), ("behind", False)):
        path = r.file(name + ".exec")
        ours = r.with_agent(f"coverage,coverage.file={path}")
        theirs = f"-javaagent:{r.reference_jar}={r.file(name + '.json')}"
        done = r.run(name, [r.java, *((ours, theirs) if first else (theirs, ours)), "-cp", r.built.programs, "Covered", "nothing"])
        lines = re.search(r"coverage: ([\d,]+) of [\d,]+ class(?:es)? differs? from the class files?(?s:.*)"
                          r"Covered: its id is ([0-9a-f]{16}), its class file's is ([0-9a-f]{16})", done.stderr)
        found = load(path)[1]["Covered"]
        good = not lines and found == whole if first else lines and lines.group(3) == plain != lines.group(2) == found[0]
        yield name, [] if good else [done.tail()]


@program("coverage of the JDK's own classes", quick=False)
def platform(r):
    """Classes loaded before the agent have the ids of their class files, though the JVM reconstructs them."""
    early = load(covered(r, "early", "nothing", ",include=java.util.**:java.lang.**")[0])[1]
    late = load(covered(r, "late", "nothing", ",include=java.util.**:java.lang.**", ("-Xshare:off",))[0])[1]
    both = early.keys() & late.keys()
    yield "ids", [f"{n}: {early[n][0]}, {late[n][0]}" for n in both if early[n][0] != late[n][0]][:3] or (
        [] if len(both) > 50 else [f"only {len(both)} classes"])
