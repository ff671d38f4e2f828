"""The jar reader against jars that `jar` and zipfile write, and against hostile ones."""

import io
import os
import random
import struct
import unittest
import zipfile

from support import BUILD, JDK, KitTest, release

DUMP = os.path.join(BUILD, "tests", "jar_dump")
STORED, DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED


def archive(entries, method=DEFLATED, **more):
    """The bytes of a jar; `entries`: names and contents."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method, **more) as jar:
        for name, content in entries:
            jar.writestr(name, content)
    return out.getvalue()


def patched(data, at, form, value):
    return data[:at] + struct.pack(form, value) + data[at + struct.calcsize(form):]


def central(data):
    """Where the central directory begins."""
    return struct.unpack_from("<I", data, len(data) - 6)[0]


class JarTest(KitTest):
    def dump(self, data, status=0):
        with open(self.path("test.jar"), "wb") as file:
            file.write(data)
        return self.run_command(DUMP, self.path("test.jar"), status=status).stdout

    def holds(self, data, entries):
        lines = [f"{name} {len(content)} {content.hex()}\n" for name, content in sorted(entries)]
        self.assertEqual(self.dump(data), "".join(lines))

    def refused(self, data, reason):
        self.assertIn(reason, self.dump(data, status=1))

    def contents(self):
        """Names and bytes of all kinds: empty, short, random, repetitive, long."""
        random.seed(7)
        texts = [b"", b"x", bytes(range(256)), random.randbytes(70000), b"abc" * 50000, bytes(200000)]
        texts += [bytes(random.choice(b"abcdefgh ") for _ in range(n)) for n in (10, 1000, 40000)]
        texts += [b"".join(random.choice((b"java/lang/", b"String;", random.randbytes(3))) for _ in range(9000))]
        return [(f"a/b/C{i}.class", text) for i, text in enumerate(texts)]

    def test_every_compression(self):
        entries = self.contents()
        self.holds(archive(entries, STORED), entries)
        for level in (1, 6, 9):
            self.holds(archive(entries, compresslevel=level), entries)

    def test_names_of_all_orders(self):
        names = ["B", "a", "a/a", "a/b", "a$1", "a1", "ab", "a/b/c", "\u00e4/\u4e16", "aa", "a.b"]
        entries = [(name + ".class", name.encode()) for name in names]
        entries.sort(key=lambda entry: entry[0].encode())
        lines = [f"{name} {len(content)} {content.hex()}\n" for name, content in entries]
        self.assertEqual(self.dump(archive(reversed(entries))), "".join(lines))

    def test_jar_writes_what_is_read(self):
        folder = self.path("classes")
        entries = [("p/C1.class", b"one" * 1000), ("p/q/C2.class", b"two")]
        for name, content in entries:
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        for options in ("cf", "c0f", "cMf"):
            self.run_command(os.path.join(JDK, "bin", "jar"), options, self.path("made.jar"), "-C", folder, ".")
            with open(self.path("made.jar"), "rb") as file:
                self.holds(file.read(), entries)

    @unittest.skipIf(release() < 9, "JDK 8 has no modules")
    def test_jmods_and_libraries(self):
        """Real jars: every class of the JDK's own, byte for byte."""
        library = os.path.join(JDK, "lib", "jrt-fs.jar")
        with zipfile.ZipFile(library) as jar:
            entries = [(name, jar.read(name)) for name in jar.namelist() if name.endswith(".class")]
        self.assertGreater(len(entries), 20)
        with open(library, "rb") as file:
            self.holds(file.read(), entries)

    def test_what_is_not_a_class_is_left_out(self):
        entries = [("p/", b""), ("p/a.txt", b"x"), ("META-INF/versions/9/p/C.class", b"x"), ("p/C.class", b"y")]
        self.holds(archive(entries), [("p/C.class", b"y")])
        self.holds(archive(entries + [("p/b.txt", b"x")]).replace(b"p/b.txt", b"p/a.txt"), [("p/C.class", b"y")])
        self.holds(archive([]), [])

    def test_data_descriptors(self):
        class Pipe(io.RawIOBase):
            """Cannot seek: zipfile then writes the sizes behind the bytes."""
            def __init__(self):
                self.data = b""

            def writable(self):
                return True

            def write(self, data):
                self.data += bytes(data)
                return len(data)

        pipe, entries = Pipe(), self.contents()
        with zipfile.ZipFile(pipe, "w", DEFLATED) as jar:
            for name, content in entries:
                jar.writestr(name, content)
        self.holds(pipe.data, entries)

    def test_something_in_front_and_a_comment_behind(self):
        entries, out = [("C.class", b"x" * 100)], io.BytesIO()
        with zipfile.ZipFile(out, "w") as jar:
            jar.comment = b"PK\5\6" + bytes(30)
            jar.writestr(*entries[0])
        self.holds(b"#!/bin/sh\n" + out.getvalue(), entries)

    # --- hostile jars ---

    def test_truncated_anywhere(self):
        data = archive([("p/A.class", b"abc" * 50), ("p/B.class", bytes(100))])
        for length in range(len(data)):
            self.refused(data[:length], "truncated")

    def test_any_byte_changed(self):
        """Whatever a byte becomes, the reader ends, with the right bytes or with a reason."""
        random.seed(8)
        contents = [b"abc" * 50, random.randbytes(50)]
        data = archive([("p/A.class", contents[0]), ("p/B.class", contents[1])])
        path = self.path("changed.jar")
        for at in range(len(data)):
            with open(path, "wb") as file:
                file.write(patched(data, at, "B", data[at] ^ 1 << random.randrange(8)))
            out = self.run_any(DUMP, path)
            self.assertIn(out.returncode, (0, 1), f"byte {at}: {out.stderr}")
            if out.returncode == 0:
                found = [line.split()[-1] for line in out.stdout.splitlines()]
                self.assertLessEqual(set(found), {content.hex() for content in contents}, f"byte {at}")

    def test_not_a_jar(self):
        for data in (b"", b"PK", bytes(100), b"\xca\xfe\xba\xbe" * 40, b"PK\5\6" + b"\xff" * 18):
            self.refused(data, "")

    def test_names(self):
        for name in ("../A.class", "p/../A.class", "/A.class", "p/..", "p/A\0.class"):
            # zipfile itself cuts names at a NUL: it is put in afterwards.
            data = archive([(name.replace("\0", "?"), b"x")], STORED)
            self.refused(data.replace(b"?", b"\0"), "has a name that is not allowed")
        self.holds(archive([("p/A..B.class", b"x"), ("...class", b"y")]), [("p/A..B.class", b"x"), ("...class", b"y")])

    def test_two_of_one_name(self):
        data = archive([("p/A.class", b"x"), ("p/B.class", b"y")]).replace(b"p/B.class", b"p/A.class")
        self.refused(data, "its entry p/A.class is there twice")

    def test_overlapping(self):
        data = archive([("p/A.class", b"x" * 50), ("p/B.class", b"y" * 50)], STORED)
        first = central(data)
        second = data.index(b"PK\1\2", first + 4)
        grown = patched(patched(data, first + 20, "<I", 90), first + 24, "<I", 90)
        self.refused(grown, "overlaps another one")
        same = data.replace(b"p/B.class", b"p/A.class")
        self.refused(patched(same, second + 42, "<I", 0), "overlaps another one")

    def test_bombs(self):
        data = archive([("p/A.class", bytes(100000))])
        at = central(data)
        self.refused(patched(data, at + 24, "<I", 15 << 20), "has a size that its bytes cannot have")
        self.refused(patched(data, at + 24, "<I", 17 << 20), "is longer than 16 MB")
        self.refused(patched(data, at + 24, "<I", 100001), "does not inflate to the length")
        self.refused(patched(data, at + 24, "<I", 99999), "does not inflate to the length")
        many = [(f"C{i}.class", bytes(16 << 20)) for i in range(33)]
        self.refused(archive(many), "more than 512 MB of class files")

    def test_wrong_sizes_and_checksums(self):
        data = archive([("p/A.class", b"abc" * 50)])
        at = central(data)
        self.refused(patched(data, at + 16, "<I", 1), "has another checksum")
        self.refused(patched(data, at + 20, "<I", 1 << 30), "is not where the central directory says")
        self.refused(patched(data, at + 42, "<I", 7), "is not where the central directory says")
        self.refused(patched(data, at + 42, "<I", 0xFFFFFFF0), "is not where the central directory says")
        self.refused(patched(data, 8, "<H", 0), "is not where the central directory says")
        self.refused(patched(archive([("A.class", b"x")], STORED), 31, "B", 65), "is not where")

    def test_kinds_that_are_not_read(self):
        data = archive([("p/A.class", b"abc" * 50)])
        at = central(data)
        self.refused(patched(data, at + 8, "<H", 1), "is encrypted")
        self.refused(archive([("A.class", b"x" * 100)], zipfile.ZIP_BZIP2), "in another way than stored or deflated")
        self.refused(patched(data, len(data) - 12, "<H", 0xFFFF), "zip64")
        self.refused(patched(data, len(data) - 18, "<H", 1), "several parts")
        self.refused(patched(patched(data, len(data) - 12, "<H", 2), len(data) - 14, "<H", 2), "less entries than it says")
