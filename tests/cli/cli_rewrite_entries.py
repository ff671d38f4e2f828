"""instr rewrite: odd and hostile entries of archives, and the progress bar."""

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import termios
import unittest
import zipfile
import zlib

from cli_rewrite import GATES, Rewrite, jar
from support import class_file, slow


class Unseekable(io.RawIOBase):
    """An archive that is written to a pipe has lengths after its entries (APPNOTE 4.3.9)."""

    def __init__(self):
        super().__init__()
        self.data = bytearray()

    def writable(self):
        return True

    def write(self, data):
        self.data += data
        return len(data)


class Entries(Rewrite):
    def test_lengths_after_entries(self):
        to = Unseekable()
        with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("t.txt", "text" * 100)
            archive.writestr("a/A.class", class_file("a/A"))
            archive.writestr(zipfile.ZipInfo("stored.txt"), "s" * 100)
        before = bytes(to.data)
        self.assertTrue(all(i.flag_bits & 8 for i in zipfile.ZipFile(io.BytesIO(before)).infolist()))
        self.write("x.jar", before)
        self.rewrite("x.jar")
        self.assertEqual(self.judge(before, self.bytes_of("out")), ["a/A.class"])

    def test_zip64(self):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in (("t.txt", b"text" * 100), ("a/A.class", class_file("a/A"))):
                with archive.open(name, "w", force_zip64=True) as entry:
                    entry.write(data)
        self.write("x.jar", file.getvalue())
        self.rewrite("x.jar")
        out = zipfile.ZipFile(self.path("out"))
        self.assertIsNone(out.testzip())
        self.assertEqual(out.read("t.txt"), b"text" * 100)
        self.assertNotEqual(out.read("a/A.class"), class_file("a/A"))
        self.expect(["check", "out"], 0, ["\n0 failures\n"])

    def test_encrypted_entries_are_skipped_and_reported(self):
        before = bytearray(jar([("a/A.class", class_file("a/A")), ("a/B.class", class_file("a/B")), ("lib/c.jar", jar([]))]))
        for name in ("a/B.class", "lib/c.jar"):
            info = zipfile.ZipFile(io.BytesIO(before)).getinfo(name)
            before[info.header_offset + 6] |= 1
            before[before.index(name.encode(), before.index(b"PK\1\2")) - 46 + 8] |= 1
        self.write("x.jar", bytes(before))
        self.rewrite("x.jar", status=1, err=[f"instr: x.jar!{name}: skipped: encrypted" for name in ("a/B.class", "lib/c.jar")])
        old, new = (zipfile.ZipFile(io.BytesIO(data)) for data in (bytes(before), self.bytes_of("out")))
        self.assertNotEqual(new.getinfo("a/A.class").CRC, old.getinfo("a/A.class").CRC)
        for name in ("a/B.class", "lib/c.jar"):
            self.assertEqual((new.getinfo(name).CRC, new.getinfo(name).flag_bits & 1), (old.getinfo(name).CRC, 1))

    def test_a_damaged_class_that_is_the_only_one_is_reported(self):
        before = bytearray(jar([("a/A.class", class_file("a/A"))]))
        before[14] ^= 1  # the checksum, in both headers
        before[before.index(b"PK\1\2") + 16] ^= 1
        self.write("x.jar", bytes(before))
        self.rewrite("x.jar", status=1, err=["instr: x.jar!a/A.class: skipped: CRC error"])

    def test_a_damaged_resource_is_copied_as_it_is(self):
        """Its bytes are not looked at, stored or deflated: the help says so."""
        for how in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w", how) as archive:
                archive.writestr("t.txt", b"text" * 100)
                archive.writestr("a/A.class", class_file("a/A"))
            before = bytearray(file.getvalue())
            before[14] ^= 1  # the checksum, in both headers
            before[before.index(b"PK\1\2") + 16] ^= 1
            self.write("x.jar", bytes(before))
            self.rewrite("x.jar")
            after, parts = self.bytes_of("out"), []
            for data in bytes(before), after:
                info = zipfile.ZipFile(io.BytesIO(data)).getinfo("t.txt")
                start = info.header_offset + 30 + sum(struct.unpack_from("<HH", data, info.header_offset + 26))
                parts.append((info.CRC, data[start:start + info.compress_size]))
            self.assertEqual(*parts)
            os.unlink(self.path("out"))
        words = " ".join(self.run_tool("help", "rewrite").stdout.split())
        self.assertIn("Other entries are copied byte for byte", words)
        self.assertIn("whether they are whole is not checked", words)

    def test_names_with_dots_and_slashes_write_nothing_elsewhere(self):
        names = ["../a/A.class", "../../../../../../../../tmp/a/A.class", "/a/A.class", "C:\\a\\A.class", "a/./A.class", "a//A.class"]
        before = jar([("b/B.class", class_file("b/B"))] + [(n, class_file("a/A")) for n in names])
        self.write("in/x.jar", before)
        self.write("tree/lib/x.jar", before)
        listed = {d: sorted(os.listdir(self.path(d))) for d in (".", "in")}
        for source, out in (("in/x.jar", "in/out"), ("tree", "in/tree")):
            done = self.run_tool("rewrite", "calls", source, "-o", out)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertNotIn("cannot", done.stderr)
        self.assertEqual(sorted(os.listdir(self.path("."))), listed["."])
        self.assertEqual(sorted(os.listdir(self.path("in"))), sorted(listed["in"] + ["out", "tree"]))
        for path in ("in/out", "in/tree/lib/x.jar"):
            new = [n for n in zipfile.ZipFile(self.path(path)).namelist() if not GATES.search(n)]
            self.assertEqual(new, ["b/B.class"] + names)
            self.assertIn("b/B.class", self.judge(before, self.bytes_of(path)))

    def test_a_module_keeps_its_declaration(self):
        declaration = class_file("module-info")
        before = jar([("module-info.class", declaration), ("META-INF/versions/9/module-info.class", declaration),
                      ("a/package-info.class", class_file("a/package-info")), ("a/A.class", class_file("a/A"))])
        self.write("x.jar", before)
        self.rewrite("x.jar")
        self.assertEqual(self.judge(before, self.bytes_of("out")), ["a/A.class"])

    def test_what_is_stored_stays_stored_and_what_is_deflated_deflated(self):
        inner = jar([("b/B.class", class_file("b/B"))])
        entries = []
        for n, method in enumerate((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)):
            for name, data in ((f"lib/l{n}.jar", inner), (f"a/A{n}.class", class_file(f"a/A{n}"))):
                info = zipfile.ZipInfo(name)
                info.compress_type = method
                entries.append((info, data))
        before = jar(entries)
        self.write("x.jar", before)
        self.rewrite("x.jar")
        out = zipfile.ZipFile(self.path("out"))
        for info, data in entries:
            now = out.getinfo(info.filename)
            self.assertEqual((now.compress_type, now.date_time), (info.compress_type, info.date_time), info.filename)
            self.assertNotEqual(out.read(now), data)
        for n in "01":
            self.assertEqual(self.judge(inner, out.read(f"lib/l{n}.jar")), ["b/B.class"])

    @slow
    def test_a_large_bomb_is_skipped_in_little_memory(self):
        deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
        size = 1 << 30
        zeros = deflater.compress(bytes(1 << 20)) + b"".join(deflater.compress(bytes(1 << 20)) for _ in range((size >> 20) - 1))
        zeros += deflater.flush()
        name = b"lib/bomb.jar"
        body = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 0, 8, 0, 33, 0, len(zeros), size, len(name), 0) + name + zeros
        central = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 8, 0, 33, 0, len(zeros), size, len(name), 0, 0, 0, 0, 0, 0) + name
        self.write("x.jar", body + central + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 1, 1, len(central), len(body), 0))
        child = subprocess.Popen([self.instr, "rewrite", "calls", "x.jar", "-o", "out"], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        text = child.stderr.read()
        child.stderr.close()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 1, text)
        self.assertRegex(text, r"^instr: x.jar!lib/bomb.jar: skipped: .{8,}\n")
        self.assertLess(usage.ru_maxrss, 200 << 10)

    @unittest.skipIf(os.geteuid() == 0 and not os.path.exists("/usr/bin/setpriv"), "root may write everywhere")
    def test_a_folder_that_cannot_be_written(self):
        self.write("x.jar", jar([("a/A.class", class_file("a/A"))]))
        os.makedirs(self.path("locked"))
        os.chmod(self.path("locked"), 0o555)
        os.chmod(self.folder, 0o755)
        other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        done = subprocess.run([*other, self.instr, "rewrite", "calls", "x.jar", "-o", "locked/out.jar"], cwd=self.folder,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"^instr: [^\n]*: Permission denied\n$")
        self.assertEqual(os.listdir(self.path("locked")), [])


