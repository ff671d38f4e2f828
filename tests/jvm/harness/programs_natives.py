"""Native methods: wrapped, called in all ways, in JDK classes, beside other agents, and their bindings."""

import json
import os
import re

from . import control, vm
from .programs import Skip, program, same_files, sources_for_compilers
from .programs_attach import Waiting
from .programs_broken import ended
from .programs_vm import Attached

# One run of calls() in NativeCalls: calls and exceptions of each method.
ROUND = {"add(I)I": (20001, 0), "add(J)J": (40000, 0), "locked()Z": (1, 0), "critical([I)I": (1, 0), "byName(I)I": (1, 0),
         "down(I)I": (51, 0), "who()Ljava/lang/String;": (2, 0), "boom(Ljava/lang/String;)V": (6, 6),
         "missing([Ljava/lang/String;I)V": (1, 1), "mixed(IJFDLjava/lang/String;[BZCS)D": (1, 0)}
ONCE = {"register(Z)I": 2, "registered(I)I": 2, "unregister()I": 1, "add(I)I": 1}
VERSION = "its modifiers are part of the default serialVersionUID, and the class declares none"


def library(r):
    path = os.path.join(os.path.dirname(os.path.dirname(r.agent)), "tests", "libnative_calls.so")
    if not os.path.exists(path):
        raise Skip("libnative_calls.so is not built")
    return path


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def check_calls(path, rounds=1):
    """Compares the counts of a report with the calls of NativeCalls."""
    try:
        report = load(path)
    except (OSError, ValueError) as e:
        return [f"{os.path.basename(path)}: {e}"]
    found = {m["method"].replace("peer_", "") + m["descriptor"]: (m["calls"], m["thrown"])
             for m in report["methods"] if m["class"] == "NativeCalls"}
    wanted = {name: (rounds * calls, rounds * thrown) for name, (calls, thrown) in ROUND.items()}
    for name, calls in ONCE.items():
        wanted[name] = (wanted.get(name, (0, 0))[0] + calls, 0)
    return [f"{name}: {found.get(name)}, expected {wanted.get(name)}"
            for name in sorted(wanted.keys() | found.keys()) if found.get(name) != wanted.get(name)]


def skipped(path):
    return {s["class"] + "." + s["method"]: s["reason"] for s in load(path)["skipped"]}


def launch(r):
    return ["-cp", r.built.programs, "NativeCalls", library(r)]


@program("native methods")
def natives(r):
    """Bound by name and by RegisterNatives, called from Java, JNI and reflection, throwing, missing, in many threads."""
    plain = r.run("plain", [r.java] + launch(r))
    yield "plain", [] if plain.status == 0 else [plain.tail()]
    variants = [("natives", []), ("timing,natives", []), ("natives,calls", ["-Xcheck:jni"]), ("natives", ["-Xint"]),
                ("natives", ["-Xcomp"]), ("natives,runtime=path", []), ("natives,include=**", [])]
    for options, java in variants[:2] if r.quick else variants:
        report = r.file("natives.json")
        if os.path.exists(report):
            os.remove(report)
        bare = r.run("bare", [r.java, *java, *launch(r)]) if java else plain
        other = r.run("agent", [r.java, *java, *r.verify, r.with_agent(f"{options},natives.file={report}"), *launch(r)])
        problems = vm.compare(bare, other) + check_calls(report)
        problems += [f"-Xcheck:jni: {s!r}" for s in other.stdout.splitlines() + other.stderr.splitlines()
                     if ("WARNING" in s or "FATAL" in s) and s not in bare.stdout + bare.stderr]
        if not problems and skipped(report).get("NativeCalls$Version.value()I") != VERSION:
            problems.append("nothing says why NativeCalls.Version.value is left alone")
        yield " ".join([options] + java), problems


@program("wrapping passes together", quick=False)
def together(r):
    """Two passes edit the same wrappers."""
    if not r.stress:
        raise Skip("the agent with the pass again is not built")
    plain = r.run("plain", [r.java] + launch(r))
    for passes in ("natives,again", "again,timing,natives"):
        files = {p: r.file(f"{p}.json") for p in ("natives", "again")}
        options = ",".join([passes] + [f"{p}.file={f}" for p, f in files.items()])
        other = r.run("agent", [r.java, f"-agentpath:{r.stress}={options}", *launch(r)])
        yield passes, vm.compare(plain, other) + check_calls(files["natives"]) + check_calls(files["again"])


