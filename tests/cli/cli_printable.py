"""Results, rules, kits, answers of plug-ins and classes, from processes that pose as a JVM and from files: no text in them controls the terminal."""

import json
import os
import struct
import sys
import zipfile

from cli_hostile import EVIL, Poser, deceptive
from support import TOP, class_file, utf8

sys.path.append(os.path.join(TOP, "tests", "coverage"))
from execfile import HEADER, probes, session  # noqa: E402

METHOD = {"class": EVIL, "method": EVIL, "descriptor": EVIL}
SITE = {"class": EVIL, "site_class": EVIL, "site_method": EVIL, "site_line": 7, "count": 3, "bytes": 48}
CAUGHT = {"caught_class": EVIL, "caught_method": EVIL, "first_stack": [EVIL, EVIL]}
REDUCTIONS = "count", "sum", "min", "max", "last", "avg", "hist", EVIL
# Each kind of result, with every text that it can have.
RESULTS = {
    "methods": {"pass": EVIL, "jvm": EVIL, "methods": [{**METHOD, "calls": 3, "thrown": 1, "total_ns": 9, "self_ns": 9},
                                                       {**METHOD, "descriptor": f"(L{EVIL};)V", "calls": 2, "timed": False}],
                "skipped": [{"class": EVIL, "method": EVIL, "reason": EVIL}]},
    "sites": {"pass": EVIL, "sites": [SITE, {**SITE, "live_count": 1, "live_bytes": 16}], "sampled": True, "frames": [EVIL],
              "stacks": [{"frames": [0, 0], "count": 1, "bytes": 16}]},
    "exceptions": {"pass": EVIL, "exceptions": [SITE, {**SITE, **CAUGHT}, {**SITE, **CAUGHT, "caught_method": None}]},
    "counters": {"pass": EVIL, "counters": [{**METHOD, "counter": EVIL, "line": 3, "unit": unit, "count": 3} for unit in (None, "ns", EVIL)],
                 "lines": [EVIL, EVIL]},
    "tables": {"pass": EVIL, "rule": EVIL, "matched": True, "tables": [
        {"table": EVIL, "key": key, "reduction": reduction, "unit": unit, "metric": key is None, "count": 3, "sum": 5}
        for reduction in REDUCTIONS for key in (EVIL, None) for unit in (None, "ns", EVIL)]},
}
PLACE = {"loader": EVIL, "failure": EVIL, "failures": 3, "off": True}
ADVICE = {"advice": EVIL, "targets": [EVIL, EVIL], "class_count": 1, "method_count": 12, "methods": [EVIL] * 12, "refusal": EVIL, "loaders": [PLACE]}
KIT = {"kit": EVIL, "path": EVIL, "by": EVIL, "hash": EVIL, "ends_in_ns": 7, "advices": [ADVICE]}


def advice(name, pattern):
    """A class with @Advice of this pattern."""
    head, code, rest = class_file(name).partition(utf8("Code"))
    pool = utf8("RuntimeVisibleAnnotations") + utf8("Linstr/kit/Advice;") + utf8("value") + utf8(pattern)
    annotation = struct.pack(">HHHHBH", 1, 9, 1, 10, ord("s"), 11)
    attributes = struct.pack(">HHI", 1, 8, len(annotation)) + annotation
    return head[:8] + struct.pack(">H", 12) + head[10:] + code + pool + rest[:-2] + attributes


class Printable(Poser):
    def shows(self, *words, evil=True):
        """Runs the tool. What it prints has nothing that a terminal obeys, and has the text."""
        _, out, err, _ = self.ends(*words)
        self.assertEqual(deceptive(out + err), [], f"{words}: {out + err!r}")
        self.assertEqual("EVIL" in out, evil, f"{words}: {out + err!r}")
        return out

    def answers(self, answer, **files):
        """A process that gives this answer to every command."""
        return self.pose("answers", answer=json.dumps(answer, ensure_ascii=False), **files)


