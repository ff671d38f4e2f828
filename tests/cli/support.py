"""What the tests share: running the tool, a temporary folder, and small class files."""

import os
import shutil
import struct
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def slow(test):
    """Marks a test that --quick skips."""
    test.slow = True
    return test


class CliTest(unittest.TestCase):
    def setUp(self):
        self.instr = os.environ["INSTR_UNDER_TEST"]
        self.folder = tempfile.mkdtemp(prefix="instr-cli-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run_tool(self, *arguments, tool=None, **more):
        more.setdefault("cwd", self.folder)
        return subprocess.run([tool or self.instr, *arguments], capture_output=True, text=True,
                              timeout=600, check=False, **more)

    def expect(self, arguments, status, out=None, err=None, **more):
        """Runs the tool; `out` and `err` are its exact output, or a list of its parts."""
        done = self.run_tool(*arguments, **more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        for expected, printed in ((out, done.stdout), (err, done.stderr)):
            if isinstance(expected, str):
                self.assertEqual(printed, expected)
            for part in expected if isinstance(expected, list) else ():
                self.assertIn(part, printed)
        return done


def utf8(text):
    data = text.encode()
    return b"\x01" + struct.pack(">H", len(data)) + data


def class_file(name="com/acme/Foo", code=b"\x03\xac", line=0):
    """A class with one method, `static int f()`, that returns 0; on this line, if one is given."""
    pool = [utf8(name), b"\x07\x00\x01", utf8("java/lang/Object"), b"\x07\x00\x03", utf8("f"),
            utf8("()I"), utf8("Code")]
    lines = b""
    if line:
        pool.append(utf8("LineNumberTable"))
        lines = struct.pack(">HIHHH", len(pool), 6, 1, 0, line)
    attribute = struct.pack(">HHI", 1, 0, len(code)) + code + struct.pack(">HH", 0, 1 if line else 0) + lines
    method = struct.pack(">HHHHHI", 9, 5, 6, 1, 7, len(attribute)) + attribute
    return (struct.pack(">IHHH", 0xCAFEBABE, 0, 52, len(pool) + 1) + b"".join(pool)
            + struct.pack(">HHHHHH", 0x21, 2, 4, 0, 0, 1) + method + struct.pack(">H", 0))
