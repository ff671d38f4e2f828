"""How the tool is started: with standard streams that are closed, with a limit on the size of files, and with signals that are ignored."""

import os
import resource
import signal
import subprocess
import time

from cli_hostile import Poser
from support import class_file


def without(fd):
    return {"preexec_fn": lambda: os.close(fd)}


def with_signals(ignored=()):
    """As a terminal starts a command. What starts the tests may ignore signals, and children inherit that."""
    for number in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGPIPE:
        signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


class Started(Poser):
    def test_closed_standard_output_does_not_become_the_connection(self):
        pid = self.pose("answers", answer=b'{"state": "active"}')
        for words in ["status", pid], ["kits", pid], ["status", pid, "--json"]:
            done = subprocess.run([self.instr, *words], stderr=subprocess.PIPE, text=True, timeout=60, check=False, **without(1))
            self.assertEqual(done.returncode, 1, words)
            self.assertRegex(done.stderr, "instr: standard output: [^\n]+\n$")

    def test_a_command_finds_closed_streams_closed(self):
        for fd in 0, 1:
            done = subprocess.run([self.instr, "run", "calls", "--", "sh", "-c", f"test -e /proc/$$/fd/{fd} && echo open >&2; exit 7"],
                                  stderr=subprocess.PIPE, text=True, timeout=60, check=False, **without(fd))
            self.assertEqual((done.returncode, done.stderr), (7, ""))

    def test_a_pipe_that_others_have_made_non_blocking(self):
        """All is written, and read, at the pace of the other end. The pipe of others stays as it was."""
        self.write("A.class", class_file("p/" + "A" * 60000, line=3))
        data = subprocess.run([self.instr, "show", self.path("A.class")], capture_output=True, timeout=60, check=True).stdout
        self.assertGreater(len(data), 1 << 17)
        for source in self.path("A.class"), "-":
            (from_us, to_tool), (from_tool, to_us) = os.pipe(), os.pipe()
            for fd in from_us, to_us:
                os.set_blocking(fd, False)
            child = subprocess.Popen([self.instr, "show", source], stdin=from_us, stdout=to_us, stderr=subprocess.PIPE)
            time.sleep(0.5)
            self.assertFalse(os.get_blocking(to_us))
            os.close(to_us)
            with open(self.path("A.class"), "rb") as file, open(to_tool, "wb") as to, open(from_tool, "rb") as output, child.stderr:
                to.write(file.read())
                to.close()
                self.assertEqual((output.read() == data, child.wait(timeout=60), child.stderr.read()), (True, 0, b""))
            os.close(from_us)

    def test_a_limit_on_the_size_of_files_is_an_error(self):
        self.write("calls.json", '{"pass": "calls", "methods": []}')
        self.expect(["report", "calls.json", "--html", "out.html"], 1, err="instr: out.html: File too large\n", preexec_fn=limited)
        self.assertFalse(os.path.exists(self.path("out.html")))

    def test_a_command_keeps_its_signals(self):
        done = subprocess.run([self.instr, "run", "calls", "--", "grep", "SigIgn", "/proc/self/status"], stdout=subprocess.PIPE, text=True, timeout=60, check=True,
                              preexec_fn=with_signals)
        self.assertEqual(int(done.stdout.split()[1], 16), 0)

    def watching(self, folder="noting", ignored=()):
        """`instr watch` of an agent that sends lines for ever."""
        tool = subprocess.Popen([self.instr, "watch", self.pose("noting", folder=folder), "A.b(..)"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                preexec_fn=lambda: with_signals(ignored))
        self.addCleanup(tool.kill)
        time.sleep(0.5)
        return tool

    def test_what_nohup_ignores_stays_ignored(self):
        tool = self.watching(ignored=[signal.SIGHUP])
        for number in signal.SIGHUP, signal.SIGHUP, signal.SIGTERM, signal.SIGTERM:
            self.assertIsNone(tool.poll())
            tool.send_signal(number)
            time.sleep(1.1)
        self.assertEqual(tool.wait(5), 1)

    def test_a_second_signal_does_not_wait(self):
        for number in signal.SIGINT, signal.SIGTERM:
            with self.subTest(number):
                tool = self.watching(folder=str(int(number)), ignored=[signal.SIGINT])  # as in the background
                tool.send_signal(number)
                time.sleep(0.1)
                tool.send_signal(number)  # as timeout(1) does
                time.sleep(1)
                self.assertIsNone(tool.poll())
                tool.send_signal(number)
                self.assertEqual(tool.wait(5), 1)
