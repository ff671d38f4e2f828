"""instr report of what the pass exceptions wrote: the table, the page, and malformed files."""

import json
import re

from support import CliTest

ROWS = [
    {"class": "a.Bad", "site_class": "a.A", "site_method": "f", "site_line": 12, "count": 1234, "caught_class": "a.B",
     "caught_method": "g", "first_stack": ["a.A.f(A.java:12)", "a.B.g(B.java:3)"]},
    {"class": "a.Worse", "site_class": "a.A", "site_method": "h", "site_line": 0, "count": 5, "caught_class": None,
     "caught_method": None, "first_stack": []},
    {"class": "a.Bad", "site_class": "a.A", "site_method": "f", "site_line": 12, "count": 7, "caught_class": "(not instrumented)",
     "caught_method": None, "first_stack": []}]


class Exceptions(CliTest):
    def report(self, rows, *arguments, status=0, out=None, err=""):
        self.write("e.json", json.dumps({"pass": "exceptions", "exceptions": rows}))
        return self.expect(["report", "e.json", *arguments], status, out, err)

    def test_the_table(self):
        self.report(ROWS, out=(
            "exceptions: 1,246 thrown, 1,234 caught, 5 left their threads, 7 ended in code that is not instrumented\n"
            "  count  exception, thrown at, caught in\n"
            "  1,234  a.Bad\n           at a.A.f:12\n           in a.B.g\n"
            "      7  a.Bad\n           at a.A.f:12\n           ended in code that is not instrumented\n"
            "      5  a.Worse\n           at a.A.h\n           left its thread\n"))

    def test_the_first_rows(self):
        printed = self.report(ROWS, "--top", "1").stdout
        self.assertIn("; the top 1 of 3:\n", printed)
        self.assertEqual(printed.count("\n"), 5)
        self.assertNotIn("the top", self.report(ROWS, "--top", "0").stdout)

    def test_the_page_has_all_and_runs_nothing_from_the_file(self):
        rows = ROWS + [{**ROWS[0], "class": "<script>x</script>", "first_stack": ["<b>"]}]
        page = self.report(rows, "--html", "-").stdout
        self.report(rows, "--sort", "name", status=2, out="", err=["--sort must be count for e.json"])
        self.assertEqual(len(re.findall("<tr><td>", page)), 4)
        self.assertEqual(len(re.findall("<details>", page)), 2)
        self.assertNotIn("<script>x", page)
        self.assertNotIn("<b>", page)

    def test_a_malformed_file_is_refused_in_one_line(self):
        for row, reason in (({}, '"class" is missing'), ({**ROWS[0], "count": -1}, '"count" is not a number from 0 up'),
                            ({**ROWS[0], "first_stack": [1]}, '"first_stack" is not a list of strings'),
                            ({**ROWS[0], "caught_class": 3}, '"caught_class" is not a string')):
            self.report([ROWS[0], row], status=1, out="", err=f"instr: e.json: exceptions[1]: {reason}\n")
        self.write("e.json", '{"pass": "exceptions", "exceptions": 3}')
        self.expect(["report", "e.json"], 1, "", 'instr: e.json: not the result of a pass: "methods" is missing\n')