@program("other agents and native methods", quick=False)
def others(r):
    """Agents that wrap, too, before or after ours, and agents that retransform a wrapped class."""
    for mode in ("wrap", "retransformable", "retransform", "redefine"):
        peer = f"-javaagent:{r.built.wrapping}={mode}"
        wraps = mode in ("wrap", "retransformable")
        program_args = ([] if wraps else ["-Dagain=yes"]) + launch(r)
        alone = r.run("alone", [r.java, peer] + program_args)
        if alone.status != 0:
            yield mode, [alone.tail()]
            continue
        for first in ("agent", "peer"):
            report = r.file("natives.json")
            if os.path.exists(report):
                os.remove(report)
            agents = [r.with_agent(f"natives,timing,natives.file={report}"), peer]
            both = r.run("both", [r.java] + (agents if first == "agent" else agents[::-1]) + program_args)
            if wraps:  # the names of frames show which agent wrapped last
                for result in (alone, both):
                    result.stdout = re.sub("(?m)^missing .*", "missing", result.stdout)
            yield f"{mode}, {first} first", vm.compare(alone, both) + check_calls(report, 1 if wraps else 2)


@program("native methods of the JDK")
def of_the_jdk(r):
    """Files and sockets, with class file hooks from the start; and all classes."""
    launch_files = ["-cp", r.built.programs, "NativeFiles"]
    plain = r.run("plain", [r.java] + launch_files)
    yield "plain", [] if plain.status == 0 else [plain.tail()]
    report = r.file("natives.json")
    scopes = ["include=java.io.**:sun.nio.ch.**:java.net.**", "include=**"]
    for scope in scopes[:1] if r.quick else scopes:
        for passes in ("natives", "timing,natives", "exceptions,alloc,natives"):  # exceptions changes Thread itself
            other = r.run("agent", [r.java, *r.verify, r.with_agent(f"{passes},{scope},natives.file={report}"),
                                    *launch_files])
            problems = vm.compare(plain, other, may_skip=passes != "natives")
            if not problems:
                problems = check_files(load(report), skipped(report))
            yield f"{passes},{scope}", problems
            if r.quick:
                break
    path = r.run("path", [r.java, r.with_agent("natives,runtime=path,include=java.io.**")] + launch_files)
    yield "runtime=path", [] if path.status != 0 and "need runtime=direct" in path.stderr else [path.tail()]


def check_files(report, left_alone):
    rows = {m["class"] + "." + m["method"]: m for m in report["methods"]}
    problems = []
    reads = sum(rows[n]["calls"] for n in rows if n.startswith("java.io.FileInputStream.read"))
    writes = sum(rows[n]["calls"] for n in rows if n.startswith("java.io.FileOutputStream.write"))
    opens = [rows[n] for n in rows if re.fullmatch(r"java.io.FileInputStream.open0?", n)]
    reads_at = sum(rows[n]["calls"] for n in rows if re.search(r"FileDispatcherImpl.*\.pread0?$", n))
    if reads < 101 or writes < 101:
        problems.append(f"{reads} reads and {writes} writes, at least 101 each expected")
    if reads_at != 10:
        problems.append(f"{reads_at} reads at a position, expected 10")
    if not opens or opens[0]["thrown"] != 1 or opens[0]["calls"] < 2:
        problems.append(f"opened: {opens}, expected 2 or more, one with an exception")
    if not any(re.match(r"(sun.nio.ch.Net|java.net.PlainSocketImpl)\.", n) for n in rows):
        problems.append("no native method of sockets was called")
    problems += [f"{n}: without a reason" for n, reason in left_alone.items() if len(reason) < 10]
    return problems


@program("native methods of a compiler", quick=False, needs=["javac"])
def compiler(r):
    """javac with all JDK native methods wrapped that can be."""
    sources = sources_for_compilers(r.file("made"), 4)

    def go(name, *options):
        os.makedirs(r.file(name + ".out"))
        return r.run(name, [r.jdk.tool("javac")] + [f"-J{o}" for o in r.verify + list(options)]
                     + ["-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", r.file(name + ".out")] + sources)

    plain = go("plain")
    report = r.file("natives.json")
    other = go("agent", r.with_agent(f"natives,include=**,natives.file={report}"))
    reasons = set(skipped(report).values()) if os.path.exists(report) else set()
    yield "everything", vm.compare(plain, other) + same_files(r.file("plain.out"), r.file("agent.out")) \
        + ([] if len(reasons) >= 5 else [f"left alone for {sorted(reasons)}"])


