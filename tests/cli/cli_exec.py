"""instr coverage, and instr report on .exec files: well-formed and hostile files, written here from the description of the
format; tests/coverage has files of JaCoCo itself."""

import json
import os
import re
import resource
import shlex
import shutil
import subprocess

import sys
import xml.etree.ElementTree

from support import TOP, CliTest, class_file, slow

sys.path.append(os.path.join(TOP, "tests", "coverage"))
from execfile import HEADER, parse, probes, session, utf  # noqa: E402

FOO, BAR, BAZ = 0x0123456789ABCDEF, 0x2222222222222222, 0xFFFFFFFFFFFFFFFF
A = HEADER + session("one") + probes(FOO, "com/acme/Foo", "1010000000") + probes(BAR, "com/acme/Bar", "11")
B = HEADER + session("two") + probes(FOO, "com/acme/Foo", "0110000001") + probes(BAZ, "Baz", "1" * 300)
EVIL = "<script>alert('x')</script>\u202e\n\x1b[2J"


class ExecTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write("a.exec", A)
        self.write("b.exec", B)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()


class OldName(ExecTest):
    def test_exec_is_the_old_name_of_coverage(self):
        for words in (["info", "a.exec"], ["info", "--json", "a.exec"], ["diff", "a.exec", "b.exec"], ["no"], [], ["--help"]):
            done, old = (self.run_tool(name, *words) for name in ("coverage", "exec"))
            self.assertEqual((old.returncode, old.stdout, old.stderr), (done.returncode, done.stdout, done.stderr))
        for words in ([], ["diff"]):
            self.assertEqual(self.run_tool("help", "exec", *words).stdout, self.expect(["help", "coverage", *words], 0).stdout)


