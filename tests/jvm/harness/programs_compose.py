"""Passes together: all pairs in both orders, and all at once. The program does the same, and each pass reports the same as alone.

The passes are those of the table (rewriters/rewriters.h): a pass that is added there is tested here.
"""

import itertools
import json
import os
import re
import subprocess

from . import vm
from .programs import Skip, program, same_files, sources_for_compilers

TABLE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "rewriters", "rewriters.h")
with open(TABLE, encoding="utf-8") as f:
    # watch has no results to compare; tests/production tests it.
    PASSES = [p for p in re.findall(r"^    PASS\((\w+)\)", f.read(), re.M) if p != "watch"]
assert len(PASSES) >= 4

CASES = ["Exceptions", "Constructors"]
# These have no native methods.
MAY_TELL_NOTHING = {"natives"}
# Not compared: times, stacks, and values that depend on them.
TIMED = re.compile(r"_ns$|^(jvm|first_stack|skipped)$")


def figures(r, path, ours):
    """The report of a pass about the program's own classes, without times, as lines to compare."""
    if path.endswith(".exec"):
        printed = subprocess.run([r.cli, "report", path, "--top", "100000"], capture_output=True, text=True, timeout=60)
        assert printed.returncode == 0, printed.stderr
        return {line for line in printed.stdout.splitlines() if ours.replace("/", ".") in line}
    with open(path, encoding="utf-8") as f:
        report = json.load(f)
    rows = set()
    for name, value in report.items():
        if isinstance(value, list) and not TIMED.search(name):
            for row in value:
                kept = {k: v for k, v in row.items() if not TIMED.search(k)}
                place = str(row.get("site_class", row.get("class", "")))
                if re.match(r"(java\.lang\.Instr|instr\.runtime\.)", place.replace("/", ".")):
                    rows.add(f"the runtime tells of itself: {json.dumps(kept, sort_keys=True)}")
                if place.replace(".", "/").startswith(ours):
                    rows.add(name + " " + json.dumps(kept, sort_keys=True))
    return rows


def suffix(name):
    return ".exec" if name == "coverage" else ".json"


def options(r, passes, folder):
    """The agent's options, and the output file of each pass."""
    files = {p: r.file(folder, p + suffix(p)) for p in passes}
    os.makedirs(r.file(folder), exist_ok=True)
    for path in files.values():
        if os.path.exists(path):
            os.remove(path)
    return r.with_agent(",".join([*passes, *(f"{p}.file={path}" for p, path in files.items()), "quiet=yes", "huge=yes"])), files


def differences(found, alone, name):
    lines = [f"{name}: {'more' if line in found else 'less'} than alone: {line[:300]}" for line in sorted(found ^ alone)]
    return lines[:3]


def together():
    yield from itertools.permutations(PASSES, 2)
    yield tuple(PASSES)
    yield tuple(reversed(PASSES))


@program("passes in pairs and all at once", quick=False)
def compose(r):
    """Programs for which each pass reports the same every time."""
    for name in CASES:
        case, _ = r.expectations(name)
        launch, ours = r.built.launch(case), "cases/" + name
        plain = r.run("plain", [r.java] + launch)
        alone, problems = {}, []
        for p in PASSES:
            agent, files = options(r, [p], "alone")
            problems += vm.compare(plain, r.run("run", [r.java] + r.verify + [agent] + launch), may_skip=case.skipped)
            alone[p] = figures(r, files[p], ours)
            problems += [] if alone[p] or p in MAY_TELL_NOTHING else [f"{p} alone tells nothing of {ours}"]
        yield f"{name}, each alone", problems
        for passes in together():
            agent, files = options(r, passes, "together")
            problems = vm.compare(plain, r.run("run", [r.java] + r.verify + [agent] + launch), may_skip=case.skipped)
            for p in passes:
                problems += differences(figures(r, files[p], ours), alone[p], p)
            yield f"{name}, {','.join(passes)}", problems


@program("javac under passes in pairs and all at once", needs=["javac"])
def compose_javac(r):
    """The compiler's output is the same bytes."""
    sources = sources_for_compilers(r.file("made"), 1 if r.quick else 2)

    def go(name, *agent):
        os.makedirs(r.file(name + ".out"))
        return r.run(name, [r.jdk.tool("javac")] + ["-J" + a for a in list(agent) + (r.verify if agent else [])] +
                     ["-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", r.file(name + ".out")] + sources)

    plain = go("plain")
    yield "plain", [] if plain.status == 0 else [plain.tail()]
    everything = [tuple(PASSES), tuple(reversed(PASSES))]  # pairs on one JDK only: they take minutes
    for passes in everything[:1] if r.quick else together() if r.jdk.version == r.built.compiler.version else everything:
        name = "+".join(passes)
        agent, _ = options(r, passes, "javac")
        other = go(name, agent.replace("huge=yes", "huge=no"))
        yield name, vm.compare(plain, other, may_skip=True) + same_files(r.file("plain.out"), r.file(name + ".out"))


@program("a pass with a report of its own")
def own_report(r):
    """Two rows and its own files make it known (tests/stress/demo): the agent prints and writes its result, the tool reads it."""
    folder = os.path.join(os.path.dirname(os.path.dirname(r.agent)), "tests")
    agent, tool = os.path.join(folder, "libinstr_stress.so"), os.path.join(folder, "instr_stress_cli")
    if not os.path.isfile(agent) or not os.path.isfile(tool):
        raise Skip("libinstr_stress.so or instr_stress_cli is not built")
    path, calls = r.file("demo.json"), r.file("calls.json")
    done = r.run("demo", [r.java, f"-agentpath:{agent}=demo,calls,demo.file={path},calls.file={calls},include=Hello"] + r.hello())
    with open(path, encoding="utf-8") as f:
        result = json.load(f)
    with open(calls, encoding="utf-8") as f:
        entries = sum(m["calls"] for m in json.load(f)["methods"])
    expected = {"pass": "demo", "entered": [{"class": "Hello", "entries": entries}]}
    yield "its file", [] if result == expected and entries > 0 else [f"{result}, {entries} calls"]
    table = f"demo: 1 classes\n  {entries:>9,}  Hello\n"
    yield "its table", [] if table in done.stderr else [done.stderr]
    printed = subprocess.run([tool, "report", path], capture_output=True, text=True, timeout=60)
    yield "read back", [] if (printed.stdout, printed.stderr) == (table, "") else [f"{printed}"]
    page = subprocess.run([tool, "report", path, "--html", "-"], capture_output=True, text=True, timeout=60).stdout
    yield "its page", [] if f'<tr><td>Hello</td><td data-v="{entries}">{entries:,}</td></tr>' in page else [page[-1000:]]
    other = subprocess.run([r.cli, "report", path], capture_output=True, text=True, timeout=60)
    yield "without the rows", [] if other.returncode == 1 and "not the result of a pass" in other.stderr else [f"{other}"]
