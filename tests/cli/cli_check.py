"""instr check and instr show."""

import io
import os
import struct
import zipfile

from support import CliTest, class_file, slow, utf8


def jar(entries):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return file.getvalue()


class Check(CliTest):
    def test_all_classes_of_directories_and_jars_are_checked(self):
        self.write("d/Foo.class", class_file())
        self.write("d/e/Bar.class", class_file("com/acme/Bar"))
        self.write("d/e/notes.txt", "no class")
        self.write("d/x.jar", jar({"A.class": class_file("A"), "m.txt": "", "b/B.class": class_file("b/B")}))
        os.symlink(self.folder, self.path("d/loop"))
        done = self.expect(["check", "d"], 0, ["4 classes with 4 methods checked, passes: calls, timing",
                                               "4 classes and 4 methods changed; 0 classes and 0 methods skipped",
                                               " us per class\n", "\n0 failures\n"], "")
        self.assertEqual(len(done.stdout.splitlines()), 4)
        self.expect(["check", "--jobs", "3", "--passes=calls", "d/Foo.class", "d/x.jar"], 0,
                    ["3 classes with 3 methods checked, passes: calls\n"], "")

    def test_nested_jars_are_reported(self):
        inner = jar({"B.class": class_file("B")})
        self.write("x.jar", jar({"A.class": class_file("A"), "lib/one.jar": inner}))
        self.write("y.jar", jar({"lib/one.jar": inner, "lib/two.jar": inner}))
        self.expect(["check", "x.jar", "y.jar"], 0, ["1 class with 1 method checked", "\n0 failures\n"],
                    ["instr: x.jar: 1 nested jar skipped; unpack it first\n",
                     "instr: y.jar: 2 nested jars skipped; unpack them first\n"])
        self.expect(["show", "x.jar!lib/one.jar!B"], 1, "",
                    ["the jar has no such entry or class; unpack nested jars first"])

    def test_patterns_choose_what_is_rewritten(self):
        self.write("x.jar", jar({"A.class": class_file("a/A"), "B.class": class_file("b/B")}))
        self.expect(["check", "--passes", "timing,include=a.*", "x.jar"], 0,
                    ["2 classes with 2 methods checked", "1 class and 1 method changed"], "")

    def test_a_skipped_class_is_not_a_failure(self):
        old = class_file(code=b"\xa7\x00\x05\x57\xb1\xa8\xff\xfe")  # goto 5; 3: pop; return; 5: jsr 3
        self.write("Old.class", old[:4] + struct.pack(">HH", 0, 49) + old[8:])
        self.expect(["check", "Old.class"], 0, ["0 classes and 0 methods changed; 1 class and 0 methods skipped",
                                                ": code that ends with the call of a subroutine", "\n0 failures\n"], "")

    def test_each_failure_is_one_line_and_the_status_is_1(self):
        good = class_file()
        self.write("d/empty.class", b"")
        self.write("d/cut.class", good[:-9])
        self.write("d/good.class", good)
        self.write("d/magic.class", b"hello, world")
        self.write("d/more.class", good + b"\0")
        self.write("d/opcode.class", class_file(code=b"\xfd\xac"))
        self.write("d/no.jar", "no jar at all")
        self.write("d/x.jar", jar({"Bad.class": good[:50]}))
        done = self.expect(["check", "d"], 1, ["7 classes", "\n7 failures\n"])
        lines = sorted(done.stderr.splitlines())
        names = [line.split(": ")[1] for line in lines]
        self.assertEqual(names, ["d/cut.class", "d/empty.class", "d/magic.class", "d/more.class",
                                 "d/no.jar", "d/opcode.class", "d/x.jar!Bad.class"])
        self.assertEqual(lines[4], "instr: d/no.jar: cannot be opened as a jar: Not a zip archive")
        for line in lines:
            self.assertRegex(line, r"^instr: \S+: .{8,}$")

    def test_a_prefix_before_a_jar_is_skipped_as_java_does(self):
        older, newer = jar({"A.class": class_file("A")}), jar({"B.class": class_file("B"), "C.class": class_file("C")})
        for before in (b"#!/bin/sh\nexec java -jar $0\n", 70000 * b"PK\3\4", older):
            self.write("x.jar", before + newer)
            self.expect(["check", "x.jar"], 0, ["2 classes", "\n0 failures\n"])
            self.expect(["show", "x.jar!C"], 0, ["class C"], "")

    def test_a_damaged_jar_is_reported(self):
        data = bytearray(jar({"A.class": class_file("A")}))
        data[40] ^= 0xFF
        self.write("x.jar", bytes(data))
        self.expect(["check", "x.jar"], 1, ["\n1 failure\n"], ["instr: x.jar!A.class: "])

    def test_missing_files_are_reported(self):
        self.expect(["check", "none", "/dev/null"], 1, ["\n2 failures\n"],
                    "instr: none: No such file or directory\n"
                    "instr: /dev/null: neither a file nor a directory\n")

    @slow
    def test_a_large_file_is_handled(self):
        with open(self.write("big.class", class_file()), "r+b") as file:
            file.truncate(100 << 20)
        self.expect(["check", "big.class"], 1, ["\n1 failure\n"], ["instr: big.class: parsing: "])
        with open(self.path("big.class"), "r+b") as file:
            file.truncate(600 << 20)
        self.expect(["check", "big.class"], 1, ["\n1 failure\n"],
                    "instr: big.class: larger than 512 MB\n")

    @slow
    def test_more_methods_than_there_are_ids(self):
        def many(name, names=200, descriptors=100):
            pool = [utf8(name), b"\7\0\1", utf8("java/lang/Object"), b"\7\0\3", utf8("Code"),
                    *(utf8(f"m{i}") for i in range(names)), *(utf8("(" + "I" * i + ")V") for i in range(descriptors))]
            methods = b"".join(struct.pack(">HHHHHIHHIBHH", 9, 6 + n, 6 + names + d, 1, 5, 13, 0, d, 1, 0xB1, 0, 0)
                               for n in range(names) for d in range(descriptors))
            return (struct.pack(">IHHH", 0xCAFEBABE, 0, 52, len(pool) + 1) + b"".join(pool)
                    + struct.pack(">6H", 1, 2, 4, 0, 0, names * descriptors) + methods + b"\0\0")
        # Each pass has an id for each method, and an agent has a million of them (1,048,576).
        self.write("x.jar", jar({f"C{i}.class": many(f"C{i}") for i in range(30)}))
        self.expect(["check", "--jobs", "1", "--passes", "calls,timing", "x.jar"], 0,
                    ["30 classes with 600,000 methods", "30 classes and 600,000 methods changed; 0 classes and 0 methods skipped",
                     "\n0 failures\n"], "")

    def test_usage_is_printed(self):
        for arguments, line in (([], "no file or directory given"),
                                (["--jobs", "0", "x"], "--jobs must be a number from 1 to 256"),
                                (["--jobs"], "--jobs needs a value"),
                                (["--pases=all", "x"], "unknown option '--pases=all'"),
                                (["--passes", "timng", "x"], "did you mean 'timing'?"),
                                (["--passes", "", "x"], "no pass in --passes")):
            self.expect(["check", *arguments], 2, "", [line, "usage: instr check"])


