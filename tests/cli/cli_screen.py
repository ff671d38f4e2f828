"""`instr top` on a terminal: what it draws fits, whatever the names consist of."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import unicodedata

from cli_hostile import Poser


def columns(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class Screen(Poser):
    def top(self, width, *methods):
        """The lines of the first table."""
        rows = [{"class": c, "method": m, "descriptor": "(I)V", "calls": 9, "thrown": 0, "mean_ns": 5, "p99_ns": 5, "max_ns": 5, "self_ns": 5, "total_ns": 5,
                 "waiting_ns": 0} for c, m in methods]
        table = json.dumps({"pass": "timing", "timed": True, "interval_ns": 10 ** 9, "methods": len(rows), "calls": 9, "rows": rows})
        pid = self.pose("answers", answer=table)
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 12, width, 0, 0))
        tool = subprocess.Popen([self.instr, "top", pid], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL)
        os.close(theirs)
        screen = b""
        try:
            while data := os.read(ours, 65536):
                screen += data
        except OSError:  # the end of a terminal
            pass
        os.close(ours)
        tool.wait(60)
        table = screen.decode().partition("\033[H")[2].partition("\033[J")[0]
        return re.sub("\033\\[[0-9;?]*[a-zA-Z]", "", table).replace("\r\r\n", "\r\n").split("\r\n")

    def test_wide_characters_take_two_columns(self):
        lines = self.top(60, ("漢字漢字漢字漢字漢字漢字漢字漢字漢字", "漢字"), ("a.b.한국어한국어한국어한국어한국어", "f"), ("com.acme.Shop", "order"))
        self.assertTrue(any("com.acme.Shop.order(" in line for line in lines), lines)
        for line in lines:
            self.assertLessEqual(columns(line), 60, line)
        self.assertGreaterEqual(columns(next(line for line in lines if "漢字" in line)), 59)

    def open_top(self):
        """A running `instr top` that SIGHUP does not end, and both ends of its terminal, which it has made its screen."""
        ours, theirs = pty.openpty()
        tool = subprocess.Popen([self.instr, "top", self.pose("noting")], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL,
                                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.addCleanup(tool.wait)
        self.addCleanup(tool.kill)
        while b"\033[2J" not in os.read(ours, 65536):
            pass
        return tool, ours, theirs

    def test_a_terminal_that_has_gone_ends_it(self):
        tool, ours, theirs = self.open_top()
        os.close(theirs)
        os.close(ours)
        tool.wait(10)

    def test_no_key_leaves_the_screen_as_it_is(self):
        """Ctrl-Z and Ctrl-\\ do nothing, and q restores the screen."""
        tool, ours, theirs = self.open_top()
        special = termios.tcgetattr(theirs)[6]
        self.assertEqual([special[termios.VSUSP], special[termios.VQUIT]], [b"\0", b"\0"])
        os.write(ours, b"\x1a\x1cq")
        self.assertEqual(tool.wait(10), 0)
        self.assertIn(b"\033[?25h\033[?1049l", os.read(ours, 65536))
        os.close(theirs)
        os.close(ours)
