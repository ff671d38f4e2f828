"""instr coverage on class files that no compiler has written: reports end, with little memory, and say what they say of others."""

import re
import resource
import struct
import subprocess

from support import CliTest, slow, utf8
from cli_exec import HEADER, session

MEMORY = 768 << 20
SECONDS = 100


class ClassFile:
    def __init__(self, name):
        self.pool, self.known, self.methods, self.attributes = [], {}, [], []
        self.name, self.parent = self.type(name), self.type("java/lang/Object")

    def constant(self, data):
        if data not in self.known:
            self.pool.append(data)
            self.known[data] = len(self.pool)
        return self.known[data]

    def text(self, text):
        return self.constant(utf8(text))

    def type(self, name):
        return self.constant(struct.pack(">BH", 7, self.text(name)))

    def attribute(self, name, data):
        return struct.pack(">HI", self.text(name), len(data)) + data

    def add(self, name, data):
        self.attributes.append(self.attribute(name, data))

    def method(self, name, code, descriptor="()V", entries=(), lines=()):
        table = self.attribute("LineNumberTable", struct.pack(">H", len(lines)) + b"".join(struct.pack(">HH", *line) for line in lines))
        data = (struct.pack(">HHI", 2, 2, len(code)) + code + struct.pack(">H", len(entries)) +
                b"".join(struct.pack(">HHHH", *entry) for entry in entries) + struct.pack(">H", 1) + table)
        self.methods.append(struct.pack(">HHHH", 9, self.text(name), self.text(descriptor), 1) + self.attribute("Code", data))

    def bytes(self):
        return (struct.pack(">IHHH", 0xCAFEBABE, 0, 49, len(self.pool) + 1) + b"".join(self.pool) +
                struct.pack(">HHHHHH", 0x21, self.name, self.parent, 0, 0, len(self.methods)) + b"".join(self.methods) +
                struct.pack(">H", len(self.attributes)) + b"".join(self.attributes))


class Hostile(CliTest):
    def report(self, *formats):
        """The CPU time that a report of classes/ takes."""
        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        self.write("run.exec", HEADER + session("one"))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([self.instr, "coverage", "report", "run.exec", "--classfiles", "classes", "--quiet", *formats], capture_output=True, text=True,
                              check=False, cwd=self.folder, preexec_fn=limit, timeout=580)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def counters(self, data):
        self.write("classes/A.class", data)
        self.report("--xml", "r.xml")
        return re.sub(".*</package>", "", self.read("r.xml"))

    def test_a_finally_block_in_all_entries_of_an_exception_table(self):
        def of(entries):
            made = ClassFile("p/A")
            made.method("f", bytes(65000) + b"\xb1\x4c\x00\x2b\xbf", entries=[(0, 65000, 65001, 0)] * entries, lines=[(0, 1), (65001, 2)])
            return made.bytes()
        self.assertEqual(self.counters(of(65535)), self.counters(of(2)))

    @slow
    def test_finally_blocks_of_which_each_may_be_a_copy_of_each(self):
        made = ClassFile("p/A")
        made.method("f", b"\xb1" + b"\x4c\x00\x2b\xbf" * 16383, entries=[(0, 1, 1 + 4 * i, 0) for i in range(16383)], lines=[(0, 1)])
        self.assertIn('<counter type="METHOD" missed="1" covered="0"/>', self.counters(made.bytes()))

    def test_handlers_that_look_like_those_of_resources(self):
        made = ClassFile("p/A")
        made.type("java/lang/Throwable")
        close = made.constant(struct.pack(">BHH", 12, made.text("close"), made.text("()V")))
        add = made.constant(struct.pack(">BHH", 12, made.text("addSuppressed"), made.text("(Ljava/lang/Throwable;)V")))
        throwable = made.type("java/lang/Throwable")
        calls = [b"\xb6" + struct.pack(">H", made.constant(struct.pack(">BHH", 10, throwable, name))) for name in (close, add)]
        handler = b"\x4c\x2a" + calls[0] + b"\xa7\x00\x09\x4d\x2b\x2c" + calls[1] + b"\x2b\xbf"
        code = bytes(65000) + b"\xb1" + handler
        made.method("f", code, entries=[(0, 65000, 65001, throwable)] * 65535, lines=[(0, 1)])
        self.assertIn('<counter type="METHOD" missed="1" covered="0"/>', self.counters(made.bytes()))

    def inlined(self, files, mappings, methods):
        """A class of Kotlin with this table of inlined lines; each instruction of a method has a line of its own."""
        made = ClassFile("p/A")
        text = "SMAP\nA.kt\nKotlin\n*S Kotlin\n*F\n" + files + "*L\n" + mappings + "*E\n"
        made.add("SourceDebugExtension", text.encode())
        made.add("RuntimeVisibleAnnotations", struct.pack(">HHH", 1, made.text("Lkotlin/Metadata;"), 0))
        for i in range(methods):
            made.method(f"f{i}", bytes(1023) + b"\xb1", lines=[(pc, 1 + pc) for pc in range(1024)])
        return made.bytes()

    @slow
    def test_lines_that_were_inlined_from_many_others(self):
        self.counters(self.inlined("+ 1 B.kt\np/B\n", "2#1,65535:1\n" * 65535, 8))

    def test_many_files_of_inlined_lines(self):
        files = "".join(f"+ {i} B.kt\np/B{i % 2}\n" for i in range(500000))
        self.counters(self.inlined(files, "".join(f"2#{i}:2000\n" for i in range(500000)), 1))

    @slow
    def test_methods_that_have_all_lines(self):
        made = ClassFile("p/A")
        made.add("SourceFile", struct.pack(">H", made.text("A.java")))
        for i in range(65535):
            made.method(f"f{i % 256}", b"\x00\xb1", descriptor="(" + f"{i // 256:08b}".replace("0", "I").replace("1", "J") + ")V",
                        lines=[(0, 1), (1, 65535)])
        self.write("classes/A.class", made.bytes())
        self.assertLess(self.report("--cobertura", "r.xml"), 3 * self.report("--csv", "r.csv") + 1)
        self.assertEqual(len(re.findall("<method ", self.read("r.xml"))), 65535)
        self.assertEqual(len(re.findall("<line number=", self.read("r.xml"))), 4)
