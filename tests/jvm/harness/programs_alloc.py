"""What the pass alloc counts: held against what programs say that they allocate, and against the VM's own counts."""

import json
import re

from . import vm
from .programs import program

EXPECTED = re.compile(r"^\s*//= (\S+) (\S+) (\d+)$", re.M)


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def exact_shape(report):
    """Problems with the form of a report: other keys, other kinds, sums of sites that are not those of classes."""
    problems = []
    if list(report) != ["pass", "sites", "classes"]:
        problems.append(f"keys {list(report)}")
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
    """Problems with counts, of the methods for which the source says anything."""
    with open(source, encoding="utf-8") as f:
        expected = {(m, c): int(n) for m, c, n in EXPECTED.findall(f.read())}
    methods = {m for m, _ in expected}
    counted = {k: n[0] for k, n in by_method(report, "Allocations").items() if k[0] in methods}
    return [f"{m}: {counted.get((m, c), 0)} of {c}, expected {expected.get((m, c), 0)}"
            for m, c in sorted(expected.keys() | counted.keys()) if counted.get((m, c)) != expected.get((m, c))]


def as_the_vm(report, stdout):
    """Problems with bytes: of each section twice what the VM says of its second run."""
    counted, problems = by_method(report, "Allocations"), []
    for line in stdout.splitlines():
        name, said = line.split()
        if name == "caught":
            continue
        ours = sum(n[1] for k, n in counted.items() if k[0] == name)
        if ours != 2 * int(said) or ours == 0:
            problems.append(f"{name}: {ours} bytes of two runs, the VM says {said} of one")
    return problems


LAYOUTS = (("", []), ("wide references", ["-XX:-UseCompressedOops"]),
           ("aligned to 32", ["-XX:ObjectAlignmentInBytes=32"]))


@program("allocations by bytecode")
def by_bytecode(r):
    """Counts by class and site, and bytes as the VM has them, whatever its layout of objects; output as ever."""
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
            other = r.run("alloc", [r.java] + mode + flags + [r.with_agent("alloc,quiet=yes,alloc.file=" + path)] + args)
            problems = vm.compare(plain, other) if mode else []
            if other.status != 0:
                yield what, [other.tail()]
                continue
            report = load(path)
            problems += exact_shape(report) + as_expected(report, source)
            yield what, problems + (as_the_vm(report, other.stdout) if mode else [])
