"""instr report: tables and pages from results, well-formed and hostile ones. The page is tried in chromium if there is one."""

import html.parser
import json
import os
import re
import shutil
import subprocess
import unittest

from support import CliTest

TIMES = ("total_ns", "self_ns", "min_ns", "max_ns", "p50_ns", "p90_ns", "p99_ns")


def row(name, calls, *times, thrown=0, descriptor="(ILjava/lang/String;)V"):
    entry = {"class": name.rpartition(".")[0], "method": name.rpartition(".")[2],
             "descriptor": descriptor, "calls": calls, "thrown": thrown}
    return {**entry, **dict(zip(TIMES, times))}


TIMED = {"pass": "timing", "jvm": "A VM 17",
         "methods": [row("a.A.f", 3, 9000, 1000, 1, 2, 3, 4, 5), row("a.B.g", 70, 500, 400, 1, 2, 3, 4, 5, thrown=2),
                     row("a.C.h", 2, 20000, 5000, 1, 2, 3, 4, 5)],
         "skipped": [{"class": "a.Big", "method": "x()V", "reason": "would grow to 71,204 bytes"}]}
COUNTED = {"pass": "calls", "jvm": None, "methods": [row("a.A.f", 3), row("a.B.g", 70)], "skipped": []}
EVIL = "<script>alert('x')</script>\"&\u202e\n\x1b[2J\u0000"


