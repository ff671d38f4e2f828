"""instr coverage report and check: what of --classfiles and folders of .exec files is read, and what is printed about it.
tests/coverage compares the reports themselves."""

import os
import re
import resource
import struct
import unittest
import zipfile

from support import CliTest, class_file
from cli_exec import HEADER, class_id, probes, session

LIMIT = ["--limit", "CLASS: INSTRUCTION MISSEDCOUNT <= 0"]


class CoverageTest(CliTest):
    def setUp(self):
        super().setUp()
        self.data = class_file("p/Ran", line=3)
        self.write("run.exec", HEADER + session("one") + probes(class_id(self.data), "p/Ran", "1"))
        self.write("classes/p/Ran.class", self.data)

    def names(self, *arguments, status=0, err=""):
        """The classes of a report."""
        self.expect(["coverage", "report", "run.exec", "--xml", "r.xml", *arguments], status, "", err)
        return re.findall('<class name="([^"]*)"', self.read("r.xml"))


class Links(CoverageTest):
    def setUp(self):
        super().setUp()
        self.write("elsewhere/q/Missed.class", class_file("q/Missed"))
        os.mkdir(self.path("linked"))

    def link(self, target, name):
        os.symlink(target, self.path(f"linked/{name}"))

    def test_links_to_class_files_folders_and_archives_are_followed(self):
        with zipfile.ZipFile(self.path("a.jar"), "w") as jar:
            jar.write(self.path("elsewhere/q/Missed.class"), "q/Missed.class")
        for target, name in (("../elsewhere/q/Missed.class", "Missed.class"), ("../elsewhere", "folder"), ("../a.jar", "a.jar")):
            with self.subTest(name):
                self.link(target, name)
                self.assertEqual(self.names("--classfiles", "classes", "--classfiles", "linked"), ["p/Ran", "q/Missed"])
                self.expect(["coverage", "check", "run.exec", "--classfiles", "classes", "--classfiles", "linked", *LIMIT], 1,
                            ["class q.Missed: instructions missed count is 2, but expected maximum is 0\n"], "")
                os.unlink(self.path(f"linked/{name}"))

    def test_a_link_to_a_folder_above_is_not_walked_again(self):
        self.link("../classes", "classes")
        self.link(".", "again")
        self.assertEqual(self.names("--classfiles", "linked"), ["p/Ran"])

    def test_a_link_that_leads_nowhere_is_reported(self):
        """As by JaCoCo, which makes no report then: classes may be missing."""
        for target, name, reason in (("nowhere", "folder", "No such file or directory"), ("B.class", "B.class", "Too many levels of symbolic links")):
            with self.subTest(name):
                self.link(target, name)
                paths = ["--classfiles", "classes", "--classfiles", "linked"]
                self.assertEqual(self.names(*paths, status=1, err=f"instr: linked/{name}: {reason}\n"), ["p/Ran"])
                self.expect(["coverage", "check", "run.exec", *paths, *LIMIT], 1, None, f"instr: linked/{name}: {reason}\n")
                os.unlink(self.path(f"linked/{name}"))

    def test_exec_files_are_found_behind_links(self):
        self.link("../run.exec", "a.exec")
        self.link("nowhere", "b.txt")
        self.expect(["coverage", "info", "linked"], 0, ["linked/a.exec: 1 session, 1 class, "], "")
        self.link("nowhere", "b.exec")
        self.expect(["coverage", "info", "linked"], 1, "", "instr: linked/b.exec: No such file or directory\n")

    def test_changed_classes_are_found_behind_links(self):
        self.link("../classes", "classes")
        self.link("nowhere", "folder")
        self.expect(["coverage", "tests", "--changed", "linked", "run.exec"], 0, "", "")
        self.write("classes/p/Ran.class", class_file("p/Ran", b"\x04\xac"))
        self.expect(["coverage", "tests", "--changed", "linked", "run.exec"], 0, "one\n", "")

    def test_folders_of_a_build_may_be_links(self):
        self.write("elsewhere/main/p/Ran.class", self.data)
        os.makedirs(self.path("build/classes"))
        os.symlink("../../elsewhere", self.path("build/classes/java"))
        self.assertEqual(self.names(err=["class files: build/classes/java/main"]), ["p/Ran"])


