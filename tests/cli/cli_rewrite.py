"""instr rewrite: archives and directories, checked entry by entry with Python's zipfile; broken and hostile input."""

import io
import os
import random
import re
import resource
import signal
import stat
import struct
import subprocess
import time
import unittest
import zipfile
import zlib

from support import CliTest, class_file, slow

GATES = re.compile(r"Instr\$[0-9a-f]{16}\$Instr(Calls|Coverage|Covered|Module|Probes|Rows|Table|Timing)\.class$")
JARS = ["asm.jar", "ecj.jar", "guava.jar", "commons-lang3.jar"]
FIELDS = ("date_time", "comment", "extra", "external_attr", "internal_attr", "compress_type", "create_system")


def jar(entries, method=zipfile.ZIP_DEFLATED, comment=b""):
    """An archive of (name, bytes) or (ZipInfo, bytes)."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.comment = comment
        for name, content in entries:
            archive.writestr(name, content)
    return file.getvalue()


def libzip():
    done = subprocess.run(["pkg-config", "--modversion", "libzip"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


# These versions deflate a stored entry that is replaced, so it is added as a new one.
STORED_GO_LAST = re.fullmatch(r"1\.11(\.[0-3])?", libzip())


def goes_last(info):
    return info.compress_type == zipfile.ZIP_STORED and info.filename.endswith((".class", ".jar")) and info.file_size > 0


def raw(data, info):
    """An entry's bytes as they lie in the archive, and its local extra field."""
    name, extra = struct.unpack("<HH", data[info.header_offset + 26:info.header_offset + 30])
    start = info.header_offset + 30 + name
    return data[start + extra:start + extra + info.compress_size], data[start:start + extra]


class Rewrite(CliTest):
    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def rewrite(self, name, out="out", status=0, err=None, more=()):
        return self.expect(["rewrite", "calls", *more, name, "-o", out], status, "", err)

    def judge(self, before, after):
        """Only classes have changed, they are still classes, and gates follow them. Returns the changed classes."""
        a, b = zipfile.ZipFile(io.BytesIO(before)), zipfile.ZipFile(io.BytesIO(after))
        self.assertIsNone(b.testzip())
        self.assertEqual(a.comment, b.comment)
        old, new = a.infolist(), [i for i in b.infolist() if not GATES.search(i.filename)]
        if STORED_GO_LAST:
            old = [i for i in old if not goes_last(i)] + [i for i in old if goes_last(i)]
        self.assertEqual([i.filename for i in old], [i.filename for i in new])
        self.assertEqual(b.infolist()[:len(new)], new)
        changed = []
        for i, j in zip(old, new):
            for field in FIELDS:
                self.assertEqual(getattr(i, field), getattr(j, field), i.filename)
            (data_a, extra_a), (data_b, extra_b) = raw(before, i), raw(after, j)
            self.assertEqual(extra_a, extra_b, i.filename)
            if data_a == data_b:
                self.assertEqual((i.CRC, i.file_size), (j.CRC, j.file_size))
                continue
            self.assertTrue(i.filename.endswith(".class"), i.filename)
            self.assertTrue(b.read(j).startswith(b"\xca\xfe\xba\xbe"))
            changed.append(i.filename)
        return [i.filename for i in a.infolist() if i.filename in changed]

    def left_behind(self):
        return [name for name in os.listdir(self.folder) if name.startswith(".instr")]

    def has_begun(self, child):
        """Is there output, with a name or without?"""
        folder = f"/proc/{child.pid}/fd"
        try:
            return bool(self.left_behind()) or any(os.readlink(os.path.join(folder, fd)).endswith(" (deleted)") for fd in os.listdir(folder))
        except OSError:
            return False