class Show(CliTest):
    def test_classes_are_printed_from_files_and_jars(self):
        data = class_file()
        self.write("Foo.class", data)
        self.write("a!b.jar", jar({"com/acme/Foo.class": data}))
        whole = self.expect(["show", "Foo.class"], 0, ["com.acme.Foo", "ireturn", "Utf8"], "").stdout
        for name in ("a!b.jar!com/acme/Foo.class", "a!b.jar!com.acme.Foo", "a!b.jar!/com/acme/Foo.class"):
            self.expect(["show", name], 0, whole, "")
        with open(self.path("Foo.class"), "rb") as file:
            self.expect(["show", "-"], 0, whole, "", stdin=file)

    def test_what_cannot_be_read_is_reported_in_one_line(self):
        self.write("x.jar", jar({"A.class": class_file("A")}))
        self.write("no.jar", "no")
        for name, reason in (("none", "No such file or directory"), (".", "Is a directory"),
                             ("x.jar!B", "the jar has no such entry or class"),
                             ("x.jar", "this is a jar; name a class in it: JAR!com.acme.Foo"),
                             ("no.jar!A", "cannot be opened as a jar: Not a zip archive"),
                             ("none.jar!A", "there is no such jar")):
            self.expect(["show", name], 1, "", f"instr: {name}: {reason}\n")
        self.expect(["show"], 2, "", ["expects one class", "usage: instr show"])

    def test_the_readable_part_of_a_broken_class_is_printed(self):
        self.write("cut.class", class_file()[:-12])
        self.write("text.class", "hello")
        self.expect(["show", "cut.class"], 1, ["com/acme/Foo"], ["instr: cut.class: truncated (at offset "])
        self.expect(["show", "text.class"], 1, "", ["instr: text.class: not a class file"])