class Answers(Printable):
    def test_results_of_every_kind(self):
        pid = self.answers({})
        for kind, result in RESULTS.items():
            # The status has the passes; the same document is their results.
            state = {"passes": ["calls"], "enabled": [{"pass": "calls", "kind": "rule"}], "by": EVIL}
            self.write("answers/answer", json.dumps({**state, **result}, ensure_ascii=False))
            for words in (["report", pid, "calls"], ["report", pid], ["report", pid, "--all"], ["report", pid, "--json"], ["rules", pid],
                          ["report", pid, "calls", "--html", "-"]):
                with self.subTest(kind=kind, words=words):
                    self.shows(*words)

    def test_results_that_cannot_be_shown(self):
        for answer in ({"pass": EVIL}, {"pass": EVIL, "methods": [{"class": 3}]}, {"passes": [EVIL, EVIL], "enabled": [{"pass": EVIL, "by": EVIL}]},
                       {"passes": [], "switched_off": {"pass": EVIL, "reason": EVIL, "ago_ns": 3},
                        "switched_off_before": [{"pass": EVIL, "by": EVIL, "reason": EVIL}, EVIL]}):
            pid = self.answers(answer)
            for words in ["report", pid], ["report", pid, "calls"], ["report", pid, "--html", "page.html"], ["rules", pid]:
                self.shows(*words, evil=False)
            os.rename(self.path("answers"), self.path(f"answers{pid}"))

    def test_the_coverage_of_a_jvm(self):
        pid = self.pose("bytes", **{"bytes": HEADER + session(EVIL) + probes(1, EVIL, "10")})
        self.shows("report", pid, "coverage")

    def test_rules(self):
        pid = self.answers({"passes": ["rule1"], "enabled": [{"pass": "a", "kind": "rule", "by": EVIL}], "state": EVIL, "refusals": [EVIL],
                            "refused": 9, "remarks": [EVIL], "classes": 3, "file": EVIL})
        self.assertIn("rule1", self.shows("rule", pid, "com.acme.Shop.order(..) entry { @n = count() }", evil=False))
        for words in ["--drop", "a"], ["--extend", "5m", "a"], ["--drop", "none"]:
            self.shows("rule", pid, *words, evil=False)

    def test_kits(self):
        pid = self.answers({"kits": [KIT, {**KIT, "kit": "acme", "hash": "1"}], "passes": ["acme"]})
        for words in ["kits", pid], ["kits", pid, "--json"], ["kit", "reload", pid]:
            self.shows(*words)
        for words in ["kit", "reload", pid, "acme"], ["kit", "drop", pid, "acme"], ["kit", "drop", pid, "none"]:
            self.shows(*words, evil=words[-1] == "acme" and words[1] == "reload")

    def test_plugins(self):
        pid = self.answers({"answer": [EVIL, EVIL]})
        self.assertEqual(self.shows("plugin", pid, "sql", "top").count("\n"), 2)
        self.shows("plugin", pid, "sql", "top", "--json")

    def test_classes(self):
        pid = self.pose("bytes", **{"bytes": class_file(EVIL, line=3)})
        self.assertIn("\\u001b]0;owned", self.shows("show", pid, "Foo"))
        self.shows("show", pid, "Foo", "--json")
        self.write("bytes/bytes", EVIL)
        self.shows("show", pid, "Foo", evil=False)


class Files(Printable):
    def test_results_of_every_kind(self):
        for kind, result in RESULTS.items():
            self.write("r.json", json.dumps(result, ensure_ascii=False))
            with self.subTest(kind=kind):
                self.shows("report", "r.json")
                self.shows("report", "r.json", "--html", "-")

    def test_names_of_files(self):
        self.write(EVIL + ".json", "{")
        self.write(EVIL + ".jar", b"PK")
        for words in (["report", EVIL + ".json"], ["show", EVIL + ".json"], ["show", EVIL + ".jar"], ["show", EVIL + ".jar!Foo"],
                      ["kit", "check", EVIL + ".jar"], ["kit", "check", EVIL], ["check", EVIL + ".jar"]):
            _, out, err, _ = self.ends(*words)
            self.assertIn("EVIL", out + err)
            self.assertEqual(deceptive(out + err), [], words)

    def test_classes(self):
        self.write("Foo.class", class_file(EVIL, line=3))
        self.shows("show", "Foo.class")
        for end in 30, 60, 100:  # the rest is missing
            self.write("Foo.class", class_file(EVIL, line=3)[:end])
            self.ends("show", "Foo.class")
            self.assertEqual(deceptive("".join(self.ends("show", "Foo.class")[1:3])), [])

    def test_kits(self):
        with zipfile.ZipFile(self.path("kit.jar"), "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\nInstr-Kit: {EVIL}\n")
            jar.writestr(EVIL + ".class", advice(EVIL, EVIL))
            jar.writestr("a/Foo.class", class_file(EVIL)[:60])
        _, out, err, _ = self.ends("kit", "check", "kit.jar")
        self.assertIn("EVIL", out + err)
        self.assertEqual(deceptive(out + err), [])