class Archives(Rewrite):
    @slow
    def test_real_jars_are_rewritten_and_their_classes_check(self):
        seen = 0
        for name in JARS:
            path = os.path.join("/usr/share/java", name)
            if not os.path.exists(path):
                continue
            self.rewrite(path, name)
            with open(path, "rb") as file:
                changed = self.judge(file.read(), self.bytes_of(name))
            self.assertGreater(len(changed), 30)
            self.expect(["check", name], 0, ["\n0 failures\n"])
            seen += 1
        if seen == 0:
            self.skipTest("none of Debian's jars is installed")

    def test_the_output_is_the_same_for_any_number_of_threads(self):
        source = next((p for p in (os.path.join("/usr/share/java", n) for n in JARS) if os.path.exists(p)), None)
        if not source:
            source = self.write("x.jar", jar((f"p/C{i}.class", class_file(f"p/C{i}")) for i in range(500)))
        for jobs in ("1", "2", "5", "16"):
            self.rewrite(source, f"o{jobs}", more=["timing", "--jobs", jobs])
        self.assertEqual(len({self.bytes_of(f"o{jobs}") for jobs in (1, 2, 5, 16)}), 1)

    def test_names_times_attributes_and_comments_are_kept(self):
        entries = []
        for n, name in enumerate(("a/", "a/A.class", "täxt", "../up.txt", "/abs.txt", "b.txt", "a/B.class")):
            info = zipfile.ZipInfo(name, (1980 + n, 3, 31, 2, 30, 2 * n))
            info.comment = b"comment %d" % n
            info.extra = struct.pack("<HHI", 0xCAFE if n % 2 else 0x7777, 4, n)
            info.external_attr = (stat.S_IFREG | 0o640 + n) << 16
            info.compress_type = zipfile.ZIP_STORED if n % 2 else zipfile.ZIP_DEFLATED
            entries.append((info, class_file(name[:-6]) if name.endswith(".class") else name * 50))
        before = jar(entries, comment=b"of it all")
        self.write("x.jar", before)
        for zone in ("UTC", "Europe/Berlin", "America/New_York"):
            self.expect(["rewrite", "calls", "x.jar", "-o", "out"], 0, "", env={**os.environ, "TZ": zone})
            self.assertEqual(self.judge(before, self.bytes_of("out")), ["a/A.class", "a/B.class"])

    def test_a_jar_without_classes_in_scope_is_copied(self):
        for name, data in (("empty", jar([])), ("text", jar([("a.txt", "text")])),
                           ("other", jar([("A.class", class_file("A"))]))):
            self.write(name, data)
            self.rewrite(name, more=["include=b.**"])
            self.assertEqual(self.bytes_of("out"), data, name)

    def test_a_prefix_before_the_archive_stays(self):
        file = io.BytesIO(b"#!/bin/sh\nexec java -jar $0\n")
        file.seek(0, 2)
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr("A.class", class_file("A"))
        self.write("x.jar", file.getvalue())
        self.rewrite("x.jar")
        self.assertTrue(self.bytes_of("out").startswith(b"#!/bin/sh\nexec java -jar $0\nPK\3\4"))
        self.assertIsNone(zipfile.ZipFile(self.path("out")).testzip())

    def test_a_prefix_that_the_offsets_do_not_count_stays(self):  # as of two concatenated files
        before = b"#!/bin/sh\necho PK\3\4\nexec java -jar $0\n" + 5000 * b"#"
        inner = jar([("A.class", class_file("A"))])
        for archive in (jar([("lib/in.jar", before + inner)]), inner):
            self.write("x.jar", before + archive)
            self.rewrite("x.jar")
            self.assertTrue(self.bytes_of("out").startswith(before + b"PK\3\4"))
            self.assertIsNone(zipfile.ZipFile(self.path("out")).testzip())
        self.rewrite("x.jar", more=["include=b.**"])
        self.assertEqual(self.bytes_of("out"), self.bytes_of("x.jar"))

    def test_patterns_choose_classes(self):
        before = jar((name + ".class", class_file(name)) for name in ("a/A", "a/b/B", "c/C", "java/lang/D"))
        self.write("x.jar", before)
        for options, changed in (([], ["a/A", "a/b/B", "c/C"]), (["include=a.*"], ["a/A"]),
                                 (["include=a.**:c.*", "exclude=**B"], ["a/A", "c/C"])):
            self.rewrite("x.jar", more=options)
            self.assertEqual(self.judge(before, self.bytes_of("out")), [c + ".class" for c in changed])

    def test_each_class_path_of_an_application_archive_gets_its_gates(self):
        library = jar([("org/lib/L.class", class_file("org/lib/L")), ("r.txt", "r" * 99)])
        data = jar([(zipfile.ZipInfo("BOOT-INF/lib/l.jar"), library),
                    ("BOOT-INF/classes/app/A.class", class_file("app/A")),
                    ("BOOT-INF/classes/META-INF/versions/9/app/A.class", class_file("app/A")),
                    ("inst/x/X.class", class_file("x/X")),
                    ("META-INF/versions/17/loader/L.class", class_file("loader/L")),
                    ("loader/L.class", class_file("loader/L"))])
        self.write("boot.jar", data)
        self.rewrite("boot.jar")
        out = zipfile.ZipFile(self.path("out"))
        places = {os.path.dirname(n) for n in out.namelist() if GATES.search(n)}
        self.assertEqual(places, {"BOOT-INF/classes/app", "inst/x", "loader"})
        nested = out.getinfo("BOOT-INF/lib/l.jar")
        self.assertEqual(nested.compress_type, zipfile.ZIP_STORED)
        self.assertEqual(self.judge(library, out.read(nested)), ["org/lib/L.class"])
        names = zipfile.ZipFile(io.BytesIO(out.read(nested))).namelist()
        self.assertEqual(len([n for n in names if n.startswith("org/lib/Instr$")]), 8)

    def test_signatures_are_removed_with_a_message(self):
        manifest = (b"Manifest-Version: 1.0\r\nMain-Class: a.A\r\n\r\nName: a/A.class\r\nSHA-256-Digest: abc\r\n d\r\n\r\n"
                    b"Name: b/\r\nSealed: true\r\nSHA1-Digest: x\r\n\r\n")
        entries = [("META-INF/MANIFEST.MF", manifest), ("META-INF/S.SF", "s"), ("META-INF/S.RSA", "r"),
                   ("META-INF/s.ec", "e"), ("META-INF/SIG-X", "x"), ("META-INF/sub/S.SF", "kept"),
                   ("a/A.class", class_file("a/A"))]
        self.write("x.jar", jar(entries))
        self.rewrite("x.jar", err=["instr: x.jar: signature removed (4 files, and the digests in the manifest)\n"])
        out = zipfile.ZipFile(self.path("out"))
        self.assertEqual([n for n in out.namelist() if not GATES.search(n)],
                         ["META-INF/MANIFEST.MF", "META-INF/sub/S.SF", "a/A.class"])
        self.assertEqual(out.read("META-INF/MANIFEST.MF"),
                         b"Manifest-Version: 1.0\r\nMain-Class: a.A\r\n\r\nName: b/\r\nSealed: true\r\n\r\n")
        self.rewrite("x.jar", more=["include=z.*"])
        self.assertEqual(self.bytes_of("out"), self.bytes_of("x.jar"))

    def test_passes_that_need_the_agent_are_refused_with_the_reason(self):
        self.write("x.jar", jar([("a/A.class", class_file("a/A"))]))
        for name in ("alloc", "exceptions", "natives"):
            self.expect(["rewrite", name, "x.jar", "-o", "out"], 2, "", [f"the pass '{name}' needs the agent (", f"instr run {name}"])
        self.rewrite("x.jar", more=["for=3s", "max-overhead=5%", "calls.top=5"],
                     err=["instr: rewrite: for= has an effect only in the agent", "instr: rewrite: max-overhead= has an effect only in the agent",
                          "instr: rewrite: calls.top= has an effect only in the agent"])

    def test_the_same_class_in_many_jars_is_rewritten_once(self):
        same = class_file("s/Same")
        inner = [(zipfile.ZipInfo(f"lib{i}.jar"), jar([("s/Same.class", same), (f"p/P{i}.class", class_file(f"p/P{i}"))]))
                 for i in range(20)]
        self.write("x.jar", jar(inner))
        self.rewrite("x.jar", more=["stats=stats.json"])
        self.assertIn('"classes_matched": 21', self.read("stats.json"))

    def test_rewriting_what_was_rewritten_leaves_the_gates_alone(self):
        self.write("x.jar", jar([("a/A.class", class_file("a/A"))]))
        self.rewrite("x.jar", "once")
        self.expect(["rewrite", "timing", "once", "-o", "twice"], 0, "", ["1 class in scope, 1 changed"])


