"""The inputs that fuzzing starts from: real classes of a JDK and of libraries, those that the tests generate, and option texts.

    make_corpus.py --jdk HOME --out DIR [--generated DIR] [--count N]

Writes DIR/classes, DIR/mutf8, DIR/options, DIR/rule and others. Nothing of it belongs in the tree.
"""

import argparse
import glob
import io
import os
import shutil
import struct
import subprocess
import tempfile
import zipfile
import zlib

LARGEST = 12000  # small classes teach the fuzzer faster

OPTIONS = [
    "timing", "calls,timing", "timing,timing.file=out-%p.json,timing.top=5,include=com.acme.**:org.foo.*",
    "calls,exclude=a.b.*Test$*:**.internal.*,huge=yes,quiet=no", "timing,stats=/tmp/x%%.json,memory=8M,runtime=path",
    "calls,calls.file=a\\,b\\\\c,verbose=yes", "config=/dev/null,timing", "timng", "timing,timing.tpo=5", "", "=", ",,",
    "timing,include=**", "memory=18446744073709551615G", "calls.top=0,calls", "timing,include=com.**.x.*y*z*",
]
FILES = ["# comment\ntiming\n\ninclude=java.util.**\n", "calls\r\ntiming.top=3", "timing\nconfig=/dev/null\n", " timing \n\tcalls"]
NAMES = ["com/acme/Foo", "java/util/Map$Entry", "a/b/internal/x/yTest$1", ""]

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def write(folder, name, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)


def strings_of(data):
    """The CONSTANT_Utf8 of a class file."""
    sizes = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
    count, at, index = struct.unpack(">H", data[8:10])[0], 10, 1
    while index < count:
        tag = data[at]
        if tag == 1:
            length = struct.unpack(">H", data[at + 1:at + 3])[0]
            yield data[at + 3:at + 3 + length]
            at += 3 + length
        else:
            at += 1 + sizes[tag]
            index += tag in (5, 6)
        index += 1


