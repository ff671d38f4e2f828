"""Commands on processes that pose as a JVM: nothing that they send reaches the terminal raw, and no command waits for ever."""

import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from support import TOP, CliTest, class_file, slow

POSER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "poser.py")
EVIL = "EVIL\x1b]0;owned\x07\x9b31m\u202e\u061c\r\nEVIL"
OTHER = 65534  # a user who may do nothing here, if we are root


def deceptive(text):
    """The characters that a terminal obeys or that hide others."""
    return sorted({c for c in text if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f" or c in "\u061c\u200b\u200e\u202a\u202e\u2066\ufeff"})


def keys():
    """All names of members that the tool looks for in what an agent sends."""
    found = set()
    for path in glob.glob(os.path.join(TOP, "instr", "cli", "**", "*.c"), recursive=True):
        with open(path, encoding="utf-8") as file:
            found |= set(re.findall(r'(?:cli_text|cli_count|cli_text_list|json_object_get|count|rate)\(\s*\w+(?:->\w+)?,\s*"(\w+)"',
                                    file.read()))
    return sorted(found)


class Poser(CliTest):
    def pose(self, mode, folder=None, env=None, **files):
        os.chmod(self.folder, 0o755)
        folder = self.path(folder or mode)
        os.makedirs(folder)
        for name, content in files.items():
            self.write(os.path.join(folder, name), content)
        user = [str(OTHER)] if os.geteuid() == 0 else []
        if user:
            os.chown(folder, OTHER, OTHER)
        poser = subprocess.Popen([sys.executable, POSER, folder, mode, *user], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                 env={**os.environ, **(env or {})})
        self.addCleanup(self.end, poser)
        self.assertEqual(poser.stdout.readline(), "ready\n")
        return str(poser.pid)

    def end(self, poser):
        poser.stdin.close()
        poser.wait(60)
        poser.stdout.close()

    def ends(self, *words, tool=None, timeout=60):
        """Runs the tool, which must end by itself. Exit status, standard output and error as text, and seconds."""
        before = time.monotonic()
        try:
            done = subprocess.run([tool or self.instr, *words], capture_output=True, timeout=timeout, cwd=self.folder, check=False)
        except subprocess.TimeoutExpired:
            self.fail(f"instr {' '.join(words)} does not end")
        return (done.returncode, *(b.decode("utf-8", "surrogateescape") for b in (done.stdout, done.stderr)), time.monotonic() - before)


class Printable(Poser):
    def test_no_field_of_an_answer_reaches_the_terminal_raw(self):
        names = keys()
        self.assertGreater(len(names), 40)
        row = {name: EVIL for name in names}
        answers = {"texts": row, "lists": {name: [EVIL, row] for name in names}, "numbers": dict.fromkeys(names, 7) | {"state": EVIL},
                   "passes": {"passes": [EVIL], "classes": 3, "refusals": [EVIL], "refused": 9, "state": EVIL, "file": EVIL}}
        pid = self.pose("answers", answer="{}", perfdata="yes")
        commands = [["list"], ["status", pid], ["attach", pid], ["attach", pid, "calls"], ["enable", pid, "calls"], ["disable", pid, "calls"],
                    ["set", pid, "calls.top=3"], ["revert", pid], ["off", pid], ["detach", pid], ["watch", pid, "Foo.bar(..)"],
                    ["top", pid, "--once"], ["undo", pid], ["coverage", "dump", pid], ["doctor", pid]]
        silent = [["report", pid], ["report", pid, "calls"], ["rules", pid], ["kits", pid], ["kit", "reload", pid], ["plugin", pid, "a", "b"],
                  ["show", pid, "Foo"]]
        shown = set()
        for name, answer in answers.items():
            # Python escapes the characters below blank alone, as a JSON writer must.
            self.write("answers/answer", json.dumps(answer, ensure_ascii=False))
            for words in commands + silent:
                for more in [], ["--json"]:
                    status, out, err, _ = self.ends(*words, *more)
                    self.assertGreaterEqual(status, 0, f"{name}: {words + more}")
                    self.assertEqual(deceptive(out + err), [], f"{name}: {words + more}: {out + err!r}")
                    shown |= {words[0]} if "EVIL" in out else set()
        self.assertGreaterEqual(shown, {words[0] for words in commands})

    def test_json_stays_the_same_value(self):
        pid = self.pose("answers", answer=json.dumps({"state": EVIL, "passes": ["\x7f\u2066"]}, ensure_ascii=False))
        _, out, _, _ = self.ends("status", pid, "--json")
        self.assertEqual(json.loads(out), {"state": EVIL, "passes": ["\x7f\u2066"]})
        self.assertEqual(deceptive(out), [])

    def test_what_is_not_utf8_is_in_json(self):
        for arguments, expected in ((b"bad\xff", "bad\ufffd"), ("\u20ac".encode() * 300, "\u20ac")):
            pid = self.pose("nothing", folder=str(len(arguments)), perfdata=arguments)
            _, out, _, _ = self.ends("list", "--json")
            command = next(jvm["command"] for jvm in json.loads(out) if jvm["pid"] == int(pid))
            self.assertIn(expected, command)

    def test_one_is_not_several_and_nothing_is_said_to_be_nothing(self):
        answer = {"passes": ["calls"], "classes": 1, "changed": 1, "remaining": 1, "classes_now": 1, "methods_now": 1}
        pid = self.pose("answers", answer=json.dumps(answer))
        self.assertIn(f"1 more class follows; 'instr status {pid}' shows the progress\n", self.ends("enable", pid, "calls")[1])
        self.assertIn("now        1 class changed, 1 method\n", self.ends("status", pid)[1])
        self.write("answers/answer", json.dumps({"passes": ["timing"]}))
        self.assertIn(f"instr: process {pid}: timing; no class had to be restored\n", self.ends("revert", pid, "a.B")[1])

    def test_a_reason_is_printable(self):
        pid = self.pose("failing")
        for words in ["status"], ["revert"], ["top", "--once"], ["dump"], ["watch"]:
            more = {"dump": ["Foo", "-o", "x"], "watch": ["Foo.bar(..)"]}.get(words[0], [])
            status, out, err, _ = self.ends(words[0], pid, *words[1:], *more)
            self.assertEqual(status, 1)
            self.assertIn("EVIL", err)
            self.assertEqual(deceptive(out + err), [])

    def test_the_version_is_printable(self):
        for mode in "nothing", "answers":
            pid = self.pose(mode, answer="{}", **({"perfdata": "yes"} if mode == "answers" else {}))
            for more in [], ["--json"]:
                _, out, err, _ = self.ends("list", *more)
                line = next(line for line in out.splitlines() if pid in line)
                self.assertIn(pid if more else "EVIL", line)
                self.assertEqual(deceptive(out + err), [])


class Ending(Poser):
    """Commands on agents that do not answer as they should. Each must end by itself."""

    @slow
    def test_no_room_for_a_connection(self):
        pid = self.pose("backlog")
        for words in ["list"], ["status", pid], ["off", pid], ["attach", pid, "calls"], ["doctor", pid]:
            status, out, err, _ = self.ends(*words)
            if words[0] == "list":
                self.assertRegex(out, rf"(?m)^ *{pid} ")
            elif words[0] == "off":  # the file is there, and nobody looks for it
                self.assertIn("the kill switch, ", err)
                self.assertIn("is set, but the agent has not obeyed it yet", err)
            elif words[0] != "doctor":
                self.assertEqual((status, err), (1, f"instr: the agent in process {pid} accepts no client; 'instr off {pid}' stops it\n"))

    def switching_off(self, folder, *more):
        """`instr off` of an agent that accepts nobody, when its kill switch is there; and the path of that."""
        pid = self.pose("backlog", folder=folder)
        tool = subprocess.Popen([self.instr, "off", pid, *more], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(tool.kill)
        switch = f"/tmp/.instr-{OTHER if os.geteuid() == 0 else os.geteuid()}/{pid}.off"
        for _ in range(1000):
            if os.path.lexists(switch):
                return pid, tool, switch
            time.sleep(0.01)
        self.fail("no kill switch")

    @slow
    def test_a_kill_switch_that_is_obeyed(self):
        for more in [], ["--json"]:
            pid, tool, switch = self.switching_off(f"seen{len(more)}", *more)
            os.unlink(switch)
            out, err = tool.communicate(timeout=60)
            self.assertEqual((tool.returncode, err), (0, ""))
            if more:
                self.assertEqual(json.loads(out), {"kill_switch": switch})
            else:
                self.assertEqual(out, f"instr: process {pid}: the agent has obeyed the kill switch, {switch}\n")

    @slow
    def test_a_process_that_ends_leaves_no_kill_switch(self):
        pid, tool, switch = self.switching_off("ending")
        os.kill(int(pid), signal.SIGKILL)  # nobody waits for it: it stays a zombie
        self.assertEqual(tool.communicate(timeout=60), ("", f"instr: process {pid} has ended\n"))
        self.assertEqual(tool.returncode, 1)
        self.assertFalse(os.path.lexists(switch))
        for words in ["status"], ["attach", "calls"], ["top"], ["off"], ["doctor"]:
            _, out, err, seconds = self.ends(words[0], pid, *words[1:])
            self.assertIn(f"process {pid} has ended", out if words[0] == "doctor" else err)
            self.assertLess(seconds, 5)
        os.unlink(switch.removesuffix("off") + "sock")

    @slow
    def test_a_byte_now_and_then(self):
        for mode, reason in (("slow", "is not responding"), ("dripping", "has not answered in time")):
            pid = self.pose(mode)
            for words in ["list"], ["status", pid], ["revert", pid], ["off", pid], ["top", pid, "--once"], ["dump", pid, "Foo", "-o", "x"]:
                status, out, err, _ = self.ends(*words)
                if words[0] == "list":
                    self.assertRegex(out, rf"(?m)^ *{pid} ")
                    continue
                self.assertEqual(status, 1)
                self.assertIn("the kill switch" if words[0] == "off" else "is not responding" if words[0] == "top" else reason, err)

    @slow
    def test_status_takes_five_seconds_at_most(self):
        for mode in "backlog", "mute", "slow", "dripping":
            pid = self.pose(mode)
            self.assertLess(self.ends("status", pid)[3], 8, mode)

    @slow
    def test_list_takes_five_seconds_at_most_for_each_jvm(self):
        for mode in "backlog", "mute", "slow", "dripping":
            pid = self.pose(mode)
            _, out, _, seconds = self.ends("list")
            jvms = out.splitlines()[1:]  # those of others, too
            self.assertRegex(out, rf"(?m)^ *{pid} .* silent ", mode)
            self.assertLess(seconds, 5 * len(jvms) + 3, mode)

    @slow
    def test_an_answer_without_end(self):
        pid = self.pose("endless")
        for words in ["list"], ["status", pid], ["revert", pid], ["off", pid]:
            status, out, err, _ = self.ends(*words)
            if words[0] == "list":
                self.assertRegex(out, rf"(?m)^ *{pid} ")
            else:
                self.assertEqual(status, 1)
                self.assertRegex(err, "the answer is too large|the kill switch|has not answered in time")

    def test_list_tells_which_process_is_stopped(self):
        pid = self.pose("mute")
        os.kill(int(pid), signal.SIGSTOP)
        try:
            _, out, _, _ = self.ends("list")
        finally:
            os.kill(int(pid), signal.SIGCONT)
        self.assertRegex(out, rf"(?m)^ *{pid} .* stopped ")

    @slow
    def test_any_number_of_processes_that_do_not_answer(self):
        pids = [self.pose("slow", folder=f"slow{i}") for i in range(14)]
        _, out, _, _ = self.ends("list")
        for pid in pids:
            self.assertRegex(out, rf"(?m)^ *{pid} .* silent ")

    def test_lines_without_end(self):
        pid = self.pose("noting")
        status, out, _, _ = self.ends("list")
        self.assertRegex(out, rf"(?m)^ *{pid} .* busy ")
        status, _, err, _ = self.ends("status", pid)
        self.assertEqual(status, 1)
        self.assertIn("instr: not yet\n", err)
        self.assertIn("has not answered in time", err.splitlines()[-1])

    def test_lines_and_documents_of_one_answer_are_limited(self):
        all_words = ["revert"], ["enable", "calls"], ["status"], ["off"], ["report", "calls"], ["dump", "Foo", "-o", "x"]
        for mode, reason, commands in (("chatting", "the agent sent too many lines", all_words), ("repeating", "the answer is too large", [["revert"]])):
            pid = self.pose(mode)
            for name, *more in commands:
                status, _, err, _ = self.ends(name, pid, *more, timeout=30)
                self.assertEqual(status, 1)
                self.assertLess(len(err), 1 << 20, name)
                if name != "off":
                    self.assertEqual(err.splitlines()[-1], f"instr: {reason}", f"{mode}: {name}")

    def test_a_large_answer_takes_little_memory(self):
        pid = self.pose("large")
        for words in ["list"], ["status", pid]:
            done = subprocess.run(["prlimit", f"--data={200 << 20}", self.instr, *words], capture_output=True, text=True, timeout=60, check=False)
            if words[0] == "status":
                self.assertEqual((done.returncode, done.stderr), (1, "instr: the answer is too large\n"))
            else:
                self.assertRegex(done.stdout, rf"(?m)^ *{pid} ")
                self.assertEqual(done.returncode, 0)

    def test_a_closed_connection_is_not_a_timeout(self):
        pid = self.pose("closing")
        status, _, err, _ = self.ends("status", pid)
        self.assertEqual((status, err), (1, f"instr: the agent in process {pid} has just been detached, or the JVM ends\n"))

    def test_a_command_that_cannot_be_sent_has_one_line(self):
        pid = self.pose("deaf")
        for words in (["kits", pid, "--json"], ["kit", "reload", pid], ["kit", "drop", pid, "x"], ["report", pid, "calls"], ["watch", pid, "A.b(..)"],
                      ["dump", pid, "A", "-o", "x"], ["revert", pid], ["enable", pid, "calls", "--as", "me"]):
            status, out, err, _ = self.ends(*words)
            self.assertEqual((status, out, err), (1, "", "instr: the agent was detached, or the JVM has ended\n"), words)

    @slow
    def test_files_that_are_not_read(self):
        pid = self.pose("unread")
        with open(self.path("Foo.class"), "wb") as file:
            file.write(class_file(code=bytes(60000)))
        status, _, err, _ = self.ends("redefine", pid, *["Foo.class"] * 60)
        self.assertEqual((status, err), (1, "instr: Foo.class: too large, or the connection is lost\n"))


class Attaching(Poser):
    def test_the_attach_socket_accepts_nobody(self):
        for mode in "attach-full", "attach-other", "attach-full-own":
            pid = self.pose(mode)
            status, _, err, _ = self.ends("attach", pid, "calls")
            self.assertEqual(status, 1)
            self.assertRegex(err, rf"^instr: process {pid}: [^\n]+\n$")
            if os.geteuid() == 0 and not mode.endswith("-own"):
                self.assertIn(f", /tmp/.java_pid{pid}, belongs to user {OTHER - 1}: remove that file", err)

    def test_the_attach_socket_is_an_old_one_of_root(self):
        if os.geteuid() != 0:
            self.skipTest("only root leaves files of root")
        pid = self.pose("attach-root")
        _, _, err, _ = self.ends("attach", pid, "calls")
        self.assertEqual(err, f"instr: process {pid}: its attach socket, /tmp/.java_pid{pid}, belongs to root: remove that file\n")

    def test_a_jvm_that_is_always_starting(self):
        pid = self.pose("starting")
        status, _, err, _ = self.ends("attach", pid, "calls")
        self.assertEqual(status, 1)
        self.assertRegex(err, rf"^instr: process {pid}: the JVM says: [^\n]+ live phase\n$")

    def test_an_attach_can_be_interrupted(self):
        for mode in "attach-full-own", "starting":
            self.interrupt(mode)

    def test_an_attach_that_fails_leaves_no_copy_of_the_library(self):
        if os.geteuid() != 0:
            self.skipTest("only root attaches to processes of other users")
        os.mkdir(self.path("hidden"), 0o700)
        for name in "instr", "libinstr.so":
            shutil.copy(os.path.join(os.path.dirname(self.instr), name), self.path("hidden"))
        pid = self.pose("starting", folder="failing")
        status, _, _, _ = self.ends("attach", pid, "calls", f"control={self.path('failing')}", tool=self.path("hidden/instr"))
        self.assertEqual(status, 1)
        self.assertEqual(glob.glob(self.path("failing/.instr-*/*")), [])
        self.assertTrue(glob.glob(self.path("failing/.instr-*")))

    def interrupt(self, mode):
        pid = self.pose(mode, folder=f"{mode}-interrupted")
        for number in signal.SIGINT, signal.SIGTERM:
            tool = subprocess.Popen([self.instr, "attach", pid, "calls"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            self.addCleanup(tool.kill)
            time.sleep(0.5)
            tool.send_signal(number)
            _, err = tool.communicate(timeout=60)
            # before the signal is caught, or after it
            self.assertIn(tool.returncode, (-number, 1), err)


class Pipes(Poser):
    def test_files_of_options_and_limits_that_are_not_regular_are_refused(self):
        os.mkfifo(self.path("pipe"))
        self.write("a.exec", b"\x01\xc0\xc0\x10\x07")
        self.write("Foo.class", class_file())
        for name in "pipe", "/dev/zero":
            for words in (["coverage", "check", "a.exec", "--limits", name], ["rewrite", "calls", f"config={name}", "-o", "out", "Foo.class"],
                          ["check", "--passes", f"config={name}", "Foo.class"], ["run", "calls", f"config={name}", "--", "java", "-version"],
                          ["attach", str(os.getpid()), "calls", f"config={name}"]):
                status, _, err, _ = self.ends(*words, timeout=20)
                self.assertEqual(status, 2, words)
                self.assertRegex(err, rf"^instr: .*{name}: not a regular file\n", str(words))

    def test_files_that_are_not_regular_are_refused(self):
        os.mkfifo(self.path("pipe"))
        self.write("a.exec", b"\x01\xc0\xc0\x10\x07")
        commands = [["show"], ["report"], ["coverage", "info"], ["coverage", "tests"], ["coverage", "diff", "a.exec"], ["coverage", "merge", "-o", "out"],
                    ["coverage", "recover", "-o", "out"], ["check"], ["rewrite", "calls", "-o", "out"], ["redefine", "1"], ["report", "--html", "x.html"]]
        for words in commands:
            for name in "pipe", "/dev/zero":
                status, _, err, _ = self.ends(*words, name, timeout=20)
                self.assertNotEqual(status, 0, words)
                self.assertEqual(len(err.splitlines()), 1, f"{words}: {err}")
                self.assertRegex(err, r"^instr: .*(pipe|/dev/zero): (not a regular file|neither a file nor a directory)", str(words))

    def test_standard_input_may_be_a_pipe(self):
        for words, data in ((["show", "-"], class_file()), (["report", "-"], b'{"pass": "calls", "methods": []}'), (["coverage", "info", "-"], b"\x01\xc0\xc0\x10\x07")):
            done = subprocess.run([self.instr, *words], input=data, capture_output=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""), words)


class Looking(Poser):
    """The tool reads some files whose names come from a process that it inspects."""

    def listed(self, pid):
        _, out, _, _ = self.ends("list")
        return next(line for line in out.splitlines() if line.split()[0] == pid)

    def test_files_are_read_with_the_rights_of_the_process(self):
        if os.geteuid() != 0:
            self.skipTest("only root has more rights than others")
        version = b'JAVA_VERSION="9.secret"\n'
        secret = self.write("secret/release", version)
        public = self.write("public/release", version)
        os.chmod(os.path.dirname(secret), 0o700)
        self.assertNotIn("9.secret", self.listed(self.pose("nothing", link=os.path.dirname(secret))))
        # Where the process may look, the tool does.
        shutil.rmtree(self.path("nothing"))
        self.assertIn("9.secret", self.listed(self.pose("nothing", link=os.path.dirname(public))))

    def test_directories_are_opened_with_the_rights_of_the_process(self):
        if os.geteuid() != 0:
            self.skipTest("only root has more rights than others")
        secret = self.path("secret")
        control = os.path.join(secret, f".instr-{OTHER}")
        for folder, user in (secret, 0), (control, OTHER):
            os.mkdir(folder)
            os.chmod(folder, 0o700)
            os.chown(folder, user, user)
        pid = self.pose("nothing", env={"INSTR_DIR": secret})
        status, _, err, _ = self.ends("off", pid)
        self.assertEqual((status, os.listdir(control)), (1, []), err)

    def test_a_group_of_ours_gives_no_rights(self):
        if os.geteuid() != 0:
            self.skipTest("only root has more rights than others")
        folder = os.path.dirname(self.write("group/release", 'JAVA_VERSION="9.secret"\n'))
        os.chown(folder, 0, 4711)
        os.chmod(folder, 0o750)
        pid = self.pose("nothing", link=folder)
        done = subprocess.run([self.instr, "list"], capture_output=True, text=True, timeout=60, check=False, extra_groups=[0, 4711])
        self.assertIn(pid, done.stdout)
        self.assertNotIn("9.secret", done.stdout)

    def test_a_pipe_is_not_opened(self):
        pid = self.pose("nothing", pipe="yes")
        self.assertIn("unknown", self.listed(pid))
        time.sleep(0.5)
        self.assertFalse(os.path.exists(self.path("nothing/let-go")))

    def test_pipes_in_the_control_directory_are_not_waited_for(self):
        pid = self.pose("nothing")
        folder = f"/tmp/.instr-{OTHER if os.geteuid() == 0 else os.geteuid()}"
        os.makedirs(folder, 0o700, exist_ok=True)
        os.mkfifo(f"{folder}/{pid}.off")
        self.addCleanup(lambda: os.path.lexists(f"{folder}/{pid}.off") and os.unlink(f"{folder}/{pid}.off"))
        if os.geteuid() == 0:
            os.chown(folder, OTHER, OTHER)
            os.chown(f"{folder}/{pid}.off", OTHER, OTHER)
        status, _, err, _ = self.ends("off", pid, timeout=20)
        self.assertEqual(status, 1, err)

    def test_java_agents_are_not_ours(self):
        pid = self.pose("nothing", **{"java-agent": "yes"})
        self.assertRegex(self.listed(pid), r" - +\S+$")
        _, out, _, _ = self.ends("doctor", pid)
        self.assertNotIn("does not listen", out)

    def test_a_chrooted_process_has_a_version(self):
        if os.geteuid() != 0:
            self.skipTest("only root may chroot")
        self.assertIn(" 17.EVIL", self.listed(self.pose("nothing", chroot="yes")))

    def test_words_without_end_are_no_work_without_end(self):
        """Variables of one name eight times, and files of arguments thousands of times, as only a hostile process has them."""
        words = " ".join(["-XX:+Evil"] * 12000)
        arguments = self.path("arguments")
        self.write("arguments", "-Dx\n" * 250000)
        os.chmod(arguments, 0o644)
        # For Python an expression and statements, for who reads the words an option, which the files follow.
        posing = ("-1\nimport mmap, sys\nfile = open('libjvm.so', 'rb')\nmap = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)\n"
                  "print('ready', flush=True)\nsys.stdin.read()")
        # The dictionary of os.execve would have the variable once.
        program = ("import ctypes, sys\nposing, words, file = (argument.encode() for argument in sys.argv[1:])\n"
                   "arguments = (ctypes.c_char_p * 10004)(b'java', b'-c', posing, *[b'@' + file] * 10000, None)\n"
                   "variables = (ctypes.c_char_p * 10)(*[b'JAVA_TOOL_OPTIONS=' + words] * 8, b'PYTHONHOME=' + sys.prefix.encode(), None)\n"
                   "ctypes.CDLL(None).execve(sys.executable.encode(), arguments, variables)\n")
        self.write("libjvm.so", "not a library")
        with subprocess.Popen([sys.executable, "-c", program, posing, words, arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              cwd=self.folder) as process:
            self.assertEqual(process.stdout.readline(), b"ready\n")
            for command in (["list"], ["doctor", str(process.pid)]):
                status, out, err, _ = self.ends(*command, timeout=120)
                self.assertIn("libjvm.so" if command[0] == "doctor" else str(process.pid), out, err)
                self.assertGreaterEqual(status, 0)
            process.stdin.close()

    def test_links_in_a_process_with_a_root_of_its_own_lead_to_its_files(self):
        """Its /tmp is a link to an absolute path that is there and here."""
        if os.geteuid() != 0:
            self.skipTest("only root may chroot")
        place = tempfile.mkdtemp(prefix="instr-place-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, place)
        os.chmod(place, 0o777)
        folder = self.path("nothing")
        pid = self.pose("nothing", chroot="yes", **{"var/tmp/" + os.path.basename(place) + "/here": ""})
        os.chmod(folder + "/" + place, 0o777)
        os.symlink(place, folder + "/tmp")
        self.ends("attach", pid, "calls")
        self.ends("off", pid)
        self.assertEqual(os.listdir(place), [])
        self.assertGreater(len(os.listdir(folder + "/" + place)), 1)

    @staticmethod
    def loses_memory(pid):
        """Waits for the kernel to begin: on a busy machine a process that was killed goes on for a while."""
        for _ in range(10000):
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if not file.read():
                    return
            time.sleep(0.001)

    def test_a_process_that_is_ending_has_ended(self):
        """The kernel takes its memory away before its parent can see its end; with much of it that lasts. Then nothing shows that it was a JVM."""
        large = ("import mmap, sys\nm = mmap.mmap(-1, 1 << 28)\nfor i in range(0, 1 << 28, 4096): m[i] = 1\n"
                 "print('ready', flush=True)\nsys.stdin.read()\n")
        for command in ("status", "off", "detach", "top"):
            with subprocess.Popen([sys.executable, "-c", large], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
                process.stdout.readline()
                process.kill()
                self.loses_memory(process.pid)
                status, _, err, _ = self.ends(command, str(process.pid))
            self.assertEqual((status, err), (1, f"instr: process {process.pid} has ended\n"), command)