class Table(CliTest):
    def report(self, content, *arguments, status=0, out=None, err=""):
        self.write("r.json", content if isinstance(content, (str, bytes)) else json.dumps(content))
        return self.expect(["report", "r.json", *arguments], status, out, err)

    def names(self, *arguments):
        return re.findall(r"a\.(\w)\.", self.report(TIMED, *arguments).stdout)

    def test_times_are_printed_by_self_time(self):
        self.report(TIMED, out=(
            "timing: 3 methods, 75 calls, 2 thrown, 6.40 us in total; 1 skipped\n"
            "  calls  thrown    total     self   min   p50   p90   p99   max  method\n"
            "      2       0  20.0 us  5.00 us  1 ns  3 ns  4 ns  5 ns  2 ns  a.C.h(int, String)\n"
            "      3       0  9.00 us  1.00 us  1 ns  3 ns  4 ns  5 ns  2 ns  a.A.f(int, String)\n"
            "     70       2   500 ns   400 ns  1 ns  3 ns  4 ns  5 ns  2 ns  a.B.g(int, String)\n"))

    def test_a_percentile_that_is_not_in_the_file_has_no_column(self):
        methods = [{k: v for k, v in m.items() if k != "p90_ns"} for m in TIMED["methods"]]
        content = {**TIMED, "methods": methods[:1], "skipped": []}
        self.report(content, "--html", "p.html")
        self.assertIn("  calls  thrown    total     self   min   p50   p99   max  method\n"
                      "      3       0  9.00 us  1.00 us  1 ns  3 ns  5 ns  2 ns  a.A.f(int, String)\n",
                      self.report(content).stdout)
        self.assertNotIn("p90", self.read("p.html"))
        self.assertEqual(self.read("p.html").count("<td"), 9)

    def test_a_page_in_shared_memory_is_replaced(self):
        """As everywhere: /dev/shm is no place of devices, and others may put links there."""
        page = f"/dev/shm/instr-test-{os.getpid()}.html"
        self.addCleanup(lambda: os.path.lexists(page) and os.unlink(page))
        sizes = []
        for _ in range(2):
            self.report(TIMED, "--html", page)
            sizes.append(os.path.getsize(page))
        self.assertEqual(sizes[0], sizes[1])
        if os.geteuid() != 0:
            return
        os.unlink(page)
        self.write("precious", "theirs")
        os.symlink(self.path("precious"), page)
        os.chown(page, 65534, 65534, follow_symlinks=False)
        self.report(TIMED, "--html", page, status=1, err=f"instr: {page}: a symbolic link of another user, or too many links\n")
        self.assertEqual(self.read("precious"), "theirs")

    def test_counts_are_printed_by_calls(self):
        self.report(COUNTED, out="calls: 2 methods, 73 calls, 0 thrown\n"
                                 "  calls  thrown  method\n"
                                 "     70       0  a.B.g(int, String)\n"
                                 "      3       0  a.A.f(int, String)\n")

    def test_order_and_number_of_rows_may_be_chosen(self):
        self.assertEqual(self.names("--sort", "calls"), ["B", "A", "C"])
        self.assertEqual(self.names("--sort=total"), ["C", "A", "B"])
        self.assertEqual(self.names("--sort=thrown", "--top=1"), ["B"])
        self.assertEqual(self.names("--top", "0"), [])

    def test_no_row_is_not_the_top_of_them(self):
        for content in TIMED, COUNTED:
            self.assertNotIn("the top", self.report(content, "--top", "0").stdout)

    def test_nothing_from_a_file_controls_the_terminal(self):
        printed = self.report({**COUNTED, "pass": EVIL, "methods": [
            row(EVIL + "." + EVIL, 1, descriptor="(L" + EVIL + ";)V")]}).stdout
        self.assertNotRegex(printed, "[\x00-\x09\x0b-\x1f\x7f\u202e]")

    def test_a_hostile_file_is_refused_in_one_line(self):
        good = json.dumps(TIMED)
        for content, reason in (
                ("", "line 1: "), ("{", "line 1: "), (good[:-5], "line 1: "), ("[" * 100000, "line 1: "),
                (b"\xff\xfe", "line 1: "), ("[]", 'not the result of a pass: "pass" is missing'),
                ("{}", 'not the result of a pass: "pass" is missing'),
                ('{"pass":1,"methods":[]}', 'not the result of a pass: "pass" is missing'),
                ('{"pass":"x","methods":{}}', 'not the result of a pass: "methods" is missing'),
                ('{"pass":"x","methods":[7]}', "methods[0] is not an object"),
                ('{"pass":"x","methods":[{}]}', 'methods[0]: "class" is missing'),
                ('{"pass":"x","methods":[{"class":7}]}', 'methods[0]: "class" is not a string'),
                (good.replace('"calls": 70', '"calls": -1'), 'methods[1]: "calls" is not a number from 0 up'),
                (good.replace('"calls": 70', '"calls": "70"'), 'methods[1]: "calls" is not a number from 0 up'),
                (good.replace('"calls": 70', '"calls": 1e300'), 'methods[1]: "calls" is not a number from 0 up'),
                (good.replace('"skipped": [', '"skipped": [null, '), "skipped[0] is not an object"),
                ('{"pass":"x","methods":[],"skipped":7}', '"skipped" is not a list')):
            done = self.report(content, status=1, out="", err=None)
            self.assertIn("instr: r.json: " + reason, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_odd_but_valid_files_are_read(self):
        self.report('{"pass":"x","methods":[]}', out="x: 0 methods, 0 calls, 0 thrown\n")
        self.report('{"more":[{}],"pass":"x","methods":[{"class":"A","method":"b","descriptor":"odd",'
                    '"calls":1.5e1,"new":null}]}',
                    out="x: 1 method, 15 calls, 0 thrown\n  calls  thrown  method\n     15       0  A.bodd\n")
        huge = {**TIMED, "methods": [row("a.A.f", 2**63 - 1, 2**63 - 1, 2**63 - 1), row("a.B.f", 2**63 - 1, 0, 2**63 - 1),
                                     row("a.C.f", 2**63 - 1, 0, 2**63 - 1)]}
        self.report(huge, out=None)

    def test_usage_is_printed(self):
        for arguments, line in (([], "expects one file"), (["a", "b"], "expects one file"),
                                (["--top", "x", "a"], "--top must be a number from 0 to 100000000, not 'x'"),
                                (["a", "--html"], "--html needs a value"), (["--htm=x", "a"], "unknown option '--htm=x'")):
            self.expect(["report", *arguments], 2, "", [line, "usage: instr report"])
        self.write("r.json", json.dumps(TIMED))
        self.expect(["report", "r.json", "--sort", "name"], 2, "",
                    ["--sort must be self, total, calls or thrown for r.json", "usage: instr report"])
        self.expect(["report", "none"], 1, "", "instr: none: No such file or directory\n")
        self.expect(["report", "."], 1, "", "instr: .: Is a directory\n")

    def test_standard_input_is_read(self):
        self.expect(["report", "-"], 0, ["calls: 2 methods"], "", input=json.dumps(COUNTED))


class Elements(html.parser.HTMLParser):
    """Which elements and attributes a page has, and its texts."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.texts = [], set(), []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data):
        self.texts.append(data)


class Page(CliTest):
    def page(self, content, *arguments):
        self.write("r.json", json.dumps(content))
        self.expect(["report", "r.json", "--html", "r.html", *arguments], 0, "", "")
        return self.read("r.html")

    def test_the_page_has_all_that_the_file_has(self):
        texts = Elements(self.page(TIMED)).texts
        for text in ("a.A.f(int, String)", "20.0 us", "A VM 17", "a.Big", "would grow to 71,204 bytes", "6.40 us"):
            self.assertIn(text, texts)
        self.assertNotIn("total", Elements(self.page(COUNTED)).texts)
        self.assertIn("The top 1 of 3 methods:", self.page(TIMED, "--top=1"))

    def test_the_page_needs_nothing_else(self):
        page = self.page(TIMED)
        self.assertNotRegex(page, r"https?:|//[a-z]|@import|url\(")
        self.assertFalse({"src", "href"} & Elements(page).attributes)

    def test_nothing_from_the_file_becomes_markup(self):
        plain = Elements(self.page({**TIMED, "methods": TIMED["methods"][:1]}))
        evil = Elements(self.page({"pass": EVIL, "jvm": EVIL, "methods": [
            {**TIMED["methods"][0], "class": EVIL, "method": EVIL, "descriptor": "(L" + EVIL + ";)V"}],
            "skipped": [{"class": EVIL, "method": EVIL, "reason": EVIL}]}))
        self.assertEqual(evil.tags, plain.tags)
        self.assertEqual(evil.attributes, plain.attributes)
        self.assertIn("<script>alert('x')</script>\"&???[2J", "".join(evil.texts).replace("\n", "?"))

    def test_a_rule_becomes_no_markup(self):
        tables = [{"table": EVIL, "key": EVIL, "reduction": "count", "count": 1}]
        evil = Elements(self.page({"pass": "rule1", "rule": EVIL, "tables": tables}))
        self.assertEqual(evil.tags, Elements(self.page({"pass": "rule1", "rule": "", "tables": tables})).tags)
        self.assertIn("<script>alert('x')</script>\"&???[2J", evil.texts)

    def test_a_page_that_cannot_be_written_is_reported(self):
        self.write("r.json", json.dumps(TIMED))
        self.expect(["report", "r.json", "--html", "/dev/full"], 1, "",
                    "instr: /dev/full: No space left on device\n")
        self.expect(["report", "r.json", "--html", "none/r.html"], 1, "",
                    "instr: none/r.html: No such file or directory\n")


CLICKS = """<script>
(function () {
  function names() {
    return Array.from(document.querySelectorAll('#rows tbody tr')).filter(r => !r.hidden)
        .map(r => r.cells[0].textContent[2]).join('');
  }
  var buttons = document.querySelectorAll('#rows th button'), seen = [names()];
  function click(i) { buttons[i].click(); seen.push(names()); }
  function find(text) {
    var box = document.getElementById('find');
    box.value = text;
    box.dispatchEvent(new Event('input'));
    seen.push(names() + ' ' + document.getElementById('shown').textContent);
  }
  click(1); click(1); click(3); click(4); click(4); click(0); find('b G'); find('');
  document.body.textContent = 'SEEN ' + seen.join(',') + ' END';
})();
</script></body>"""


@unittest.skipUnless(shutil.which("chromium"), "there is no chromium")
class Browser(CliTest):
    def test_columns_sort_and_methods_are_found(self):
        self.write("r.json", json.dumps(TIMED))
        self.expect(["report", "r.json", "--html", "r.html"], 0)
        page = self.write("clicked.html", self.read("r.html").replace("</body>", CLICKS))
        done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu",
                               f"--user-data-dir={self.path('profile')}", "--dump-dom", "file://" + page],
                              capture_output=True, text=True, timeout=120, check=False,
                              env={**os.environ, "HOME": self.folder})
        seen = re.search("SEEN (.*) END", done.stdout)
        self.assertTrue(seen, done.stdout[-2000:] + done.stderr[-2000:])
        self.assertEqual(seen.group(1),
                         "CAB,BAC,CAB,CAB,CAB,BAC,ABC,B 1 of 3 methods,ABC 3 of 3 methods")