class Broken(Rewrite):
    def test_a_broken_class_is_skipped_and_reported(self):
        good = class_file("a/A")
        before = jar([("a/A.class", good), ("a/Cut.class", class_file("a/Cut")[:-9]), ("a/Text.class", "text"),
                      ("a/Other.class", class_file("b/Else")), ("a/None.class", "")])
        self.write("x.jar", before)
        done = self.rewrite("x.jar", status=1)
        self.assertEqual(self.judge(before, self.bytes_of("out")), ["a/A.class"])
        named = re.findall(r"^instr: x.jar!(\S+): skipped: .{8,}$", done.stderr, re.M)
        self.assertEqual(sorted(named), ["a/Cut.class", "a/None.class", "a/Other.class", "a/Text.class"])

    def test_a_class_of_more_than_100_mb_is_skipped_and_reported(self):
        self.write("x.jar", jar([("A.class", class_file("A") + bytes(100 << 20))]))
        self.rewrite("x.jar", status=1, err=["instr: x.jar!A.class: skipped: larger than 100 MB\n"])
        self.assertIsNone(zipfile.ZipFile(self.path("out")).testzip())

    def test_a_damaged_entry_is_skipped_and_reported(self):
        data = bytearray(jar([("a/A.class", class_file("a/A")), ("a/B.class", class_file("a/B"))]))
        at = zipfile.ZipFile(io.BytesIO(data)).getinfo("a/B.class").header_offset + 30 + len("a/B.class") + 20
        data[at] ^= 0xFF
        self.write("x.jar", bytes(data))
        self.rewrite("x.jar", status=1, err=["instr: x.jar!a/B.class: skipped: "])
        out = self.bytes_of("out")
        info = zipfile.ZipFile(io.BytesIO(out)).getinfo("a/B.class")
        self.assertEqual(raw(out, info)[0], raw(bytes(data), zipfile.ZipFile(io.BytesIO(data)).getinfo("a/B.class"))[0])

    def test_a_broken_nested_jar_is_skipped_and_reported(self):
        before = jar([("lib/no.jar", b"no jar at all"), ("a/A.class", class_file("a/A"))])
        self.write("x.jar", before)
        self.rewrite("x.jar", status=1, err=["instr: x.jar!lib/no.jar: skipped: cannot be opened as a jar: "])
        self.assertEqual(self.judge(before, self.bytes_of("out")), ["a/A.class"])

    def test_a_file_that_is_not_a_jar_is_reported_and_nothing_is_left(self):
        good = jar([("a/A.class", class_file("a/A"))])
        for name, data in (("text", b"no jar"), ("cut", good[:len(good) // 2]), ("nothing", b""),
                           ("tail", good[len(good) // 2:])):
            self.write(name, data)
            done = self.rewrite(name, status=1)
            self.assertRegex(done.stderr, rf"^instr: {name}: [^\n]+\n$")
            self.assertFalse(os.path.exists(self.path("out")))
            self.assertEqual(self.left_behind(), [])

    def test_a_bomb_is_skipped(self):
        deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
        data = b"".join(deflater.compress(bytes(1 << 20)) for _ in range(200)) + deflater.flush()
        info = zipfile.ZipInfo("a/Bomb.class")
        archive = jar([(info, b""), ("a/A.class", class_file("a/A"))])
        # The entry says that it holds 200 MB, and it does.
        body = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 0, 8, 0, 33, 0, len(data), 200 << 20, 12, 0) + b"a/Bomb.class" + data
        central = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 8, 0, 33, 0, len(data), 200 << 20, 12, 0, 0, 0, 0, 0, 0)
        end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 1, 1, len(central) + 12, len(body), 0)
        self.write("x.jar", body + central + b"a/Bomb.class" + end)
        self.assertTrue(archive)
        self.rewrite("x.jar", status=1, err=["instr: x.jar!a/Bomb.class: skipped: "])
        self.assertLess(os.path.getsize(self.path("out")), 1 << 20)

    def test_an_entry_larger_than_stated_is_skipped(self):
        data = bytearray(jar([("a/A.class", class_file("a/A"))]))
        for at in (22, data.index(b"PK\1\2") + 24):
            data[at:at + 4] = struct.pack("<I", 10)
        self.write("x.jar", bytes(data))
        self.rewrite("x.jar", status=1, err=["instr: x.jar!a/A.class: skipped: "])

    def test_the_nesting_of_jars_is_limited(self):
        data = jar([("a/A.class", class_file("a/A"))])
        for _ in range(9):
            data = jar([("x.jar", data)])
        self.write("x.jar", data)
        self.rewrite("x.jar", status=1, err=["jars are nested too deeply"])

    def test_jars_in_jars_have_an_end(self):
        """A small file may hold millions of them. Here three say of themselves that they are large."""
        inner = jar([("a/A.class", class_file("a/A"))])
        data = bytearray(jar([(name, inner) for name in ("a.jar", "b.jar", "c.jar", "d.jar")]))
        at = 0
        for _ in range(3):
            at = data.index(b"PK\1\2", at) + 28
            data[at - 4:at] = struct.pack("<I", 3 << 30)
        self.write("x.jar", bytes(data))
        done = self.rewrite("x.jar", status=1, err=["x.jar!c.jar: skipped: too many or too large jars in jars; the rest of them stays as it is\n"])
        self.assertNotIn("d.jar", done.stderr)
        with zipfile.ZipFile(self.path("out")) as out:
            self.assertEqual(out.read("d.jar"), inner)

    def test_a_name_may_occur_twice(self):
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            before = jar([("a/A.class", class_file("a/A")), ("a/A.class", class_file("a/A")), ("t", "1"), ("t", "2")])
        self.write("x.jar", before)
        self.rewrite("x.jar")
        names = zipfile.ZipFile(self.path("out")).namelist()
        self.assertEqual(names[:4], ["a/A.class", "a/A.class", "t", "t"])

    @slow
    def test_flipped_bytes_never_crash_it(self):
        good = jar([("a/A.class", class_file("a/A")), ("lib/b.jar", jar([("b/B.class", class_file("b/B"))])),
                    ("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\n\r\nName: x\r\nSHA-Digest: y\r\n"), ("META-INF/A.SF", "")])
        luck = random.Random(4)
        for _ in range(300):
            data = bytearray(good)
            for _ in range(luck.randint(1, 4)):
                data[luck.randrange(len(data))] = luck.randrange(256)
            self.write("x.jar", bytes(data))
            done = self.run_tool("rewrite", "calls", "quiet=yes", "x.jar", "-o", "out")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertEqual(self.left_behind(), [])

    @slow
    def test_70000_entries(self):
        before = jar(((f"p/n{i}.txt", "") for i in range(69990)), zipfile.ZIP_STORED)
        file = io.BytesIO(before)
        with zipfile.ZipFile(file, "a") as archive:
            for i in range(10):
                archive.writestr(f"p/C{i}.class", class_file(f"p/C{i}"))
        self.write("x.jar", file.getvalue())
        self.rewrite("x.jar")
        self.assertEqual(len(self.judge(file.getvalue(), self.bytes_of("out"))), 10)


class Files(Rewrite):
    def test_in_and_out_must_differ(self):
        self.write("x.jar", jar([("A.class", class_file("A"))]))
        os.link(self.path("x.jar"), self.path("y.jar"))
        os.symlink("x.jar", self.path("z.jar"))
        for out in ("x.jar", "y.jar", "z.jar"):
            self.rewrite("x.jar", out, 1, f"instr: {out}: is the same as IN\n")

    def test_an_old_file_stays_until_the_new_one_is_complete(self):
        self.write("x.jar", jar([("A.class", class_file("A"))])[:-5])
        self.write("out", "old")
        self.rewrite("x.jar", status=1)
        self.assertEqual(self.read("out"), "old")

    def test_a_full_disk_leaves_nothing(self):
        self.write("x.jar", jar(((f"p/C{i}.class", class_file(f"p/C{i}")) for i in range(3000)), zipfile.ZIP_STORED))
        done = self.run_tool("rewrite", "calls", "x.jar", "-o", "out",
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000)))
        self.assertEqual((done.returncode, done.stderr), (1, "instr: x.jar: File too large\n"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["x.jar"])

    def test_a_signal_leaves_nothing(self):
        entries = [(f"p/C{i}.class", class_file(f"p/C{i}")) for i in range(20000)]
        self.write("x.jar", jar(entries, zipfile.ZIP_STORED))
        for i in range(3):
            os.makedirs(self.path(f"tree/d{i}"))
            os.link(self.path("x.jar"), self.path(f"tree/d{i}/x.jar"))
        for source in ("x.jar", "tree"):
            for number in (signal.SIGINT, signal.SIGTERM, *([signal.SIGKILL] if source == "x.jar" and self.has_unnamed() else [])):
                # A shell that starts the tests in the background makes them ignore SIGINT, and children inherit that.
                child = subprocess.Popen([self.instr, "rewrite", "calls", source, "-o", "out"], cwd=self.folder,
                                         stderr=subprocess.DEVNULL,
                                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
                while child.poll() is None and not self.has_begun(child):
                    time.sleep(0.001)
                child.send_signal(number)
                self.assertEqual(child.wait(timeout=30), -number)
                self.assertEqual(sorted(os.listdir(self.folder)), ["tree", "x.jar"])

    def has_unnamed(self):
        """Has the file system files without a name?"""
        try:
            os.close(os.open(self.folder, os.O_TMPFILE | os.O_RDWR, 0o600))
        except OSError:
            return False
        return True

    def test_what_is_to_be_set_for_a_user_is_not_copied(self):
        """A program of another user must not become one of root."""
        self.write("in/program", "x")
        self.write("in/Foo.class", class_file())
        self.write("in/Cut.class", class_file()[:40])
        for name in ("in/same.jar", "x.jar"):
            self.write(name, jar([("a/A.class", class_file("a/A"))]))
        self.write("in/no.jar", "x")
        names = ["program", "Foo.class", "Cut.class", "same.jar", "no.jar"]
        for name in [f"in/{n}" for n in names] + ["x.jar", "in"]:
            if os.geteuid() == 0:
                os.chown(self.path(name), 65534, 65534)
            os.chmod(self.path(name), 0o6755)
        self.rewrite("in", "out", 1)
        self.rewrite("x.jar", "y.jar")
        for name in [f"out/{n}" for n in names] + ["y.jar", *(["out"] if os.geteuid() == 0 else [])]:
            self.assertEqual(oct(os.stat(self.path(name)).st_mode & 0o7777), oct(0o755), name)

    def test_what_others_have_put_in_the_place_stays(self):
        self.write("in/program", "x")
        self.write("elsewhere/file", "x")
        command = "mkdir .instr-$$.tmp .instr-$$-0.tmp && ln -s elsewhere .instr-$$-1.tmp && exec " \
            f"{self.instr} rewrite calls in -o out"
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.read("out/program"), os.listdir(self.path("elsewhere")), len(self.left_behind())), ("x", ["file"], 3))

    def test_what_another_process_of_the_same_number_writes_stays(self):
        """Containers may share a folder: the process 1 of each writes there."""
        self.write("x.jar", jar([("A.class", class_file("A"))]))
        for hidden in ("", "mount -t tmpfs none /proc && "):
            if hidden and os.geteuid() != 0:
                self.skipTest("only root may hide /proc")
            command = f"{hidden}echo theirs > .instr-$$.tmp && echo theirs > .instr-$$-0.tmp && exec {self.instr} rewrite calls x.jar -o y.jar"
            unshare = ["unshare", "-m"] if hidden else []
            done = subprocess.run([*unshare, "sh", "-c", command], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([self.read(name) for name in self.left_behind()], ["theirs\n"] * 2)
            self.expect(["check", "y.jar"], 0)
            for name in self.left_behind():
                os.unlink(self.path(name))

    @slow
    def test_an_entry_that_is_too_large_stays_as_it_is(self):
        with zipfile.ZipFile(self.path("in.jar"), "w") as archive:
            archive.writestr("A.class", class_file("A"))
            with archive.open(zipfile.ZipInfo("lib/large.jar"), "w") as entry:
                for _ in range(513):
                    entry.write(bytes(1 << 20))
        self.rewrite("in.jar", "out.jar", 1, ["instr: in.jar!lib/large.jar: skipped: larger than 512 MB\n"])
        with zipfile.ZipFile(self.path("out.jar")) as archive:
            self.assertNotEqual(archive.read("A.class"), class_file("A"))
            self.assertEqual(archive.getinfo("lib/large.jar").file_size, 513 << 20)

    def test_a_directory_is_rewritten(self):
        self.write("in/classes/com/acme/Foo.class", class_file())
        self.write("in/classes/com/acme/Cut.class", class_file()[:40])
        self.write("in/lib/x.jar", jar([("a/A.class", class_file("a/A"))]))
        self.write("in/lib/same.jar", jar([("t.txt", "t")]))
        self.write("in/notes.txt", "notes")
        os.chmod(self.path("in/notes.txt"), 0o600)
        os.utime(self.path("in/notes.txt"), (1e9, 1e9))
        os.makedirs(self.path("in/empty"))
        os.symlink("../../outside", self.path("in/link"))
        os.symlink("/", self.path("in/root"))
        done = self.rewrite("in", "out", 1)
        self.assertRegex(done.stderr, r"instr: in/classes/com/acme/Cut.class: skipped: ")
        before, after = (sorted(os.path.relpath(os.path.join(d, n), self.path(top)) for d, ds, fs in os.walk(self.path(top))
                                for n in ds + fs) for top in ("in", "out"))
        self.assertEqual(before, [n for n in after if not GATES.search(n)])
        self.assertEqual(len(after) - len(before), 8)
        self.assertEqual(os.readlink(self.path("out/link")), "../../outside")
        info = os.stat(self.path("out/notes.txt"))
        self.assertEqual((info.st_mode & 0o777, info.st_mtime, self.read("out/notes.txt")), (0o600, 1e9, "notes"))
        self.assertEqual(self.bytes_of("out/lib/same.jar"), self.bytes_of("in/lib/same.jar"))
        self.assertEqual(self.judge(self.bytes_of("in/lib/x.jar"), self.bytes_of("out/lib/x.jar")), ["a/A.class"])
        self.assertEqual(self.bytes_of("out/classes/com/acme/Cut.class"), class_file()[:40])
        self.assertNotEqual(self.bytes_of("out/classes/com/acme/Foo.class"), class_file())
        self.expect(["check", "out/classes/com/acme/Foo.class"], 0)
        self.rewrite("in", "out", 1, ["instr: out: Directory not empty"])
        self.rewrite("in", "in/lib/out", 1, ["instr: in/lib/out: is inside IN"])
        self.assertEqual(self.left_behind(), [])

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_unreadable_files_in_a_directory_are_reported(self):
        self.write("in/secret.txt", "x")
        os.chmod(self.path("in/secret.txt"), 0)
        self.rewrite("in", "out", 1, ["instr: in/secret.txt: skipped: Permission denied"])

    def test_a_single_class(self):
        self.write("Foo.class", class_file())
        os.makedirs(self.path("com/acme"))
        self.rewrite("Foo.class", "com/acme/Foo.class")
        names = os.listdir(self.path("com/acme"))
        self.assertEqual((len(names), len([n for n in names if GATES.search(n)])), (9, 8))
        self.expect(["check", *(os.path.join("com/acme", n) for n in names)], 0, ["9 classes"])
        self.write("Cut.class", class_file()[:40])
        self.rewrite("Cut.class", "Out.class", 1, ["instr: Cut.class: skipped: "])
        self.assertEqual(self.bytes_of("Out.class"), class_file()[:40])

    def test_usage_is_printed(self):
        self.write("x.jar", jar([]))
        for arguments, line in (([], "no file or directory given"), (["calls", "x.jar"], "-o OUT is missing"),
                                (["x.jar", "-o", "y"], "no pass is given"),
                                (["cals", "x.jar", "-o", "y"], "did you mean 'calls'?"),
                                (["calls", "--jbos", "2", "x.jar", "-o", "y"], "unknown option '--jbos'"),
                                (["calls", "--jobs", "0", "x.jar", "-o", "y"], "--jobs must be")):
            self.expect(["rewrite", *arguments], 2, "", [line, "usage: instr rewrite"])
        self.expect(["rewrite", "calls", "none", "-o", "y"], 1, "", "instr: none: No such file or directory\n")
        self.expect(["rewrite", "calls", "x.jar", "-o", "/dev/null"], 1, "", "instr: /dev/null: not a regular file\n")
        self.expect(["rewrite", "calls", "x.jar", "-o", "none/y"], 1, "", ["No such file or directory"])

    def test_the_runtime_jar_is_there(self):
        path = self.expect(["runtime-jar"], 0, err="").stdout.strip()
        names = zipfile.ZipFile(path).namelist()
        self.assertIn("instr/runtime/Offline.class", names)