class Terminal(Rewrite):
    def drawn(self, *arguments):
        """The exit status and everything written to a terminal."""
        try:
            ours, theirs = pty.openpty()
        except OSError as error:  # no /dev/pts, in some containers
            self.skipTest(f"no terminal is available: {error}")
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        child = subprocess.Popen([self.instr, "rewrite", *arguments], cwd=self.folder, stderr=theirs, stdout=theirs)
        os.close(theirs)
        text = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            text += piece
        os.close(ours)
        return child.wait(timeout=60), text.decode()

    def test_a_bar_is_drawn_and_cleared(self):
        inner = jar((f"p/D{i}.class", class_file(f"p/D{i}")) for i in range(200))
        self.write("x.jar", jar([(f"p/C{i}.class", class_file(f"p/C{i}")) for i in range(300)] + [("l.jar", inner), ("p/Bad.class", "no class")]))
        status, text = self.drawn("calls", "x.jar", "-o", "out")
        self.assertEqual(status, 1)
        shares = [int(n) for n in re.findall(r"\r\[#* *\] +(\d+) %", text)]
        self.assertGreater(len(shares), 20)
        self.assertEqual(shares, sorted(shares))
        self.assertGreaterEqual(shares[-1], 95)
        # Messages start on lines of their own, and the last bar is cleared.
        self.assertRegex(text, r"\r\x1b\[Kinstr: x.jar!p/Bad.class: skipped: ")
        self.assertNotRegex(text.split("\r\x1b[K")[-1], r"%|\[#")
        self.assertIn("501 classes in scope, 500 changed", text.split("\r\x1b[K")[-1])

    def test_no_bar_without_a_terminal_or_with_quiet(self):
        self.write("x.jar", jar((f"p/C{i}.class", class_file(f"p/C{i}")) for i in range(500)))
        status, text = self.drawn("calls", "quiet=yes", "x.jar", "-o", "out")
        self.assertEqual((status, text), (0, ""))
        self.assertNotIn("\r", self.rewrite("x.jar").stderr)


if __name__ == "__main__":
    unittest.main()