class Content(CoverageTest):
    """Class files and archives are found by their first bytes, as by JaCoCo."""

    def setUp(self):
        super().setUp()
        self.content = {"A.bin": class_file("q/A"), "B": class_file("q/B"), "text": b"PK is not all", "short": b"\xca\xfe\xba\xbe",
                        "universal.dylib": bytes.fromhex("cafebabe 00000002 01000007 00000003"), "empty": b"", "folder/": b""}

    def jar(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        for how in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            with zipfile.ZipFile(self.path(name), "w", how) as jar:
                for entry, data in content.items():
                    jar.writestr(entry, data)
            yield how

    def test_files_of_a_folder(self):
        for name, data in self.content.items():
            if data:
                self.write(f"classes/{name}", data)
        for _ in self.jar("classes/lib.aar", {"C.class": class_file("q/C")}):
            self.assertEqual(sorted(self.names("--classfiles", "classes")), ["p/Ran", "q/A", "q/B", "q/C"])

    def test_entries_of_archives_and_of_archives_in_them(self):
        for _ in self.jar("inner.dat", {"D.raw": class_file("q/D")}):
            with open(self.path("inner.dat"), "rb") as file:
                self.content["inner.dat"] = file.read()
            for _ in self.jar("a.jar", self.content):
                self.assertEqual(sorted(self.names("--classfiles", "a.jar", "--quiet")), ["q/A", "q/B", "q/D"])

    def test_jars_in_jars_have_an_end(self):
        """A small file may hold millions of them, and gigabytes. Here three say of themselves that they are large."""
        list(self.jar("inner.jar", {"q/Missed.class": self.data}))
        with open(self.path("inner.jar"), "rb") as file:
            list(self.jar("outer.jar", dict.fromkeys(("a.jar", "b.jar", "c.jar", "d.jar"), file.read())))
        with open(self.path("outer.jar"), "rb") as file:
            data = bytearray(file.read())
        at = 0
        for _ in range(3):
            at = data.index(b"PK\1\2", at) + 28
            data[at - 4:at] = struct.pack("<I", 3 << 30)
        self.write("outer.jar", bytes(data))
        done = self.run_tool("coverage", "report", "run.exec", "--classfiles", "outer.jar", "--classfiles", "classes", "--xml", "r.xml")
        self.assertIn("instr: outer.jar!c.jar: too many or too large jars in jars; the rest of them is skipped\n", done.stderr)
        self.assertEqual((done.returncode, done.stderr.count("\n"), "d.jar" in done.stderr), (1, 3, False))

    def test_a_jar_that_holds_many_is_unpacked_once(self):
        """A web archive in another archive was unpacked for each of its libraries."""
        def cpu(name):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertEqual(len(self.names("--classfiles", name, "--quiet")), 200)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        content = {"data": bytes(30 << 20)}
        for i in range(200):
            list(self.jar("inner.jar", {f"q/C{i}.class": class_file(f"q/C{i}")}))
            with open(self.path("inner.jar"), "rb") as file:
                content[f"WEB-INF/lib/{i}.jar"] = file.read()
        next(self.jar("app.war", content))  # stored, so that it is large
        with open(self.path("app.war"), "rb") as file:
            list(self.jar("app.ear", {"app.war": file.read()}))
        self.assertLess(cpu("app.ear"), cpu("app.war") + 1)

    def test_one_that_is_broken_is_reported(self):
        self.write("classes/A.bin", class_file("q/A")[:40])
        self.write("classes/b.aar", b"PK\3\4" + bytes(100))
        done = self.expect(["coverage", "report", "run.exec", "--classfiles", "classes"], 1)
        self.assertRegex(done.stderr, r"\Ainstr: classes/b.aar: .*\ninstr: classes/A.bin: .*\n\Z")

    def test_one_that_is_to_replace_a_class_is_no_mistake(self):
        """As DebugProbesKt.bin in an application's jar, beside the class of Kotlin's library."""
        for name in "A.bin", "z.bin":  # before the class, and behind it
            self.write(f"classes/{name}", class_file("p/Ran", b"\x04\xac", line=3))
            self.assertEqual(self.names("--classfiles", "classes"), ["p/Ran"])
            self.assertIn('<counter type="LINE" missed="0" covered="1"/>', self.read("r.xml"))

    def test_other_commands_go_by_names(self):
        self.write("classes/A.bin", class_file("q/A"))
        self.expect(["check", "classes"], 0, ["1 class with 1 method checked"], "")


class Csv(CoverageTest):
    """JaCoCo quotes a field for what stands in it."""

    def rows(self, *arguments):
        self.expect(["coverage", "report", "run.exec", "--csv", "r.csv", *arguments], 0, "")
        return [row[:-len(self.NUMBERS)] for row in self.read("r.csv").splitlines()[1:] if row.endswith(self.NUMBERS)]

    NUMBERS = ",2,0,0,0,0,0,1,0,1,0"

    def test_a_class_is_quoted_for_its_own_name_and_not_for_its_package(self):
        for name in ("a,b/C", "a/D,E", 'a/F"G', ","):
            self.write(f"classes/{name.replace('/', '-')}.class", class_file(name))
        self.assertEqual(sorted(self.rows("--classfiles", "classes", "--name", "all")),
                         ['all,"a,b",C', 'all,a,"D,E"', 'all,a,"F""G"', 'all,default,","'])

    def test_a_group_is_one_field(self):
        for module in ("a,b", "c"):
            self.write(f"{module}/target/classes/C.class", class_file("C"))
        self.assertEqual(self.rows("--name", "all"), ['"all/a,b",default,C', "all/c,default,C"])


class Mismatches(CoverageTest):
    """Classes that ran from other class files than those given."""

    ONE = "1 class ran from another class file than this and has no coverage: p.New\n"

    def ran_before(self, *names):
        """The classes are there, and their data are of other ids; p.Ran has its own."""
        self.write("run.exec", HEADER + session("one") + probes(class_id(self.data), "p/Ran", "1")
                   + b"".join(probes(i + 1, name, "1") for i, name in enumerate(names)))
        for name in names:
            self.write(f"classes/{name}.class", class_file(name))

    def report(self, err, *arguments, status=0):
        self.expect(["coverage", "report", "run.exec", "--classfiles", "classes", *arguments], status, err=err)

    def test_their_number_and_the_first_names_are_printed(self):
        self.ran_before("p/New")
        for format in ([], ["--xml", "r.xml"], ["--html", "out"], ["--badge", "b.svg"]):
            self.report("instr: " + self.ONE, *format)
        self.report("", "--quiet")
        names = [f"p/C{i}" for i in range(6)]
        self.ran_before(*names[:5])
        os.unlink(self.path("classes/p/New.class"))
        line = "classes ran from other class files than these and have no coverage: p.C0, p.C1, p.C2, p.C3, p.C4"
        self.report(f"instr: 5 {line}\n")
        self.ran_before(*names)
        self.report(f"instr: 6 {line}, ...\n")

    def test_classes_that_count_their_coverage_are_refused(self):
        """As by JaCoCo: the ids and probes of its results are those of the class files from before."""
        with zipfile.ZipFile(self.path("a.jar"), "w") as jar:
            jar.write(self.path("classes/p/Ran.class"), "p/Ran.class")
        self.expect(["rewrite", "coverage", "a.jar", "-o", "b.jar"], 0)
        self.assertTrue(any("Instr$" in name for name in zipfile.ZipFile(self.path("b.jar")).namelist()))
        line = "changed to count coverage, by JaCoCo or 'instr rewrite': a report needs the class files from before\n"
        self.assertEqual(self.names("--classfiles", "b.jar", status=1, err=f"instr: b.jar!p/Ran.class was {line}"), [])
        for name in ("q/One", "q/Two"):
            self.write(f"classes/{name}.class", class_file(name).replace(b"\x00\x01f", b"\x00\x0b$jacocoInit"))
        self.assertEqual(self.names("--classfiles", "classes", "--classfiles", "b.jar", status=1,
                                    err=f"instr: classes/q/One.class and 2 others were {line}"), ["p/Ran"])
        self.expect(["coverage", "check", "run.exec", "--classfiles", "b.jar", *LIMIT], 2, err=f"instr: b.jar!p/Ran.class was {line}"
                    "instr: no class is left below --classfiles: there is nothing to check\n")

    def test_a_report_of_which_nothing_ran_says_so(self):
        """As when JaCoCo's agent was in the same JVMs."""
        line = "instr: the data have none of the 2 classes of the report; the pass coverage leaves classes that JaCoCo's agent has changed to it\n"
        self.write("classes/p/Other.class", class_file("p/Other"))
        for data in (b"", probes(1, "q/Q", "1")):
            self.write("run.exec", HEADER + session("one") + data)
            self.report(line)
            self.report("", "--quiet")

    def test_a_report_without_a_class_says_so(self):
        """As of a folder with sources, or before a build."""
        os.makedirs(self.path("none"))
        self.ran_before("p/New")
        for quiet, err in ([], "instr: no class was found: the report is empty\n"), (["--quiet"], ""):
            self.expect(["coverage", "report", "run.exec", "--classfiles", "none", "--xml", "r.xml", *quiet], 0, err=err)

    def test_checks_print_them_too(self):
        self.ran_before("p/New")
        check = ["coverage", "check", "run.exec", "--classfiles", "classes"]
        self.expect([*check, "--limit", "LINE >= 0"], 0, "coverage: the limit is kept\n", "instr: " + self.ONE)
        self.write("now.exec", HEADER + probes(class_id(self.data), "p/Ran", "1"))
        check[2] = "now.exec"
        self.expect([*check, "--baseline", "run.exec"], 0, ["0 of 2 methods got worse"], "instr: --baseline: " + self.ONE)

    def test_a_check_without_any_that_matches_says_only_that(self):
        self.ran_before("p/New")
        os.unlink(self.path("classes/p/Ran.class"))
        done = self.expect(["coverage", "check", "run.exec", "--classfiles", "classes", "--limit", "LINE >= 0"], 2, "")
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_class_of_another_module_ran_from_its_own_file(self):
        other = class_file("p/Ran", b"\x04\xac")
        for name, data in (("a", self.data), ("b", other)):
            self.write(f"{name}/target/classes/p/Ran.class", data)
        self.expect(["coverage", "report", "run.exec"], 0, err="instr: class files of 2 modules: a, b\n")

    def test_a_class_with_other_probes_is_reported_once(self):
        self.write("run.exec", HEADER + session("one") + probes(class_id(self.data), "p/Ran", "11"))
        done = self.expect(["coverage", "report", "run.exec", "--classfiles", "classes"], 1)
        self.assertEqual(done.stderr.count("\n"), 1)


class Order(CoverageTest):
    def test_rows_of_a_folder_do_not_depend_on_the_file_system(self):
        """Names with one hash code stand in the order of names, whatever the order in which the files were made."""
        names = ["AaAa", "AaBB", "BBAa", "BBBB"]
        for folder, order in (("up", names), ("down", names[::-1])):
            for name in order:
                self.write(f"{folder}/{name}.class", class_file(name))
            self.assertEqual(self.names("--classfiles", folder, "--quiet"), names)


class Outputs(CoverageTest):
    def test_two_reports_never_go_to_one_file(self):
        self.write("here/there", "")
        os.symlink("here", self.path("link"))
        report, check = ["report", "run.exec", "--classfiles", "classes"], ["check", "run.exec", "--diff=HEAD"]
        for words, first, second, name in ((report, "--xml", "--csv", "out"), (report, "--lcov", "--html", "./out"),
                                           (report, "--csv", "--badge", "link/there"), (check, "--markdown", "--gitlab", "link/new")):
            other = {"./out": "out"}.get(name, name.replace("link", "here"))
            done = self.expect(["coverage", *words, second, name, first, other], 2, "")
            last = other if second == "--csv" else name
            self.assertIn(f"instr: coverage {words[0]}: {first} and {second} name the same file, {last}\n", done.stderr)
            self.assertFalse(os.path.exists(self.path("out")))
        self.expect(["coverage", *report, "--xml", "-", "--csv", "-"], 2, "", ["--xml and --csv both write to standard output"])

    def test_devices_may_be_named_twice(self):
        self.expect(["coverage", "report", "run.exec", "--classfiles", "classes", "--xml=/dev/null", "--csv=/dev/null"], 0, "", "")
        self.expect(["coverage", "report", "run.exec", "--classfiles", "classes", "--xml=x", "--csv=-"], 0, ["GROUP,PACKAGE"], "")

    @unittest.skipUnless(os.geteuid() == 0, "only root makes links of others")
    def test_links_of_other_users_are_not_followed(self):
        os.makedirs(self.path("elsewhere"))
        os.makedirs(self.path("site"))
        for target, name in (("run.exec", "link"), ("elsewhere", "site/p")):
            os.symlink(self.path(target), self.path(name))
            os.lchown(self.path(name), 65534, 65534)
        reason = "a symbolic link of another user, or too many links\n"
        report = ["coverage", "report", "run.exec", "--classfiles", "classes"]
        self.expect([*report, "--xml", "link"], 1, "", f"instr: link: {reason}")
        self.expect(["coverage", "merge", "run.exec", "-o", "link"], 1, "", f"instr: link: {reason}")
        self.expect([*report, "--html", "site"], 1, "", f"instr: site/p: {reason}")
        self.assertEqual(os.listdir(self.path("elsewhere")), [])
