"""Reads the expectations of a case from the lines `//= ...` of its sources, and compares reports with them.

    //= METHOD CALLS THROWN [open] [or skipped] [KEY>=NUMBER] [KEY<=NUMBER] ...
    //= METHOD skipped
    //=TAG ...                       counts only for the table's entries with that tag

METHOD is name and descriptor, with the class before it: `f(I)V` in the main class, `$Inner.f(I)V` in a nested class,
`Other.f(I)V` in another class of the main class's package, `a/b/C.f(I)V` in any class. `*` stands for any text, and a name
may be a JSON string. CALLS and THROWN are `N`, `N..M`, `>=N` or `*`. `open`: the method still runs at the end, so its
times say nothing. `skipped`: the method must be skipped, with a reason.
"""

import glob
import json
import re

LINE = re.compile(r'^\s*//=(\w*) ("(?:[^"\\]|\\.)*"|\S+) (.+?)\s*$')
HISTOGRAM_ERROR = 0.02
TICK = 1e6  # estimated self time is whole ticks: nanoseconds

# classes that implement lambdas: visible to agents before JDK 15
OF_THE_VM = re.compile(r"\$\$Lambda\$\d+[./]")


class Range:
    def __init__(self, text):
        self.text = text
        if text == "*":
            self.low, self.high = 0, float("inf")
        elif text.startswith(">="):
            self.low, self.high = int(text[2:]), float("inf")
        elif ".." in text:
            self.low, self.high = (int(x) for x in text.split(".."))
        else:
            self.low = self.high = int(text)

    def __contains__(self, n):
        return self.low <= n <= self.high

    def __str__(self):
        return self.text


class Expectation:
    def __init__(self, main, name, rest):
        if name.startswith('"'):
            name = json.loads(name)
        dot = name.rfind(".", 0, name.index("(") if "(" in name else len(name))
        cls, method = (name[:dot], name[dot + 1:]) if dot >= 0 else ("", name)
        package = main.rpartition("/")[0]
        if cls == "":
            cls = main
        elif cls.startswith("$"):
            cls = main + cls
        elif "/" not in cls:
            cls = package + "/" + cls
        self.text = cls + "." + method
        self.matcher = re.compile(re.escape(self.text).replace(r"\*", ".*"), re.S)
        words = rest.split()
        self.skipped = words == ["skipped"]
        self.or_skipped = words[-2:] == ["or", "skipped"]
        if self.or_skipped:
            words = words[:-2]
        self.calls = Range("0" if self.skipped else words[0])
        self.thrown = Range("0" if self.skipped else words[1])
        self.open = "open" in words
        self.limits = []
        for word in words[2:]:
            if word != "open":
                key, op, number = re.fullmatch(r"(\w+)(>=|<=)(\S+)", word).groups()
                self.limits.append((key, op, float(number)))


def read(main, sources, tag=""):
    """The expectations in `sources` (paths, globs) for the main class, given as a/b/C."""
    found = []
    for pattern in sources:
        for path in sorted(glob.glob(pattern, recursive=True)):
            with open(path, encoding="utf-8") as f:
                for line in f:
                    match = LINE.match(line)
                    if match and match.group(1) in ("", tag):
                        found.append(Expectation(main, match.group(2), match.group(3)))
    return found


def load(path):
    """Loads a report file; returns class names with slashes in any case."""
    with open(path, encoding="utf-8") as f:
        report = json.load(f)
    for row in report.get("methods", []) + report.get("skipped", []):
        row["class"] = row["class"].replace(".", "/") if "/" not in row["class"] else row["class"]
    return report


def check(report, expectations, main, reference=False):
    """Problems of one report, as lines."""
    problems = []
    package = main.rpartition("/")[0] + "/"
    if not any(e.text == main + ".main([Ljava/lang/String;)V" for e in expectations):
        expectations = expectations + [Expectation(main, "main([Ljava/lang/String;)V", "1 0")]
    rows = [(r["class"] + "." + r["method"] + r["descriptor"], r) for r in report["methods"]]
    covered = set()
    for e in expectations:
        mine = [(name, row) for name, row in rows if e.matcher.fullmatch(name)]
        covered.update(name for name, _ in mine)
        calls, thrown = (sum(row[k] for _, row in mine) for k in ("calls", "thrown"))
        if reference and (e.skipped or (e.or_skipped and not mine)):
            continue
        reason = skipped_reason(report, e)
        if (e.skipped or (e.or_skipped and calls == 0)) and report["pass"] == "timing" and reason is None:
            problems.append(f"{short(e.text)}: skipped, but \"skipped\" has no reason")
        if e.or_skipped and calls == 0:
            continue
        if reason is not None and not e.skipped:
            problems.append(f"{short(e.text)}: skipped: {reason}")
        if calls not in e.calls:
            problems.append(f"{short(e.text)}: {calls} calls, expected {e.calls}")
        if thrown not in e.thrown and not (reference and e.open):
            problems.append(f"{short(e.text)}: {thrown} thrown, expected {e.thrown}")
        if report["pass"] == "timing" and not e.open:
            for name, row in mine:
                problems += times(name, row)
                for key, op, number in e.limits:
                    if key == "self_ns" and row.get("estimated"):
                        number += 2 * TICK if op == "<=" else -2 * TICK
                    if not (row[key] >= number if op == ">=" else row[key] <= number):
                        problems.append(f"{short(name)}: {key} is {row[key]}, expected {op} {number:.0f}")
    for name, row in rows:
        if row["class"].startswith(package) and row["calls"] > 0 and name not in covered \
                and not name.startswith((main + ".lambda$main$", package + "$Proxy")) and not OF_THE_VM.search(name):
            problems.append(f"{short(name)}: {row['calls']} calls, {row['thrown']} thrown, which nobody expected")
    return problems


def skipped_reason(report, e):
    """The reason in the report why the method, or its whole class, was skipped; None if there is none."""
    for row in report.get("skipped", []):
        method = row.get("method") or ""
        full = row["class"] + "." + method
        if e.matcher.fullmatch(full) or e.matcher.fullmatch(full + row.get("descriptor", "")) \
                or ("(" not in method and method and e.text.startswith(full + "(")) \
                or (method in ("", "*") and e.text.startswith(row["class"] + ".")):
            return row["reason"] or None
    return None


def times(name, row):
    """Checks relations between the times of any method that has ended as often as it was called."""
    if row["calls"] == 0:
        return []
    rules = {
        "thrown <= calls": row["thrown"] <= row["calls"],
        "min <= max": row["min_ns"] <= row["max_ns"],
        "min <= p50": row["min_ns"] <= row["p50_ns"],
        "p50 <= p99": row["p50_ns"] <= row["p99_ns"],
        "p99 <= max": row["p99_ns"] <= row["max_ns"],
        "self <= total": row["self_ns"] <= row["total_ns"],
        "max <= total": row["max_ns"] <= row["total_ns"],
        "total <= calls * max": row["total_ns"] <= row["calls"] * row["max_ns"],
    }
    if row["calls"] == 1:
        rules["one call: total = min = max"] = row["total_ns"] == row["min_ns"] == row["max_ns"]
        rules["one call: p50 near max"] = abs(row["p50_ns"] - row["max_ns"]) <= row["max_ns"] * HISTOGRAM_ERROR + 1
    return [f"{short(name)}: not {rule}: {row}" for rule, ok in rules.items() if not ok]


def short(name):
    return name if len(name) <= 160 else name[:120] + "..." + name[-30:]
