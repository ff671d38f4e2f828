"""instr report on results of the pass alloc: tables, and the flame graph, which is clicked in chromium if there is one."""

import json
import os
import re
import shutil
import subprocess
import unittest

from cli_report import EVIL, Elements
from support import CliTest


def site(name, where, line, count, size, **more):
    return {"class": name, "site_class": where.rpartition(".")[0], "site_method": where.rpartition(".")[2],
            "site_line": line, "count": count, "bytes": size, **more}


SITES = [site("int[]", "a.A.f", 7, 10, 160), site("a.B", "a.A.f", 7, 10, 240), site("int[]", "a.B.g", 0, 1, 4000),
         site("int[]", "a.A.f", 7, 2, 40)]
RESULT = {"pass": "alloc", "sites": SITES, "classes": []}


class Table(CliTest):
    def report(self, content, *arguments, status=0, out=None, err=""):
        self.write("r.json", content if isinstance(content, str) else json.dumps(content))
        return self.expect(["report", "r.json", *arguments], status, out, err)

    def test_sites_and_classes_are_printed_by_bytes(self):
        self.report(RESULT, out="alloc: 23 objects, 4,440 bytes, 2 classes, 3 sites\n"
                                "  bytes  objects  class  site\n"
                                "  4,000        1  int[]  a.B.g\n"
                                "    240       10  a.B  a.A.f:7\n"
                                "    200       12  int[]  a.A.f:7\n"
                                "  bytes  objects  class\n"
                                "  4,200       13  int[]\n"
                                "    240       10  a.B\n")
        self.report(RESULT, "--top", "1", out="alloc: 23 objects, 4,440 bytes, 2 classes, 3 sites; the top 1:\n"
                                              "  bytes  objects  class  site\n  4,000        1  int[]  a.B.g\n"
                                              "  bytes  objects  class\n  4,200       13  int[]\n")

    def test_one_object_is_not_several(self):
        self.report({**RESULT, "sites": [site("a.B", "a.A.f", 7, 1, 24, live_count=1, live_bytes=24)]},
                    out=["alloc: 1 object, 24 bytes, 1 class, 1 site; live: about 1 object, 24 bytes\n"])

    def test_live_objects_are_printed_if_they_are_known(self):
        self.report({**RESULT, "sites": [site("a.B", "a.A.f", 7, 10, 240, live_count=3, live_bytes=72)]},
                    out="alloc: 10 objects, 240 bytes, 1 class, 1 site; live: about 3 objects, 72 bytes\n"
                        "  bytes  objects  live  objects  class  site\n"
                        "    240       10    72        3  a.B  a.A.f:7\n"
                        "  bytes  objects  live  objects  class\n"
                        "    240       10    72        3  a.B\n")

    def test_a_hostile_file_is_refused_in_one_line(self):
        for content, reason in (
                ('{"pass":"alloc","sites":[7]}', "sites[0] is not an object"),
                ('{"pass":"alloc","sites":[{}]}', 'sites[0]: "class" is missing'),
                (json.dumps(RESULT).replace('"count": 1,', '"count": -1,'), 'sites[2]: "count" is not a number from 0 up'),
                (json.dumps(RESULT).replace('"bytes": 40}', '"bytes": "40"}'), 'sites[3]: "bytes" is not a number from 0 up'),
                ('{"pass":"alloc","sites":[],"stacks":7}', '"stacks" is not a list'),
                ('{"pass":"alloc","sites":[],"stacks":[7]}', "stacks[0] is not an object"),
                ('{"pass":"alloc","sites":[],"stacks":[{}]}', 'stacks[0]: "frames" is not a list'),
                ('{"pass":"alloc","sites":[],"frames":["a"],"stacks":[{"frames":[1]}]}', 'stacks[0]: "frames" is not a list of known frames'),
                ('{"pass":"alloc","sites":[],"frames":["a"],"stacks":[{"frames":[0],"count":-1}]}', 'stacks[0]: "count"'),
                ('{"pass":7,"sites":[]}', 'not the result of a pass: "pass" is missing')):
            done = self.report(content, status=1, out="", err=None)
            self.assertIn("instr: r.json: " + reason, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        self.report({**RESULT, "sites": [site("x", "a.f", 2**60, 2**63 - 1, 2**63 - 1)] * 4},
                    out=["18,446,744,073,709,551,615 bytes"])
        self.report(RESULT, "--sort", "calls", status=2, out="", err=["--sort must be bytes for r.json"])

    def test_nothing_from_a_file_controls_the_terminal(self):
        printed = self.report({"pass": EVIL, "sites": [site(EVIL, EVIL + "." + EVIL, 1, 1, 1)]}).stdout
        self.assertNotRegex(printed, "[\x00-\x09\x0b-\x1f\x7f\u202e]")


CLICKS = """<script>
(function () {
  var seen = [];
  function boxes() { return Array.from(document.querySelectorAll('#graph div')); }
  function look() {
    seen.push(boxes().map(b => b.textContent + (b.classList.contains('hit') ? '!' : '') +
                               (b.classList.contains('above') ? '^' : '') + Math.round(parseFloat(b.style.width))).join(' '));
  }
  function click(name) { boxes().filter(b => b.textContent === name)[0].click(); look(); }
  function find(text) {
    var box = document.getElementById('find');
    box.value = text;
    box.dispatchEvent(new Event('input'));
    look();
    seen.push(document.getElementById('found').textContent);
  }
  look(); click('a.A'); seen.push(document.getElementById('detail').textContent); click('f:7'); click('all');
  find('INT'); find('a.a'); document.getElementById('reset').click(); look();
  document.body.textContent = 'SEEN ' + seen.join('|') + ' END';
})();
</script></body>"""


class Page(CliTest):
    def page(self, content):
        self.write("r.json", json.dumps(content))
        self.expect(["report", "r.json", "--html", "r.html"], 0, "", "")
        return self.read("r.html")

    def test_the_page_needs_nothing_else(self):
        page = self.page(RESULT)
        self.assertNotRegex(page, r"https?:|//[a-z]|@import|url\(")
        self.assertFalse({"src", "href"} & Elements(page).attributes)

    def test_nothing_from_the_file_becomes_markup(self):
        plain, evil = (Elements(self.page({"pass": "alloc", "sites": [site(name, name + "." + name, 1, 1, 1)]}))
                       for name in ("a", "</script>" + EVIL + "]]>-->"))
        self.assertEqual(evil.tags, plain.tags)
        self.assertEqual(evil.attributes, plain.attributes)

    def test_sampled_stacks_are_the_graph(self):
        page = self.page({**RESULT, "sampled": True, "frames": ["a.Outer.f", "a.Inner.g", "int[]"],
                          "stacks": [{"frames": [0, 1, 2], "count": 1, "bytes": 4096}]})
        self.assertIn('"a.Outer.f","a.Inner.g","int[]"]', page)
        self.assertNotIn('"a.A"', page)

    @unittest.skipUnless(shutil.which("chromium"), "there is no chromium")
    def test_the_graph_zooms_and_finds(self):
        page = self.page({**RESULT, "sites": SITES[:2] + [site("int[]", "a.B.g", 0, 1, 600)]})
        path = self.write("clicked.html", page.replace("</body>", CLICKS))
        done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu",
                               f"--user-data-dir={self.path('profile')}", "--dump-dom", "file://" + path],
                              capture_output=True, text=True, timeout=120, check=False,
                              env={**os.environ, "HOME": self.folder})
        seen = re.search("SEEN (.*) END", done.stdout)
        self.assertTrue(seen, done.stdout[-2000:] + done.stderr[-2000:])
        self.assertEqual(seen.group(1).split("|"), [
            "all100 a.A40 f:740 int[]16 a.B24 a.B60 g60 int[]60",
            "all^100 a.A100 f:7100 int[]40 a.B60",
            "a.A: 400 bytes (40.00 %), 20 objects",
            "all^100 a.A^100 f:7100 int[]40 a.B60",
            "all100 a.A40 f:740 int[]16 a.B24 a.B60 g60 int[]60",
            "all100 a.A40 f:740 int[]!16 a.B24 a.B60 g60 int[]!60",
            "760 bytes (76.00 %) match",
            "all100 a.A!40 f:740 int[]16 a.B24 a.B60 g60 int[]60",
            "400 bytes (40.00 %) match",
            "all100 a.A40 f:740 int[]16 a.B24 a.B60 g60 int[]60"])