@program("native methods of loaded classes, attached", quick=False, jdk=9, needs=["jcmd"])
def attached(r):
    """Methods of loaded classes cannot be wrapped: the agent reports them at once."""
    report = r.file("natives.json")
    waiting = Attached(r)
    loaded = waiting.load(f"natives,include=java.io.**,natives.file={report}")
    waiting.round()
    status, output, stderr = waiting.end()
    line = [s for s in stderr.splitlines() if "cannot be wrapped" in s]
    problems = [] if status == 0 and output.endswith("end\n") else [f"status {status}: {output[-200:]}{loaded.stdout}"]
    if len(line) != 1 or not re.search(r": natives: \d+ native methods cannot be wrapped because their classes were already loaded"
                                       r": .*java\.io\.\w+\.\w+\(", line[0]):
        problems.append(f"reported: {line}")
    left = [n for n, reason in skipped(report).items() if "was already loaded" in reason]
    if not any(n.startswith("java.io.FileInputStream.open") for n in left):
        problems.append(f"the file has {left[:5]}")
    yield "reported", problems


@program("native methods that are bound", quick=False)
def bound(r):
    """natives.list names the bindings that the JVM itself reports, with the library."""
    report = r.file("natives.json")
    if os.path.exists(report):
        os.remove(report)
    other = r.run("agent", [r.java, "-verbose:jni", r.with_agent(f"natives,natives.list=yes,natives.file={report}")]
                  + launch(r))
    said = re.findall(r"\[(?:Dynamic-linking native|Registering JNI native) method ([\w.$]+)\.([\w$]+)", other.stdout)
    said = {(c, re.sub(r"^(instr\$\w+\$)+", "", m)) for c, m in said}
    rows = load(report)["bound"] if os.path.exists(report) else []
    reported = {(b["class"], b["method"]): b for b in rows}
    # The JVM does not report a few that it binds while it starts.
    problems = [f"not listed: {'.'.join(m)}" for m in sorted(said - reported.keys())][:5]
    if not said or len(reported) < len(said):
        problems.append(f"{len(reported)} listed, the JVM tells of {len(said)}")
    for method, name in (("add", "libnative_calls.so"), ("registered", "libnative_calls.so")):
        row = reported.get(("NativeCalls", method), {})
        if os.path.basename(row.get("library") or "") != name:
            problems.append(f"NativeCalls.{method}: {row}")
    if not any(os.path.basename(b["library"] or "") == "libjava.so" for b in rows):
        problems.append("nothing is in libjava.so")
    times = [b["at_ns"] for b in rows]
    if times != sorted(times):
        problems.append("not in the order of their binding")
    if "libnative_calls.so  NativeCalls.add(int)" not in other.stderr:
        problems.append(f"table: {other.stderr[-500:]}")
    yield "listed", problems


@program("native methods, passes switched on and off", quick=False)
def switched(r):
    """Wrappers stay when passes are switched and when the agent is detached: retransformed classes get them again."""
    p = Waiting(r, r.with_agent("natives,timing,include=java.io.**:Waiting"))
    p.instr("attach")  # until it listens
    problems, report = [], r.file("natives.json")
    for words in (("disable", "natives"), ("disable", "timing"), ("enable", "calls"), ("enable", "natives"),
                  ("set", "include=java.io.**"), ("revert",), ("enable", "natives", "include=java.io.**", f"natives.file={report}")):
        done = p.instr(*words)
        if done.returncode != 0 or ": skipped: " in done.stdout + done.stderr:
            problems.append(f"{' '.join(words)}: {done.returncode}, {done.stdout!r}, {done.stderr!r}")
    p.round()
    gone = p.instr("detach")  # writes the file
    rows = {f"{m['class']}.{m['method']}": m["calls"] for m in load(report)["methods"]} if os.path.exists(report) else {}
    problems += [] if rows.get("java.io.FileInputStream.readBytes") else [f"counted: {rows}"]
    problems += [] if gone.returncode == 0 and "native methods were wrapped" in gone.stderr else [f"detach: {gone}"]
    problems += ["the socket is left"] if os.path.exists(control.path(p.pid)) else []
    for words in (("attach",), ("enable", "calls", "include=java.io.**"), ("detach",)):  # classes are retransformed, with wrappers
        done = p.instr(*words)
        problems += [] if done.returncode == 0 else [f"after detach, {words}: {done}"]
    yield "switched", problems + ended(p) + [s for s in p.stderr.splitlines() if ": skipped: " in s]