class Info(ExecTest):
    def test_sessions_classes_probes_and_the_share_covered(self):
        self.expect(["coverage", "info", "a.exec"], 0,
                    "a.exec: 1 session, 2 classes, 12 probes, 4 hit (33.3 %)\n"
                    "  started (UTC)        written              session\n"
                    "  2001-09-09 01:46:40  2001-09-09 01:47:40  one\n", "")

    def test_several_files_are_added_up(self):
        done = self.expect(["coverage", "info", "a.exec", "b.exec"], 0, err="")
        self.assertIn("2 files: 2 sessions, 3 classes, 312 probes, 306 hit (98.1 %)\n", done.stdout)

    def test_concatenated_files_are_one(self):
        self.write("ab.exec", A + B)
        done = self.expect(["coverage", "info", "--top=1", "ab.exec"], 0, err="")
        self.assertIn("ab.exec: 2 sessions, 3 classes, 312 probes, 306 hit (98.1 %)\n", done.stdout)
        self.assertIn("  and 1 more\n", done.stdout)

    def test_json_has_everything(self):
        done = self.expect(["coverage", "info", "--json", "a.exec", "b.exec"], 0, err="")
        self.assertEqual(json.loads(done.stdout), {
            "probes": 312, "hit": 306,
            "sessions": [{"id": "one", "start_ms": 10**12, "dump_ms": 10**12 + 60000},
                         {"id": "two", "start_ms": 10**12, "dump_ms": 10**12 + 60000}],
            "classes": [{"class": "com.acme.Foo", "id": "0123456789abcdef", "probes": 10, "hit": 4},
                        {"class": "com.acme.Bar", "id": "2" * 16, "probes": 2, "hit": 2},
                        {"class": "Baz", "id": "f" * 16, "probes": 300, "hit": 300}]})

    def test_standard_input_is_read(self):
        done = subprocess.run([self.instr, "coverage", "info", "-"], input=A, capture_output=True, check=True)
        self.assertIn(b"-: 1 session, 2 classes", done.stdout)

    def test_an_empty_file_has_no_sessions_and_classes(self):
        self.write("empty.exec", b"")
        self.expect(["coverage", "info", "empty.exec"], 0, "empty.exec: 0 sessions, 0 classes, 0 probes, 0 hit (0.0 %)\n", "")

    def test_a_share_is_not_rounded_up_to_100(self):
        self.write("c.exec", HEADER + probes(1, "C", "1" * 9999 + "0"))
        self.assertIn("9,999 hit (99.9 %)", self.expect(["coverage", "info", "c.exec"], 0).stdout)

    def test_hostile_times_and_names_do_no_harm(self):
        self.write("c.exec", HEADER + session(EVIL, 2**64 - 1, 2**63) + probes(1, EVIL, "1"))
        printed = self.expect(["coverage", "info", "c.exec"], 0, err="").stdout + self.expect(["report", "c.exec"], 0).stdout
        self.assertIn("18446744073709551615", printed)
        self.assertNotRegex(printed, "[\x00-\x09\x0b-\x1f\x7f\u202e]")
        json.loads(self.expect(["coverage", "info", "--json", "c.exec"], 0, err="").stdout)

    def test_a_broken_file_is_refused_in_one_line_by_every_command(self):
        commands = (["coverage", "info", "c.exec"], ["coverage", "info", "--json", "c.exec"], ["coverage", "merge", "-o", "out.exec", "c.exec"],
                    ["coverage", "merge", "-o", "out.exec", "a.exec", "c.exec"], ["coverage", "diff", "a.exec", "c.exec"],
                    ["coverage", "diff", "c.exec", "a.exec"], ["coverage", "tests", "c.exec"],
                    ["coverage", "tests", "--class", "com.acme.Foo", "c.exec"], ["coverage", "tests", "--changed", ".", "c.exec"],
                    ["report", "c.exec"], ["report", "c.exec", "--html", "out.exec"])
        many = b"\xff\xff\xff\xff\x07"  # 2 billion probes
        for content, reason in ((A[:-1], "byte 77: the file ends within a block"),
                                (A[:3], "byte 3: the file ends within a block"),
                                (b"{}", "byte 0: not JaCoCo execution data"),
                                (b"\x01\xc0\xc1" + A[3:], "byte 1: not JaCoCo execution data"),
                                (A + b"\x40", "byte 78: unknown block type 0x40"),
                                (A.replace(b"\x10\x07", b"\x10\x06", 1), "byte 3: format version 0x1006, expected 0x1007"),
                                (HEADER + b"\x11" + bytes(8) + utf("C") + many, "byte 22: the file ends within a block"),
                                (HEADER + b"\x11" + bytes(8) + utf("C") + b"\xff" * 9, "byte "),
                                (HEADER + b"\x11" + bytes(8) + b"\xff\xff", "byte 16: the file ends within a block")):
            self.write("c.exec", content)
            for command in commands:
                with self.subTest(command=command, reason=reason):
                    done = self.run_tool(*command)
                    # diff exits with 1 when there is a difference.
                    self.assertEqual((done.returncode, done.stdout), (2 if "diff" in command else 1, ""), done.stderr)
                    # For instr report, a file that does not begin as an .exec file is the result of another pass.
                    reason_told = "" if "report" in command and "not JaCoCo execution data" in reason else reason
                    self.assertTrue(done.stderr.startswith("instr: c.exec: " + reason_told), done.stderr)
                    self.assertEqual(done.stderr.count("\n"), 1)
                    self.assertFalse(os.path.exists(self.path("out.exec")))

    def test_hostile_sizes_take_no_memory(self):
        """Classes that claim 2 billion probes each, in 512 MB of address space."""
        self.write("c.exec", HEADER + b"\x11" + bytes(8) + utf("C") + b"\xff\xff\xff\xff\x07")
        most = 512 << 20
        done = self.run_tool("coverage", "info", "c.exec",
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
        self.assertIn("the file ends within a block", done.stderr)


class Merge(ExecTest):
    def test_hits_add_up_and_sessions_stay(self):
        self.expect(["coverage", "merge", "-o", "m.exec", "a.exec", "b.exec"], 0, "", "")
        self.assertEqual(parse(self.bytes_of("m.exec")), (
            [("one", 10**12, 10**12 + 60000), ("two", 10**12, 10**12 + 60000)],
            {FOO: ("com/acme/Foo", "1110000001"), BAR: ("com/acme/Bar", "11"), BAZ: ("Baz", "1" * 300)}))

    def test_a_file_may_be_merged_into_itself(self):
        self.expect(["coverage", "merge", "-o", "a.exec", "a.exec", "b.exec"], 0, "", "")
        self.assertEqual(len(parse(self.bytes_of("a.exec"))[1]), 3)

    def test_thousands_of_files_in_the_memory_of_one(self):
        """18 MB of files, merged in 16 MB of address space."""
        os.mkdir(self.path("d"))
        os.mkdir(self.path("d/e"))
        # Only the bits of each class differ between the files.
        heads = [probes(k, f"com/acme/C{k}", "0" * 800)[:-100] for k in range(100)]
        for i in range(1600):
            bits = bytearray(100)
            bits[i % 800 // 8] = 1 << i % 8
            self.write(f"d/e/{i}.exec" if i % 2 else f"d/{i}.exec",
                       HEADER + session(f"s{i}") + b"".join(head + bits for head in heads))
        self.write("d/other.txt", "not one of them")
        most = 16 << 20
        done = self.run_tool("coverage", "merge", "-o", "m.exec", "d",
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        sessions, classes = parse(self.bytes_of("m.exec"))
        self.assertEqual((len(sessions), len(classes)), (1600, 100))
        self.assertEqual({bits for _, bits in classes.values()}, {"1" * 800})

    def test_the_same_id_with_another_name_or_length_is_an_error(self):
        self.write("c.exec", HEADER + probes(FOO, "com/acme/Other", "1010000000"))
        self.write("d.exec", HEADER + probes(FOO, "com/acme/Foo", "101000000"))
        for name, line in (("c", "instr: c.exec: the id 0123456789abcdef belongs to com.acme.Other, but to com.acme.Foo"
                                 " in a.exec\n"),
                           ("d", "instr: d.exec: com.acme.Foo (id 0123456789abcdef) has 9 probes, but 10 in a.exec\n")):
            self.expect(["coverage", "merge", "-o", "m.exec", "b.exec", "a.exec", f"{name}.exec"], 1, "",
                        line.replace("a.exec", "b.exec"))
            self.assertFalse(os.path.exists(self.path("m.exec")))
            self.expect(["coverage", "merge", "--keep-going", "-o", "m.exec", "a.exec", f"{name}.exec", "b.exec"], 1, "", line)
            # As help says: the id keeps what it has first, with the hits of files that agree.
            self.assertEqual(parse(self.bytes_of("m.exec"))[1][FOO], ("com/acme/Foo", "1110000001"))
            os.unlink(self.path("m.exec"))
        words = " ".join(self.run_tool("help", "coverage", "merge").stdout.split())
        self.assertIn("such an id keeps the name and number of probes that it has first, and the hits of files that agree", words)

    def test_the_readable_part_of_a_broken_file_can_be_merged(self):
        self.write("c.exec", A[:-1])
        self.write("m.exec", "as it was")
        self.expect(["coverage", "merge", "-o", "m.exec", "c.exec", "b.exec"], 1, "", ["instr: c.exec: byte 77"])
        self.assertEqual(self.bytes_of("m.exec"), b"as it was")
        self.expect(["coverage", "merge", "-o", "m.exec", "--keep-going", "c.exec", "b.exec"], 1, "", ["instr: c.exec: byte 77"])
        sessions, classes = parse(self.bytes_of("m.exec"))
        self.assertEqual((len(sessions), sorted(classes)), (2, [FOO, BAZ]))

    def test_failed_writes_are_reported(self):
        self.expect(["coverage", "merge", "-o", "/dev/full", "a.exec"], 1, "", "instr: /dev/full: No space left on device\n")
        self.expect(["coverage", "merge", "-o", "a.exec/m.exec", "a.exec"], 1, "", "instr: a.exec/m.exec: Not a directory\n")

    def test_mistakes_are_reported(self):
        usage = "usage: instr coverage merge [--keep-going] -o OUT PATH...\n"
        os.mkdir(self.path("none"))
        for arguments, status, line in ((["a.exec"], 2, "-o OUT is missing"), (["-o", "x"], 2, "no file given"),
                                        (["-o"], 2, "-o needs a value"), (["-x"], 2, "unknown option '-x'")):
            self.expect(["coverage", "merge", *arguments], status, "", f"instr: coverage merge: {line}\n{usage}")
        self.expect(["coverage", "merge", "-o", "x", "none"], 1, "", "instr: none: there is no .exec file in it\n")
        self.expect(["coverage", "merge", "-o", "x", "no.exec"], 1, "", "instr: no.exec: No such file or directory\n")
        self.expect(["coverage"], 2, "", ["no command given"])
        self.expect(["coverage", "no"], 2, "", ["unknown command 'no'"])


class Diff(ExecTest):
    def test_what_only_one_of_them_has(self):
        self.expect(["coverage", "diff", "a.exec", "b.exec"], 1,
                    "com.acme.Foo (id 0123456789abcdef); hit only in a.exec: 0; hit only in b.exec: 1,9\n"
                    "only in a.exec: com.acme.Bar (id 2222222222222222), 2 of 2 probes hit\n"
                    "only in b.exec: Baz (id ffffffffffffffff), 300 of 300 probes hit\n"
                    "0 classes the same, 1 different, 1 only in the first, 1 only in the second\n", "")

    def test_equal_hits_are_not_a_difference(self):
        self.write("c.exec", HEADER + probes(BAR, "com/acme/Bar", "01") + A + session("x"))
        self.expect(["coverage", "diff", "a.exec", "c.exec"], 0,
                    "2 classes the same, 0 different, 0 only in the first, 0 only in the second\n", "")

    def test_runs_of_probes_are_ranges(self):
        self.write("c.exec", HEADER + probes(BAZ, "Baz", "0" + "1" * 297 + "01"))
        self.expect(["coverage", "diff", "b.exec", "c.exec"], 1, ["Baz (id ffffffffffffffff); hit only in b.exec: 0,298\n"])
        self.write("d.exec", HEADER + probes(BAZ, "Baz", "1" + "0" * 298 + "1"))
        self.expect(["coverage", "diff", "b.exec", "d.exec"], 1, ["Baz (id ffffffffffffffff); hit only in b.exec: 1-298\n"])

    def test_other_names_and_lengths_are_differences(self):
        self.write("c.exec", HEADER + probes(FOO, "X", "1010000000") + probes(BAR, "com/acme/Bar", "111"))
        self.expect(["coverage", "diff", "a.exec", "c.exec"], 1,
                    ["com.acme.Foo (id 0123456789abcdef); named X in c.exec\n",
                     "com.acme.Bar (id 2222222222222222); 2 probes, but 3 in c.exec\n", ", 2 different, "])

    def test_an_error_is_not_a_difference(self):
        self.expect(["coverage", "diff", "a.exec", "no.exec"], 2, "", "instr: no.exec: No such file or directory\n")
        self.expect(["coverage", "diff", "a.exec"], 2, "", ["expects two files"])


class StandardInput(ExecTest):
    def test_it_is_read_only_once(self):
        for words in (["diff", "-", "-"], ["merge", "-o", "m.exec", "-", "a.exec", "-"], ["info", "-", "-"],
                      ["check", "-", "--baseline", "-", "--classfiles", "."], ["check", "-", "--limits", "-"],
                      ["check", "a.exec", "--limits", "-", "--baseline", "-"]):
            line = f"instr: coverage {words[0]}: standard input (-) can be read only once\n"
            with open(self.path("a.exec"), encoding="latin-1") as data:
                done = self.expect(["coverage", *words], 2, "", stdin=data)
            self.assertEqual((done.stderr.startswith(line), done.stderr.count("instr: ")), (True, 1))
        self.assertFalse(os.path.exists(self.path("m.exec")))


class Report(ExecTest):
    def names(self, *arguments):
        return re.findall(r"%  (\S+)\n", self.expect(["report", "ab.exec", *arguments], 0, err="").stdout)

    def test_classes_are_printed_by_what_is_missed(self):
        self.write("ab.exec", A + B)
        self.expect(["report", "ab.exec"], 0,
                    "coverage: 3 classes, 312 probes, 306 hit (98.1 %)\n"
                    "  probes     hit    share  class\n"
                    "      10       4   40.0 %  com.acme.Foo\n"
                    "     300     300  100.0 %  Baz\n"
                    "       2       2  100.0 %  com.acme.Bar\n", "")

    def test_order_and_number_of_rows(self):
        self.write("ab.exec", A + B)
        foo, bar, baz = "com.acme.Foo", "com.acme.Bar", "Baz"
        self.assertEqual(self.names("--sort=probes"), [baz, foo, bar])
        self.assertEqual(self.names("--sort=hit", "--top", "2"), [baz, foo])
        self.assertEqual(self.names("--sort=share"), [foo, baz, bar])
        self.assertEqual(self.names("--sort=name"), [baz, bar, foo])
        self.expect(["report", "--sort=self", "ab.exec"], 2, "", ["--sort must be missed, probes, hit, share or name"])

    def test_standard_input_may_be_an_exec_file(self):
        self.write("ab.exec", A + B)
        table = self.expect(["report", "ab.exec"], 0, err="").stdout
        with open(self.path("ab.exec"), "rb") as file:
            self.expect(["report", "-"], 0, table, "", stdin=file)
            file.seek(0)
            piped = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
            self.expect(["report", "-"], 0, table, "", stdin=piped.stdout)
            piped.stdout.close()
            piped.wait()

    def test_options_of_the_coverage_report_make_one(self):
        self.write("ab.exec", A + B)
        self.write("Foo.class", class_file())
        self.expect(["report", "no.exec", "--classfiles", "Foo.class"], 1, "", "instr: no.exec: No such file or directory\n")
        self.expect(["report", "ab.exec", "no.exec", "--classfiles", "Foo.class"], 1, None, ["instr: no.exec: No such file or directory\n"])
        self.expect(["report", "ab.exec", "--classfiles", "Foo.class", "--top=1"], 2, "", ["instr: coverage report: unknown option '--top=1'"])
        self.expect(["report", "ab.exec", "--hmtl=x"], 2, "", ["instr: report: unknown option '--hmtl=x'"])

    def test_a_page_has_all_classes_and_escapes_their_names(self):
        self.write("ab.exec", A + B + probes(1, EVIL, "10"))
        self.expect(["report", "ab.exec", "--html", "page.html"], 0, "", "")
        page = self.read("page.html")
        self.assertEqual(page.count("<tr><td>"), 4)
        self.assertEqual(page.count("<script>"), 1)
        self.assertIn("<dt>classes</dt><dd>4</dd>", page)
        self.assertIn("<td data-v=\"0.400000\" class=\"share\" style=\"--p:40.00%\">40.0 %</td>", page)


class Tests(ExecTest):
    """A file with a session for each test; the class files have the ids that it names."""

    def setUp(self):
        super().setUp()
        self.classes = {name: class_file(name) for name in ("com/acme/Foo", "com/acme/Bar", "com/acme/FooTest", "com/acme/BarTest")}
        for name, content in self.classes.items():
            self.write(f"classes/{name}.class", content)
        foo, bar, foo_test, bar_test = (self.covered(name) for name in self.classes)
        library = probes(7, "org/lib/Library", "1")
        self.write("t.exec", HEADER + session("com.acme.FooTest.one") + foo + foo_test + library
                   + session("com.acme.FooTest.two", dump=1_000_000_000_000) + foo_test + library
                   + session("com.acme.BarTest.each") + bar + bar_test + session("com.acme.BarTest.each") + bar_test
                   + HEADER + session("host-1") + library)

    def covered(self, name, bits="1"):
        return probes(class_id(self.classes[name]), name, bits)

    def ask(self, *arguments, status=0, err=""):
        return self.expect(["coverage", "tests", *arguments], status, err=err).stdout

    def test_each_test_is_listed_with_its_coverage(self):
        self.assertEqual(self.ask("t.exec"), (
            "4 tests\n"
            "      runs      time   classes       hit  test\n"
            "         1    60.0 s         3         3  com.acme.FooTest.one\n"
            "         1      0 ns         2         2  com.acme.FooTest.two\n"
            "         2     120 s         2         2  com.acme.BarTest.each\n"
            "         1    60.0 s         1         1  host-1\n"))
        self.assertEqual(self.ask("t.exec", "--top", "1").count("\n"), 3)

    def test_who_covers_a_class(self):
        self.assertEqual(self.ask("--class", "com.acme.Foo", "t.exec"), "com.acme.FooTest.one\n")
        self.assertEqual(self.ask("--class=com/acme/BarTest", "t.exec"), "com.acme.BarTest.each\n")
        self.assertEqual(self.ask("--class", "org.lib.Library", "t.exec", err=(
            "instr: it was also covered outside of tests, in the session host-1: any test may need it\n")),
            "com.acme.FooTest.one\ncom.acme.FooTest.two\n")
        self.ask("--class", "com.acme.No", "t.exec", status=1, err="instr: no test covers a class com.acme.No\n")
        for name in "Foo", "acme.Foo", "com.acme.foo":
            self.ask("--class", name, "t.exec", status=1, err=f"instr: no test covers a class {name}; did you mean com.acme.Foo?\n")

    def test_who_covers_a_line_of_a_class_that_was_compiled_anew(self):
        old, new = (class_file("com/acme/Foo", code, line=9) for code in (b"\x03\xac", b"\x04\xac"))
        self.write("classes/com/acme/Foo.class", new)
        line = ["--class", "com.acme.Foo", "--line", "9", "--classes", "classes"]
        run = [session(f"com.acme.FooTest.{name}") + self.covered("com/acme/FooTest")
               + probes(class_id(of), "com/acme/Foo", "1") for name, of in (("one", old), ("two", new))]
        for runs, status, out, who in ((run[:1], 1, "", "the tests"), (run[1:], 0, "com.acme.FooTest.two\n", ""),
                                       (run, 0, "com.acme.FooTest.two\n", "some of the tests")):
            self.write("v.exec", HEADER + b"".join(runs))
            says = f"its class file is not the one that {who} ran with (another id), so the lines that they covered are unknown"
            self.expect(["coverage", "tests", *line, "v.exec"], status, out, [says] if who else "")
        self.assertEqual(self.ask("--class", "com.acme.Foo", "v.exec"), "com.acme.FooTest.one\ncom.acme.FooTest.two\n")

    def test_without_a_change_no_test_is_wanted(self):
        self.assertEqual(self.ask("--changed", "classes", "t.exec"), "")

    def test_a_change_wants_the_tests_that_cover_it(self):
        self.write("classes/com/acme/Bar.class", class_file("com/acme/Bar", b"\x04\xac"))
        self.assertEqual(self.ask("--changed", "classes", "t.exec"), "com.acme.BarTest.each\n")
        self.write("classes/com/acme/FooTest.class", class_file("com/acme/FooTest", b"\x04\xac"))
        self.assertEqual(self.ask("t.exec", "--changed=classes"),
                         "com.acme.FooTest.one\ncom.acme.FooTest.two\ncom.acme.BarTest.each\n")

    def test_a_missing_class_has_changed_but_not_one_of_another_package(self):
        os.unlink(self.path("classes/com/acme/Foo.class"))
        self.assertEqual(self.ask("--changed", "classes", "t.exec"), "com.acme.FooTest.one\n")

    def test_changes_covered_outside_of_tests_are_reported(self):
        self.write("classes/org/lib/Library.class", class_file("org/lib/Library"))
        self.assertEqual(self.ask("--changed", "classes", "t.exec", err=(
            "instr: org/lib/Library was also covered outside of tests, in the session host-1: any test may need it\n")),
            "com.acme.FooTest.one\ncom.acme.FooTest.two\n")

    def test_a_test_need_not_cover_its_own_class(self):
        self.write("thrown.exec", HEADER + session("com.acme.FooTest.one") + self.covered("com/acme/FooTest")
                   + session("com.acme.FooTest.thrown") + self.covered("com/acme/Foo"))
        self.assertEqual(self.ask("thrown.exec", "--class", "com.acme.Foo"), "com.acme.FooTest.thrown\n")

    @slow
    def test_thousands_of_tests(self):
        self.write("many.exec", HEADER + b"".join(session(f"com.acme.FooTest.t{i % 5000}") + self.covered("com/acme/FooTest")
                                                  for i in range(10000)))
        self.assertEqual(len(self.ask("many.exec", "--class", "com.acme.FooTest").splitlines()), 5000)
        self.assertIn("  com.acme.FooTest.t4999\n", self.ask("many.exec"))

    def test_mistakes_are_reported(self):
        self.write("no-session.exec", HEADER + probes(1, "A", "1"))
        for arguments, status, line in (
                ([], 2, "no file given"), (["t.exec", "--line", "1"], 2, "--line needs --class"),
                (["t.exec", "--line=x"], 2, "--line must be a number from 1 to 65535, not 'x'"),
                (["t.exec", "--class=A", "--changed=classes"], 2, "--class and --changed exclude each other"),
                (["t.exec", "--class"], 2, "--class needs a value"),
                (["t.exec", "--class=com.acme.Foo", "--line=1", "--classes=classes"], 1, "com.acme.Foo has no code on line 1"),
                (["t.exec", "--class=com.acme.Foo", "--line=1"], 1, "com.acme.Foo has no code on line 1"),
                (["t.exec", "--class=com.acme.No", "--line=1"], 1, "there is no class file of com.acme.No below this folder; --classes PATH"),
                (["t.exec", "--class=com.acme.No", "--line=1", "--classes=classes"], 1, "com.acme.No is not below the paths of"),
                (["t.exec", "--changed=nowhere"], 1, "nowhere: No such file or directory"),
                (["no-session.exec"], 1, "no-session.exec: a class precedes the first session")):
            done = self.expect(["coverage", "tests", *arguments], status, "")
            self.assertIn(line, done.stderr)


class Hints(CliTest):
    def test_words_of_jacoco_lead_to_those_here(self):
        for arguments, line in ((["report", "--destfile=x"], "report: unknown option '--destfile=x'; here it is --html DIR, --xml FILE and the like"),
                                (["merge", "--destfile", "x"], "merge: unknown option '--destfile'; here it is -o OUT"),
                                (["dump", "--port", "6300"], "dump: unknown option '--port'; here it is PID, the process id")):
            self.expect(["coverage", *arguments], 2, "", [f"instr: coverage {line}\n"])
        self.expect(["coverage", "execinfo"], 2, "", ["instr: coverage: unknown command 'execinfo'; here it is 'instr coverage info'\n"])
        for option, hint in (("includes=a.*", "behind coverage=jacoco: or as coverage.include"), ("destFile=a", "behind coverage=jacoco: or as coverage.file"),
                             ("jmx", "behind coverage=jacoco:, where it can only be false"), ("port=1", "coverage=jacoco:; this one is not offered")):
            self.expect(["run", "coverage", option, "--", "true"], 2, "", [hint])


class Line(CliTest):
    def test_each_build_tool_gets_lines_with_the_path_of_the_agent(self):
        path = self.expect(["agent-path"], 0, err="").stdout.rstrip("\n")
        self.assertTrue(os.path.isabs(path) and os.path.isfile(path), path)
        for tool, parts in (("maven", ["<argLine>", "keep report and", "jacoco.exec", "jacoco-it.exec", "quiet=yes"]),
                            ("gradle", ["outputs.file(", "doFirst {", "enabled = false", "jvmArgs \""]),
                            ("gradle-kotlin", ["outputs.file(", "doFirst {", "isEnabled = false", "jvmArgs(\""]),
                            ("cli", ["-cp CLASSES", "coverage.html="]),
                            ("ant", ["<property name=\"coverage.agent\"", "jacoco:coverage"])):
            self.expect(["coverage", "line", tool], 0, [f"-agentpath:{path}=coverage,", *parts], "")

    def test_a_path_is_written_as_the_build_file_wants_it(self):
        tool, folder = os.environ["INSTR_UNDER_TEST"], self.path("it's $x & y")
        os.mkdir(folder)
        for name in "instr", "libinstr.so":
            shutil.copy(os.path.join(os.path.dirname(tool), name), folder)
        lines = {of: subprocess.run([os.path.join(folder, "instr"), "coverage", "line", of], capture_output=True, text=True, check=True).stdout
                 for of in ("maven", "gradle", "gradle-kotlin", "ant", "cli")}
        want = f"-agentpath:{folder}/libinstr.so=coverage,coverage.file="
        words = next(shlex.split(line) for line in lines["cli"].splitlines() if line.startswith("java "))
        self.assertEqual(words[1], want + "jacoco.exec")
        value = xml.etree.ElementTree.fromstring(f"<x>{lines['ant']}</x>").find("property").get("value")
        self.assertEqual(value.replace("$$", "$"), want + "${basedir}/jacoco.exec")
        self.assertIn("$$x", value)
        text = xml.etree.ElementTree.fromstring(f"<x>{lines['maven']}</x>").find("argLine").text
        self.assertIn(want.replace("coverage,", "coverage,quiet=yes,"), text)
        for of in "gradle", "gradle-kotlin":
            self.assertIn("it's \\$x & y/libinstr.so=", lines[of])

    def test_mistakes(self):
        for arguments, line in (([], "expects the name of a build tool"), (["ant", "maven"], "expects the name of a build tool"),
                                (["sbt"], "unknown build tool 'sbt'"), (["--x", "ant"], "unknown option '--x'")):
            self.expect(["coverage", "line", *arguments], 2, "", [f"instr: coverage line: {line}", "maven|gradle|gradle-kotlin|ant|cli"])
        self.expect(["agent-path", "x"], 2, "", ["unknown argument 'x'"])


def class_id(data):
    """CRC-64, computed bit by bit as it is defined."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xD800000000000000 if crc & 1 else 0)
    return crc