def classes_of(jdk, count):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.join(jdk, "bin", "jimage"), "extract", "--dir", folder, "--include",
                        r"regex:/java.(base|desktop|sql|xml)/.*\.class,regex:/jdk.compiler/.*\.class",
                        os.path.join(jdk, "lib", "modules")], check=True)
        files = sorted(p for p in glob.glob(os.path.join(folder, "**", "*.class"), recursive=True)
                       if os.path.getsize(p) <= LARGEST)
        for path in files[:: max(1, len(files) // count)]:
            with open(path, "rb") as f:
                yield os.path.relpath(path, folder).replace(os.sep, "."), f.read()


def classes_of_languages(count):
    """Those of Kotlin, Scala and Groovy, which have patterns of their own for coverage, where Debian's packages are."""
    for name in ("kotlin-stdlib", "scala-library", "groovy-all"):
        path = f"/usr/share/java/{name}.jar"
        if not os.path.exists(path):
            continue
        with zipfile.ZipFile(path) as jar:
            entries = [e for e in jar.infolist() if e.filename.endswith(".class") and e.file_size <= LARGEST]
            for entry in entries[:: max(1, len(entries) // count)]:
                yield f"{name}." + entry.filename.replace("/", "."), jar.read(entry)


def exec_files():
    """.exec files: empty, with sessions and classes of several lengths, concatenated, with what is not allowed."""
    header = b"\x01\xc0\xc0\x10\x07"
    session = b"\x10\x00\x03one" + struct.pack(">QQ", 1, 2)
    one = b"\x11" + bytes(7) + b"\x01\x00\x01A\x03\x05"
    other = b"\x11" + bytes(7) + b"\x01\x00\x01B\x03\x02"
    longer = b"\x11" + bytes(7) + b"\x02\x00\x0ccom/acme/Foo\x82\x01" + b"\x55" * 17
    yield from (b"", header, header + session + one, header + longer + one + header + session + longer, header + one + other,
                header + one.replace(b"\x03\x05", b"\x04\x05"), header + b"\x40", header + one + session + longer[:20])


def counts():
    """FILE.counts: as written, twice the same class, and with what is not allowed."""
    one = '{"id": "%s", "name": "A", "counts": [%s]}'
    for classes in ((), (("1", "1, 2"),), (("ff", "0"), ("FF", "18446744073709551615, -1")), (("1", "9223372036854775807"), ("1", "1")),
                    (("", "1"), ("x", "1")), (("1", "1.5, null, []"),)):
        yield ('{"classes": [' + ", ".join(one % c for c in classes) + "]}").encode()
    yield from (b"", b"{", b"[]", b'{"classes": 1}', b'{"classes": [1, {}, {"id": 1}]}', b"\xff\xfe")


def sources():
    """Source files and archives, behind the byte that says which encoding they have and which of both they are."""
    text = "package com.acme;\n/** \u00e9\u4e2d */ class Shop { }\n"
    for kind, encoding in enumerate(("utf-8", "iso-8859-1", "utf-16", "shift_jis", "gb18030")):
        data = text.encode(encoding, "replace")
        yield bytes([kind]) + data
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w", method) as archive:
                for name in ("src/com/acme/Shop.java", "A.java", "../A.java", "com/acme/"):
                    archive.writestr(name, b"" if name.endswith("/") else data)
            yield bytes([kind + 5]) + out.getvalue()


def frames():
    """What goes over the control socket, from either side."""
    def frame(kind, payload=b""):
        return struct.pack(">IB", len(payload), ord(kind)) + payload
    hello = frame("H", b"instr\r\n\0\0\1\0\1")
    client = [hello, frame("C", b"enable\0timing,include=**\0"), frame("D", b"A.class\0\xca\xfe\xba\xbe"), frame("X")]
    agent = [frame("H", b"\0\1\0\0\0\1" + b"0.1.0"), frame("j", b'{"a": '), frame("J", b"1}"), frame("B", b"bytes"),
             frame("N", b"a line"), frame("E", bytes(10) + b"no such class")]
    return [b"".join(client), b"".join(agent), *client, *agent, struct.pack(">IB", 1 << 31, ord("D"))]


def conversations():
    """What a client sends, from its greeting on."""
    def frame(kind, payload=b""):
        return struct.pack(">IB", len(payload), ord(kind)) + payload
    hello = frame("H", b"instr\r\n\0\0\1\0\1")
    one = [frame("C", b"status\0" + what + b"\0") for what in (b"", b"s", b"f", b"b", b"d", b"x", b"l")]
    files = frame("D", b"A.class\0\xca\xfe\xba\xbe") * 3 + frame("C", b"redefine\0")
    return [hello + c for c in one] + [hello + one[1] + frame("X") + one[6] * 3, hello + files, hello + one[1] + one[0],
                                       hello + b"".join(one), frame("H", b"instr\r\n\0\0\2\0\3"), hello + hello]


def jars():
    """Jars with stored and deflated entries, and deflated data by itself in blocks of each kind."""
    texts = [b"", b"class", bytes(range(256)) * 2, b"java/lang/Object;" * 40]
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", method) as jar:
            for i, text in enumerate(texts):
                jar.writestr(f"p/C{i}.class", text)
        yield out.getvalue()
    for text in texts:
        for level, strategy in ((0, zlib.Z_DEFAULT_STRATEGY), (9, zlib.Z_DEFAULT_STRATEGY), (9, zlib.Z_FIXED)):
            packer = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)
            yield packer.compress(text) + packer.flush()


def perfdata():
    """A JVM's performance data with one string in it."""
    name, value = b"sun.rt.javaCommand\0", b"Main a b\0"
    entry = struct.pack("<iiiBBBBi", 48, 20, len(value), ord("B"), 0, 5, 3, 39) + name + value
    return struct.pack(">I", 0xcafec0c0) + struct.pack("<BBBBiiqii", 1, 2, 0, 1, 80, 0, 0, 32, 1) + entry


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jdk", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--generated", help="a folder with classes that the tests made")
    parser.add_argument("--count", type=int, default=600)
    options = parser.parse_args()
    classes = os.path.join(options.out, "classes")
    odd = {}
    for name, data in classes_of(options.jdk, options.count):
        write(classes, name, data)
        for s in strings_of(data):
            if any(b >= 0x80 or b < 0x20 for b in s):
                odd[s] = 1
    for name, data in classes_of_languages(options.count // 4):
        write(classes, name[-200:], data)
    for path in glob.glob(os.path.join(options.generated or "/nonexistent", "**", "*.class"), recursive=True):
        if os.path.getsize(path) <= LARGEST:
            shutil.copy(path, os.path.join(classes, "generated." + os.path.basename(path)))
    for i, s in enumerate([b"plain/Name", b"\xc0\x80", b"\xed\xa0\xbd\xed\xb8\x80", b"\xf0\x9f\x98\x80", *list(odd)[:300]]):
        write(os.path.join(options.out, "mutf8"), f"s{i}", s[:4000])
    for i, text in enumerate(OPTIONS):
        write(os.path.join(options.out, "options"), f"list{i}", b"\0" + text.encode() + b"\0" + NAMES[i % 4].encode())
    for i, text in enumerate(FILES):
        write(os.path.join(options.out, "options"), f"file{i}", b"\1" + text.encode() + b"\0" + NAMES[i % 4].encode())
    with open(os.path.join(TOP, "instr", "RULES.md"), encoding="utf-8") as page:
        for i, text in enumerate(page.read().split("```rules\n")[1].split("```")[0].splitlines()):
            write(os.path.join(options.out, "rule"), f"rule{i}", text.encode())
    for i, data in enumerate(exec_files()):
        write(os.path.join(options.out, "exec"), f"file{i}", data)
    for i, data in enumerate(counts()):
        write(os.path.join(options.out, "counts"), f"file{i}", data)
    for i, data in enumerate(sources()):
        write(os.path.join(options.out, "sources"), f"file{i}", data)
    for i, data in enumerate(jars()):
        write(os.path.join(options.out, "jar"), f"bytes{i}", data)
    for i, data in enumerate(frames() + [perfdata()]):
        write(os.path.join(options.out, "message"), f"bytes{i}", data)
    for i, data in enumerate(conversations()):
        for start in (b"\1", b"\2", b"\x1d"):
            write(os.path.join(options.out, "control"), f"bytes{i}-{start[0]}", start + data)


main()
