"""instr attach on real JVMs: every way to attach, everything that can forbid it, and the program unaffected."""

import contextlib
import json
import os
import re
import shutil
import socket
import signal
import struct
import subprocess
import tempfile
import time
import zipfile

from . import expect, vm
from .programs import Skip, program

# A user that owns nothing here, and that no other test is: tests run side by side.
OTHER = 65532
EXPECTED = "ready 1042\nround 2084\nround 3126\nend\n"


class Waiting:
    """The program Waiting, or one like it, perhaps started by a command that puts it elsewhere; and instr, to control it."""

    def __init__(self, r, *java, below=(), classes=None, env=None, cwd=None, main="Waiting", arguments=()):
        self.r = r
        self.errors = open(r.file("stderr"), "w+b")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("JAVA_", "JDK_", "_JAVA"))}
        environment.update(env or {})
        self.process = subprocess.Popen([*below, r.java, *java, "-cp", classes or r.built.programs, main, *arguments],
                                        cwd=cwd or r.folder, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.output = [self.process.stdout.readline()]
        self.pid = self.process.pid
        while True:  # unshare --fork runs the program as its child
            with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as f:
                children = f.read().split()
            if not below or not children:
                break
            self.pid = int(children[0])

    def instr(self, *words, user=None):
        def command(pid):
            return [self.r.cli, words[0], str(pid), *words[1:]]
        below = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
        return subprocess.run(below + command(self.pid), capture_output=True, text=True, timeout=60, cwd="/")

    def round(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.output.append(self.process.stdout.readline())

    def end(self, more=()):
        """Runs two rounds and the end; returns the differences from the output without the agent."""
        self.round()
        self.round()
        self.process.stdin.close()
        self.output.append(self.process.stdout.read())
        status = self.process.wait(timeout=60)
        self.errors.seek(0)
        self.stderr = self.errors.read().decode("utf-8", "replace")
        problems = [p for p in more if p]
        if (status, "".join(self.output)) != (0, EXPECTED):
            problems.append(f"status {status}, stdout {''.join(self.output)!r}, {self.stderr[-300:]!r}")
        return problems


def attached(done, state="dormant"):
    ok = done.returncode == 0 and (f", {state}" in done.stdout or state in ("active", "anything"))
    return "" if ok else f"attach: {done.returncode}, {done.stdout!r}, {done.stderr!r}"


def refused(done, *words):
    lines = done.stderr.splitlines()
    ok = done.returncode == 1 and len(lines) == 1 and lines[0].startswith("instr: ") and all(w in lines[0] for w in words)
    return "" if ok else f"expected one line with {words}: {done.returncode}, {done.stdout!r}, {done.stderr!r}"


def left(program):
    """Temporary files that an attach must remove."""
    return [f for d in ("/tmp", program.r.folder) for f in os.listdir(d) if f == f".attach_pid{program.pid}"]


@program("instr attach")
def attach(r):
    """From outside, without a JDK: loaded classes are counted from then on; a second attach loads no second agent."""
    report = r.file("calls.json")
    p = Waiting(r)
    done = p.instr("attach", "calls", f"calls.file={report}")
    again = p.instr("attach")
    status = p.instr("status", "--json")
    problems = p.end([attached(done, "active"), attached(again, "active"), *left(p)])
    if '"calls"' not in status.stdout:
        problems.append(f"status: {status.stdout!r} {status.stderr!r}")
    rows = {x["method"]: (x["calls"], x["thrown"]) for x in expect.load(report)["methods"]}
    if rows.get("work") != (20, 2):
        problems.append(f"work: {rows}")
    if os.path.exists(f"/tmp/.instr-{os.getuid()}/{p.pid}.sock"):
        problems.append("the socket is left behind")
    yield "counts", problems

    p = Waiting(r)
    first = p.instr("attach")
    info = os.stat(f"/tmp/.instr-{os.getuid()}/{p.pid}.sock")
    folder = os.stat(f"/tmp/.instr-{os.getuid()}")
    modes = "" if (info.st_mode & 0o777, folder.st_mode & 0o777) == (0o600, 0o700) else f"modes {info} {folder}"
    yield "dormant", p.end([attached(first), attached(p.instr("attach")), modes, *left(p)])

    p = Waiting(r)
    notes = ["JEP 451" in p.instr(*words).stderr for words in (("attach",), ("detach",), ("attach",))]
    reported = "" if notes == [r.jdk.version >= 21, False, False] else f"{notes}"  # the JVM warns once for each library
    problems = p.end([reported])
    yield "warning", problems + ([] if p.stderr.count("loaded dynamically") == notes[0] else [p.stderr])

    p = Waiting(r)
    done = p.instr("attach", "timng")
    what = "" if done.returncode == 2 and "did you mean 'timing'" in done.stderr else f"{done}"
    agent = "" if p.instr("status").returncode == 1 else "there is an agent"
    yield "mistyped", p.end([what, agent])


@program("instr attach, classes of a loader that are asked when it loads")
def asked_first(r):
    """The code that a loader runs to find a class is changed like all other code, and the loader goes on loading."""
    def loads(what, unknown, *wanted):
        p = Waiting(r, main="AskedFirst", arguments=unknown)
        done = p.instr("attach", *what, "include=AskedFirst*")
        rows = p.instr("report", what[0]).stdout
        output, _ = p.process.communicate("java.util.BitSet\nmade.Up\njava.util.BitSet\n", timeout=60)
        p.errors.seek(0)
        found = "class java.util.BitSet\njava.lang.ClassNotFoundException\nclass java.util.BitSet\n"
        problems = [attached(done, "active")] if done.returncode else []
        problems += [] if output == found else [f"{output!r}, {done.stderr!r}"]
        stderr = p.errors.read().decode()
        return problems + [f"no {w!r}: {rows!r}, {stderr!r}" for w in wanted if w not in rows + stderr]

    covered = ["coverage", "coverage.nolocation=yes", f"coverage.file={r.file('a.exec')}"]
    for what in (["calls"], ["timing"], covered):
        yield what[0], loads(what, ())
    yield "not found", loads(["calls"], ["java.lang.Instr"], "AskedFirst$Asked: skipped: its class loader does not find")


@program("instr attach, with lambdas")
def lambdas(r):
    """The classes of lambdas are skipped: JDK 8 offers them, and breaks those that are retransformed (JDK-8145964)."""
    report = r.file("calls.json")
    p = Waiting(r, main="Lambdas")
    done = p.instr("attach", "calls", f"calls.file={report}")
    p.errors.seek(0)
    name = p.errors.read().decode().split()[0]
    dump = p.instr("dump", name, "--json")
    problems = p.end([attached(done, "active"), refused(dump, name)])
    rows = {(x["class"], x["method"].split("$")[0]): x["calls"] for x in expect.load(report)["methods"]}
    expected = {("Waiting", "work"): 20, ("Lambdas", "round"): 2, ("Lambdas", "lambda"): 20}
    yield "left alone", problems + ([] if rows == expected else [f"{rows}, expected {expected}"])


@program("instr attach to a JVM that writes a class archive", jdk=17, quick=False)
def writes_archive(r):
    """HotSpot crashes when it writes classes that an agent has changed. A JVM that runs from its archive writes none."""
    archive, jar = r.file("waiting.jsa"), r.file("waiting.jar")
    with zipfile.ZipFile(jar, "w") as out:  # JVMs write no archive for a program in a folder
        out.write(os.path.join(r.built.programs, "Waiting.class"), "Waiting.class")
    cases = [[f"-XX:ArchiveClassesAtExit={archive}"], ["-XX:+RecordDynamicDumpInfo"]]
    if r.jdk.version >= 19:
        cases.append(["-XX:+AutoCreateSharedArchive", f"-XX:SharedArchiveFile={archive}"])
    for java in cases:
        if os.path.exists(archive):
            os.remove(archive)
        option = java[0].partition("=")[0]
        p = Waiting(r, *java, "-Xlog:disable", classes=jar)
        problems = findings(p.instr("doctor", "--json"), ("no", "attach", option))
        problems = p.end([*problems, refused(p.instr("attach", "timing", "include=**", "--wait"), option), *left(p)])
        yield option, problems + ([] if option.endswith("Info") or os.path.exists(archive) else ["no archive"])
    if r.jdk.version >= 19:
        p = Waiting(r, *cases[-1], "-Xlog:disable", classes=jar)
        yield "from its archive", p.end([attached(p.instr("attach", "timing", "include=**", "--wait"), "anything")])


@program("instr attach, forbidden", quick=False)
def barred(r):
    """One line names what forbids it, and the JVM prints nothing: no stacks, no warning."""
    cases = {"-XX:+DisableAttachMechanism": ("-XX:+DisableAttachMechanism", "-agentpath")}
    if r.jdk.version >= 9:
        cases["-XX:-EnableDynamicAgentLoading"] = ("-XX:-EnableDynamicAgentLoading", "JEP 451", "-agentpath")
    for option, words in cases.items():
        for how in ("command line", "environment", "no performance data"):
            env = {"JAVA_TOOL_OPTIONS": option} if how == "environment" else None
            java = [] if env else [option]
            p = Waiting(r, *java, *(["-XX:-UsePerfData"] if how.startswith("no") else []), env=env)
            problems = p.end([refused(p.instr("attach", "timing"), *words), *left(p)])
            extra = [line for line in p.stderr.splitlines() if not line.startswith("Picked up")]
            yield f"{option}, {how}", problems + extra

    for there in (False, True):
        p = Waiting(r)
        answers = [attached(p.instr("attach"))] if there else []
        os.kill(p.pid, signal.SIGSTOP)
        time.sleep(0.1)
        start = time.monotonic()
        for words in (["attach"], ["status"], ["enable", "timing"], ["watch", "Waiting.work(..)"], ["dump", "Waiting"],
                      ["top", "--once"], ["detach"], *([["off"]] if there else [])):
            answers.append(refused(p.instr(*words), "stopped"))
        if time.monotonic() - start > 5:
            answers.append(f"reported after {time.monotonic() - start:.1f} s")
        os.kill(p.pid, signal.SIGCONT)
        yield f"stopped, {'with' if there else 'without'} an agent", p.end([*answers, *left(p)]) \
            + [line for line in p.stderr.splitlines() if "agent" not in line and "EnableDynamic" not in line]

    other = subprocess.Popen(["sleep", "60"])
    answers = []
    for words in (["attach"], ["off"], ["status"], ["detach"], ["set", "for=1s"], ["top", "--once"], ["report", "calls"]):
        done = subprocess.run([r.cli, words[0], str(other.pid), *words[1:]], capture_output=True, text=True, timeout=60)
        answers.append(refused(done, "is not a JVM"))
    switch = f"/tmp/.instr-{os.getuid()}/{other.pid}.off"
    alive = "" if other.poll() is None else "it has ended"
    alive += f"{switch} is left" if os.path.lexists(switch) else ""
    other.kill()
    other.wait()
    yield "no JVM", [x for x in (*answers, alive) if x]
    done = subprocess.run([r.cli, "attach", str(other.pid)], capture_output=True, text=True, timeout=60)
    yield "no process", [x for x in [refused(done, "there is no process")] if x]


@program("instr attach, leftovers", quick=False)
def leftovers(r):
    """Attaching succeeds despite an abandoned socket, a deleted socket, and the file of an attach that gave up."""
    p = Waiting(r)
    # what an earlier process with this pid might have left
    with contextlib.closing(__import__("socket").socket(1)) as dead:
        dead.bind(f"/tmp/.java_pid{p.pid}")
    with open(f"/tmp/.attach_pid{p.pid}", "w", encoding="ascii"):
        pass
    answer = attached(p.instr("attach"))
    os.path.exists(f"/tmp/.attach_pid{p.pid}") and os.unlink(f"/tmp/.attach_pid{p.pid}")
    yield "dead socket", p.end([answer])

    if r.jdk.version >= 17:  # older JVMs do not check their socket's file
        p = Waiting(r)
        first = subprocess.run([r.jdk.tool("jcmd"), str(p.pid), "VM.version"], capture_output=True, timeout=60)
        os.unlink(f"/tmp/.java_pid{p.pid}") if first.returncode == 0 else None
        yield "socket cleaned away", p.end([attached(p.instr("attach"))])

    p = Waiting(r)
    trap = f"/tmp/.attach_pid{p.pid}"
    os.symlink(r.file("precious"), os.path.join(r.folder, f".attach_pid{p.pid}"))
    answer = attached(p.instr("attach"))
    os.unlink(os.path.join(r.folder, f".attach_pid{p.pid}"))
    yield "symbolic link", p.end([answer, "the link was followed" if os.path.exists(r.file("precious")) else "",
                                  "left behind" if os.path.exists(trap) else ""])


@program("instr attach, interrupted", quick=False)
def called_off(r):
    """Ctrl-C while waiting for the JVM: no file is left in its folder."""
    flags = r.file("flags")
    with open(flags, "w", encoding="ascii") as f:
        f.write("+DisableAttachMechanism\n")
    p = Waiting(r, f"-XX:Flags={flags}", "-XX:-UsePerfData")  # so that the flag cannot be found out, and the JVM does not answer
    trigger = os.path.join(r.folder, f".attach_pid{p.pid}")
    attaching = subprocess.Popen([r.cli, "attach", str(p.pid)], stderr=subprocess.DEVNULL,  # a shell's background job ignores it
                                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while attaching.poll() is None and not os.path.exists(trigger):
        time.sleep(0.01)
    attaching.send_signal(signal.SIGINT)
    status = attaching.wait(60)
    p.process.stdin.close()
    p.process.stdout.read()  # includes stacks, which SIGQUIT prints if the file does not exist
    p.process.wait(60)
    yield "Ctrl-C", left(p) + ([] if status == -signal.SIGINT else [f"status {status}"])


@program("instr attach, a hangup below nohup")
def hung_up(r):
    """What is ignored does not cancel it."""
    p = Waiting(r)
    with subprocess.Popen([r.cli, "attach", str(p.pid), "calls", "include=Waiting"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as attaching:
        while attaching.poll() is None:
            attaching.send_signal(signal.SIGHUP)
            time.sleep(0.001)
        said = attaching.stderr.read()
    problems = [] if attaching.returncode == 0 else [f"status {attaching.returncode}: {said!r}"]
    yield "SIGHUP", p.end(problems)


def needs_root(r, *tools):
    if os.getuid() != 0:
        raise Skip("needs root")
    for tool in tools:
        if not shutil.which(tool):
            raise Skip(f"there is no {tool}")
    with open(r.java, "rb") as f:
        if f.read(4) != b"\x7fELF":
            raise Skip(f"{r.jdk} runs in a folder of its own already")


@contextlib.contextmanager
def open_classes(r):
    """A copy of the program's classes that every user can read."""
    folder = tempfile.mkdtemp(prefix="instr-classes-", dir="/var/tmp")
    os.chmod(folder, 0o755)
    shutil.copy(os.path.join(r.built.programs, "Waiting.class"), folder)
    yield folder
    shutil.rmtree(folder)


@program("instr attach, another user", quick=False)
def other_user(r):
    """Root may attach, and leaves no files of root; another user may not."""
    needs_root(r, "setpriv")
    nobody = ["setpriv", f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups"]
    with open_classes(r) as classes:
        p = Waiting(r, below=nobody, classes=classes, cwd="/var/tmp")
        stranger = refused(p.instr("attach", user=1234), "belongs to", "only that user and root")
        root = attached(p.instr("attach"))
        owner = os.stat(f"/tmp/.instr-{OTHER}/{p.pid}.sock").st_uid
        theirs = attached(p.instr("attach", user=OTHER))
        later = refused(p.instr("status", user=1234), "belongs to", "only that user and root")
        yield "root", p.end([stranger, root, theirs, later, "" if owner == OTHER else f"socket of {owner}"])

        # A socket that a JVM of another user has left, which had the same process id.
        p = Waiting(r, below=nobody, classes=classes, cwd="/var/tmp")
        path = f"/tmp/.java_pid{p.pid}"
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(path)
        os.chmod(path, 0o600)
        problems = [refused(p.instr("attach"), path, "belongs to root: remove that file")]
        doctor = p.instr("doctor").stdout
        os.unlink(path)
        problems += [attached(p.instr("attach")), "" if f"{path}, belongs to root: remove that file" in doctor else doctor]
        yield "left by another", p.end(problems)

        # A directory that another user created first, or a link to one, is not used. This user is no other test's.
        squatted = OTHER - r.jdk.version
        nobody = ["setpriv", f"--reuid={squatted}", f"--regid={squatted}", "--clear-groups"]
        shutil.rmtree(f"/tmp/.instr-{squatted}", ignore_errors=True)
        os.mkdir(f"/tmp/.instr-{squatted}", 0o777)
        os.symlink(classes, f"/tmp/.instr-{squatted}.1")
        try:
            p = Waiting(r, below=nobody, classes=classes, cwd="/var/tmp")
            answers = [attached(p.instr("attach")), attached(p.instr("attach", user=squatted))]
            used = os.listdir(f"/tmp/.instr-{squatted}") + [f for f in os.listdir(classes) if f.endswith(".sock")]
            yield "squatter", p.end(answers + used)
        finally:
            os.rmdir(f"/tmp/.instr-{squatted}")
            os.unlink(f"/tmp/.instr-{squatted}.1")


def old_libc(r, hidden, classes):
    """A container whose glibc is older than the library needs: attach and doctor say so before anything is loaded."""
    p = Waiting(r, below=["unshare", "--mount", "sh", "-c", f'mount -t tmpfs none /tmp && {hidden}exec "$@"', "sh"], classes=classes, cwd="/")
    with open(f"/proc/{p.pid}/maps", encoding="ascii") as f:
        libc = next(line.split()[-1] for line in f if line.rstrip().endswith("/libc.so.6"))
    old = r.file("libc.so.6")
    with open(old, "wb") as f:
        f.write(b"\x7fELF GLIBC_2.2.5 GLIBC_2.17 GLIBC_PRIVATE\0")
    with open(f"/proc/{p.pid}/root/tmp/libc", "wb") as f, open(old, "rb") as made:
        f.write(made.read())
    # For files opened from now on; the JVM has its own already.
    subprocess.run(["nsenter", "-t", str(p.pid), "-m", "mount", "--bind", "/tmp/libc", libc], check=True)
    words = ["runs on glibc 2.17", "needs 2."]
    found = findings(p.instr("doctor", "--json"), ("no", "library", "runs on glibc 2.17"))
    refusal = refused(p.instr("attach", "calls"), *words)
    copies = [f for f in os.listdir(f"/proc/{p.pid}/root/tmp") if f.startswith(".instr")]
    yield "old glibc", p.end([refusal, *found, *copies])


def noexec_folder(r, hidden, classes):
    """A container whose /tmp is mounted noexec, as Docker's --tmpfs does: attach and doctor say so, nothing is loaded or left, and another folder does."""
    p = Waiting(r, below=["unshare", "--mount", "sh", "-c", f'mount -t tmpfs -o noexec none /tmp && mount -t tmpfs none /mnt && {hidden}exec "$@"', "sh"],
                classes=classes, cwd="/")
    found = findings(p.instr("doctor", "--json"), ("no", "library", "mounted noexec"))
    refusal = refused(p.instr("attach", "calls"), "/tmp", "mounted noexec", "control=/DIR")
    copies = [f for f in os.listdir(f"/proc/{p.pid}/root/tmp") if f.startswith(".instr")]
    other = attached(p.instr("attach", "control=/mnt", "calls"), "active")
    yield "noexec folder", p.end([refusal, *found, *copies, other])


def noexec_library(r, classes):
    """The JVM sees the library, but on a file system that is mounted noexec: the JVM's reason is told, and what glibc leaves mapped is no agent."""
    folder = os.path.dirname(r.agent)
    p = Waiting(r, below=["unshare", "--mount", "sh", "-c", f'mount --bind "{folder}" "{folder}" && mount -o remount,bind,noexec "{folder}" && exec "$@"', "sh"],
                classes=classes, cwd="/")
    refusal = refused(p.instr("attach", "calls"), "was not loaded: ", "failed to map segment")
    found = findings(p.instr("doctor", "--json"), ("ok", "library", "loaded from"))
    yield "noexec library", p.end([refusal, *found])


def copy_is_removed(r, hidden, classes):
    """The copy of the library goes when the agent is detached and when the JVM ends, even if another JVM uses it; no other file does."""
    p = Waiting(r, below=["unshare", "--mount", "sh", "-c",
                          f'mount -t tmpfs none /tmp && {hidden}(sleep 120 </dev/null >/dev/null 2>&1 & echo $! > /tmp/holder); exec "$@"', "sh"],
                classes=classes, cwd="/")
    with open(f"/proc/{p.pid}/root/tmp/holder") as f:
        holder = int(f.read())
    tmp = f"/proc/{holder}/root/tmp/.instr-0"

    def copies():
        return [f for f in os.listdir(tmp) if f.startswith("libinstr")]
    try:
        problems = [attached(p.instr("attach", "calls"), "active")]
        problems += [] if len(copies()) == 1 else [f"after attach: {copies()}"]
        with open(tmp + "/libinstr-0123456789abcdef.so", "w"):
            pass
        p.instr("detach")
        problems += [] if copies() == ["libinstr-0123456789abcdef.so"] else [f"after detach: {copies()}"]
        problems.append(attached(p.instr("attach", "calls"), "active"))
        # The library is in the JVM already.
        problems += [] if copies() == ["libinstr-0123456789abcdef.so"] else [f"attached again: {copies()}"]
        ended = p.end(problems)
        yield "copy removed", ended + ([] if copies() == ["libinstr-0123456789abcdef.so"] else [f"at the end: {copies()}"])
    finally:
        os.kill(holder, 9)


def names_are_taken(r, hidden, classes):
    """Another user has taken the names of the control directories, so that each has a random name. The library is not loaded twice, and the directories go."""
    p = Waiting(r, below=["unshare", "--mount", "sh", "-c",
                          f'mount -t tmpfs none /tmp && {hidden}mkdir -m 777 /tmp/.instr-0 /tmp/.instr-0.1 /tmp/.instr-0.2 /tmp/.instr-0.3 /tmp/.instr-0.4'
                          ' /tmp/.instr-0.5 /tmp/.instr-0.6 /tmp/.instr-0.7 && (sleep 120 </dev/null >/dev/null 2>&1 & echo $! > /tmp/holder); exec "$@"', "sh"],
                classes=classes, cwd="/")
    with open(f"/proc/{p.pid}/root/tmp/holder") as f:
        holder = int(f.read())

    def made():
        return [f for f in os.listdir(f"/proc/{holder}/root/tmp") if f.startswith(".instr-0.") and len(f) > len(".instr-0.7")]
    try:
        problems = []
        for n in range(3):
            problems.append(attached(p.instr("attach", "calls"), "active"))
            done = p.instr("detach")
            problems += [] if done.returncode == 0 and len(made()) == 1 else [f"{n}: {made()} {done}"]
        with open(f"/proc/{p.pid}/maps") as f:
            loaded = {line.split()[5] for line in f if "/libinstr-" in line}
        problems += [] if len(loaded) == 1 else [f"{loaded}"]
        os.rmdir(f"/proc/{holder}/root/tmp/{made()[0]}")  # as a job that clears /tmp
        problems.append(attached(p.instr("attach", "calls"), "active"))
        ended = p.end(problems)
        yield "names taken", ended + ([] if not made() else [f"at the end: {made()}"])
    finally:
        os.kill(holder, 9)


def peer(path):
    """The process that listens on this socket, as we see it."""
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
        return struct.unpack("3i", s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


def inner(p):
    """The number that the process has in its own namespace."""
    with open(f"/proc/{p.pid}/status", encoding="ascii") as f:
        return next(line for line in f if line.startswith("NSpid:")).split()[-1]


def one_folder(r, classes):
    """JVMs of two pid namespaces have the same number inside, and one /tmp: the kill switch of one does not hit the other."""
    inside = ["unshare", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc"]
    one, two = (Waiting(r, "-XX:-UsePerfData", f"-agentpath:{r.agent}=calls,quiet=yes", below=inside, classes=classes, cwd="/") for _ in range(2))

    def enabled(p):
        done = p.instr("status", "--json")
        return json.loads(done.stdout)["passes"] if done.returncode == 0 else f"{done}"

    def until(p, passes):
        end = time.monotonic() + 20
        while enabled(p) != passes and time.monotonic() < end:
            time.sleep(0.1)
        return [] if enabled(p) == passes else [f"{p.pid}: {enabled(p)}"]
    problems = until(one, ["calls"]) + until(two, ["calls"])
    os.kill(two.pid, signal.SIGSTOP)
    time.sleep(0.2)
    problems.append(refused(two.instr("off"), "kill switch", "is stopped"))
    time.sleep(2.2)  # an agent looks for it every second
    problems += until(one, ["calls"])
    os.kill(two.pid, signal.SIGCONT)
    problems += until(two, []) + until(one, ["calls"])
    # The JVM that has the first socket is killed and leaves it: the other is reached all the same.
    first, second = sorted((one, two), key=lambda p: peer(f"/tmp/.instr-{os.getuid()}/{inner(p)}.sock") != p.pid)
    os.kill(first.pid, signal.SIGKILL)
    first.process.wait(timeout=20)
    stale = f"/tmp/.instr-{os.getuid()}/{inner(second)}.sock"
    problems += ([] if os.path.exists(stale) else ["no socket is left"]) + until(second, [] if second is two else ["calls"])
    problems = second.end(problems)
    os.unlink(stale)
    yield "one folder", problems


def stale_socket(r, classes):
    """A killed process has left its socket, and a JVM without the agent has its number now."""
    p = Waiting(r, classes=classes, cwd="/")
    folder = f"/tmp/.instr-{os.getuid()}"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(f"{folder}/{p.pid}.sock")
    problems = [refused(p.instr(*words), f"there is no agent in process {p.pid}; ")
                for words in (["status"], ["report"], ["detach"], ["top", "--once"])]
    yield "stale socket", p.end([*problems, attached(p.instr("attach", "calls"), "active")])


@contextlib.contextmanager
def control_group(p, room):
    """A control group that holds the process and lets it create so many threads; None: this machine lets us make none."""
    for mount in "/sys/fs/cgroup/pids", "/sys/fs/cgroup":
        group = f"{mount}/instr-test-{os.getpid()}"
        try:
            os.mkdir(group)
        except OSError:
            continue
        try:
            with open(group + "/cgroup.procs", "w", encoding="ascii") as f:
                f.write(str(p.pid))
            with open(group + "/pids.current", encoding="ascii") as f:
                now = int(f.read())
            with open(group + "/pids.max", "w", encoding="ascii") as f:
                f.write(str(now + room))
            yield group
        except OSError:
            yield None
        finally:
            with contextlib.suppress(OSError), open(mount + "/cgroup.procs", "w", encoding="ascii") as f:
                f.write(str(p.pid))
            with contextlib.suppress(OSError):
                os.rmdir(group)
        return
    yield None


@program("instr attach, no room for threads")
def no_threads(r):
    """HotSpot ends a JVM that cannot create the thread that listens for attaches. Such a JVM is not asked to."""
    needs_root(r, "setpriv", "prlimit")
    with open_classes(r) as classes:
        user = OTHER - 100 - r.jdk.version  # no other test's
        other = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        p = Waiting(r, below=other, classes=classes, cwd="/var/tmp")
        threads = len(os.listdir(f"/proc/{p.pid}/task"))
        before = subprocess.run([*other, "prlimit", f"--pid={p.pid}", "--nproc", "--output=SOFT", "--noheadings"], capture_output=True, text=True, check=True)
        subprocess.run([*other, "prlimit", f"--pid={p.pid}", f"--nproc={threads + 1}:"], check=True)
        found = findings(p.instr("doctor", "--json"), ("no", "attach", "the user of process"))
        refusal = refused(p.instr("attach", "calls"), "the user of process", "more")
        subprocess.run([*other, "prlimit", f"--pid={p.pid}", f"--nproc={before.stdout.strip()}:"], check=True)
        yield "user", p.end([refusal, *found, attached(p.instr("attach", "calls"), "active")])
        p = Waiting(r, classes=classes, cwd="/")
        with control_group(p, 0) as group:
            found = findings(p.instr("doctor", "--json"), ("no", "attach", "the control group of process")) if group else []
            refusal = refused(p.instr("attach", "calls"), "the control group of process", "more") if group else ""
        yield "control group", p.end([refusal, *found, attached(p.instr("attach", "calls"), "active")])


@program("instr attach, other namespaces", quick=False)
def namespaces(r):
    """A JVM in a pid namespace, with a /tmp of its own, that cannot see the library: the library is copied there."""
    needs_root(r, "unshare", "mount")
    hidden = "" if r.agent.startswith("/tmp/") else f"mount -t tmpfs none '{os.path.dirname(r.agent)}' && "
    inside = ["unshare", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
              f'mount -t tmpfs none /tmp && {hidden}exec "$@"', "sh"]
    with open_classes(r) as classes:
        p = Waiting(r, below=inside, classes=classes, cwd="/")
        tmp = f"/proc/{p.pid}/root/tmp"
        answer = attached(p.instr("attach"))
        status = p.instr("status")
        reported = "" if "(1 inside)" in status.stdout else f"status: {status.stdout!r} {status.stderr!r}"
        left_files = sorted(f for f in os.listdir(tmp) if f.startswith(".attach"))
        library = [f for f in os.listdir(tmp + "/.instr-0") if f.startswith("libinstr")]
        yield "pid and mount", p.end([answer, reported, *left_files, "" if len(library) == 1 else f"{library}"])
        yield from copy_is_removed(r, hidden, classes)
        yield from names_are_taken(r, hidden, classes)
        yield from one_folder(r, classes)
        yield from stale_socket(r, classes)
        yield from old_libc(r, hidden, classes)
        yield from noexec_folder(r, hidden, classes)
        yield from noexec_library(r, classes)
        p = Waiting(r, below=["unshare", "--user", "--map-root-user", "--pid", "--mount", "--fork", "--kill-child",
                              "--mount-proc", "sh", "-c", 'mount -t tmpfs none /tmp && exec "$@"', "sh"],
                    classes=classes, cwd="/")
        yield "user, pid and mount", p.end([attached(p.instr("attach"))])
        for name, how, reported in (("read-only /tmp", "-o ro", ["/tmp", "Read-only"]), ("full /tmp", "-o size=4k", ["/tmp", "No space"])):
            fill = "" if "ro" in how else "&& dd if=/dev/zero of=/tmp/full bs=4k count=1 2>/dev/null "
            p = Waiting(r, "-XX:-UsePerfData", below=["unshare", "--mount", "sh", "-c",
                        f'{hidden}mount -t tmpfs {how} none /tmp {fill}&& exec "$@"', "sh"], classes=classes, cwd="/var/tmp")
            found = findings(p.instr("doctor", "--json"), ("no", "attach" if "ro" in how else "library", "its /tmp"))
            yield name, p.end([refused(p.instr("attach"), *reported), *found, *left(p)])


@program("instr dump, mistyped")
def dump_mistyped(r):
    """A name that no loaded class has: instr says which one is spelled like it."""
    p = Waiting(r)
    for name, meant in (("Wating", "; did you mean Waiting?"), ("util.HashMap.Node", "; did you mean java.util.HashMap$Node?"), ("Waiting#work", ""),
                        ("java.util.**", ""), ("a b", ""), ("", "")):
        for command in "dump", "show":
            done = p.instr(command, name)
            ok = done.returncode == 1 and done.stderr.splitlines()[-1] == f"instr: {name}: no class of that name is loaded{meant}"
            yield f"{command} {name}", [] if ok else [f"{done}"]
    yield "end", p.end()


@program("instr list", quick=False)
def listed(r):
    """Lists every JVM with its main class, version and the state of the agent; nothing else."""
    plain, dormant = Waiting(r), Waiting(r, f"-agentpath:{r.agent}")
    other = subprocess.Popen(["sleep", "60"])
    dormant.instr("attach")  # until it listens
    table = subprocess.run([r.cli, "list"], capture_output=True, text=True, timeout=60).stdout
    rows = json.loads(subprocess.run([r.cli, "list", "--json"], capture_output=True, text=True, timeout=60).stdout)
    other.kill()
    other.wait()
    found = {row["pid"]: (row["command"], row["agent"], row["kind"], str(r.jdk.version) in (row["version"] or ""))
             for row in rows}
    expected = {plain.pid: ("Waiting", None, "HotSpot", True), dormant.pid: ("Waiting", "dormant", "HotSpot", True)}
    problems = [f"{pid}: {found.get(pid)}" for pid in expected
                if found.get(pid) != expected[pid] and not (r.jdk.version == 8 and found.get(pid, ())[:3] == expected[pid][:3])]
    problems += [f"{other.pid} is no JVM"] if other.pid in found else []
    problems += [f"table: {table!r}"] if not re.search(rf"^ *{dormant.pid} +\S+ +\S+ +dormant +Waiting$", table, re.M) else []
    yield "list", plain.end(problems) + dormant.end()
    for perfdata in "+", "-":
        yield f"a jar with spaces in its name, -XX:{perfdata}UsePerfData", list_shows_whole_name(r, perfdata)


def list_shows_whole_name(r, perfdata):
    jar = r.file("my waiting program.jar")
    with zipfile.ZipFile(jar, "w") as out:
        out.write(os.path.join(r.built.programs, "Waiting.class"), "Waiting.class")
        out.writestr("META-INF/MANIFEST.MF", "Main-Class: Waiting\n")
    p = Waiting(r, f"-XX:{perfdata}UsePerfData", "-jar", jar, main="a/b")
    table = subprocess.run([r.cli, "list"], capture_output=True, text=True, timeout=60).stdout
    return p.end([f"{table!r}"] if not re.search(rf"^ *{p.pid} .* my waiting program.jar$", table, re.M) else [])


def findings(done, *expected):
    """Each expectation is (verdict, what, part of the text)."""
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return [f"{done.stdout!r} {done.stderr!r}"]
    problems = [f"no {e} in {done.stdout}" for e in expected
                if not any((f["verdict"], f["what"]) == e[:2] and e[2] in f["text"] for f in found)]
    if done.returncode != (1 if any(f["verdict"] == "no" for f in found) else 0):
        problems.append(f"exit status {done.returncode}")
    return problems


@program("instr doctor", quick=False)
def doctor(r):
    """What doctor predicts for a JVM is what happens."""
    p = Waiting(r)
    yield "plain", p.end(findings(p.instr("doctor", "--json"), (
        "note" if r.jdk.version >= 21 else "ok", "attach", "works"), ("ok", "library", "libinstr.so")))
    p = Waiting(r, "-XX:+DisableAttachMechanism")
    yield "no attach", p.end(findings(p.instr("doctor", "--json"), ("no", "attach", "DisableAttachMechanism")))
    if r.jdk.version >= 11:  # the Java agent is compiled for this release
        p = Waiting(r, f"-javaagent:{r.reference_jar}={r.file('reference.json')}", f"-agentpath:{r.agent}")
        p.instr("attach")
        yield "agents", p.end(findings(p.instr("doctor", "--json"), ("ok", "agent", "dormant"),
                                       ("ok", "capabilities", "all"), ("note", "other agent", "reference")))

    def command(*words):
        return subprocess.run([r.cli, "doctor", "--json", "--", *words], capture_output=True, text=True, timeout=120)
    expected = [("ok", "JVM", "starts with the agent"), ("ok", "capabilities", "all")]
    if r.jdk.version >= 17:
        expected += [("ok", "class archive", "with the dormant agent"), ("ok", "class archive", "with a pass enabled")]
    yield "command", findings(command(r.java, "-cp", r.built.programs, "Hello"), *expected)
    yield "only the version", findings(command(r.java, "-version"), ("ok", "JVM", "starts with the agent"),
                                       ("ok", "capabilities", "all"))
    yield "bad command", findings(command(r.java, "-XX:+NoSuchFlag", "Hello"), ("no", "JVM", "NoSuchFlag"))
    yield "no java", findings(command("mvn", "test"), ("no", "command", "java"))
    done = subprocess.run([r.cli, "doctor", "--json"], capture_output=True, text=True, timeout=60)
    yield "machine", findings(done, ("ok", "agent", "libinstr.so"), ("ok", "control", "/tmp/.instr-"))


# Options that write a file, start an agent, a command or a server; what they name is in the working directory.
WRITING = ["-Xlog:gc:file=gc.log", "-Xlog:gc*:gc.txt:time", "-Xloggc:old.log", "-XX:+UnlockDiagnosticVMOptions -XX:+LogVMOutput -XX:LogFile=vm.log",
           "-XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:LogFile=compiled.log", "-XX:DumpLoadedClassList=classes.lst",
           "-XX:ArchiveClassesAtExit=at-exit.jsa", "-XX:SharedArchiveFile=auto.jsa -XX:+AutoCreateSharedArchive",
           "-Xshare:dump -XX:SharedArchiveFile=dumped.jsa", "-XX:AOTCacheOutput=out.aot", "-XX:AOTMode=record -XX:AOTConfiguration=recorded",
           "-XX:StartFlightRecording=filename=flight.jfr", "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
           "-XX:+UsePerfData -XX:+PerfDataSaveToFile -XX:PerfDataSaveFile=perf.data", "-javaagent:{jar}=agent.json",
           "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address={port}", "-Dcom.sun.management.jmxremote.port={port}",
           "-XX:VMOptionsFile=options", "-XX:Flags:=options", "-XX:+AlwaysPreTouch", "-XX:DumpLoadedClassList:=classes.lst",
           "-XX:ArchiveClassesAtExit:=at-exit.jsa", "-XX:JVMCILibDumpJNIConfig=jni.cfg", "-Djdk.invoke.MethodHandle.dumpClassFiles=true",
           "-XX:+UnlockDiagnosticVMOptions -XX:+PauseAtStartup", "-Djava.system.class.loader=NotFound", "-Djava.security.manager=NotFound"]


def content(folder):
    """The bytes of every file, with the files of folders in it; None for a folder."""
    found = {}
    for at, folders, names in os.walk(folder):
        found.update({os.path.relpath(os.path.join(at, name), folder): None for name in folders})
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                found[os.path.relpath(os.path.join(at, name), folder)] = f.read()
    return found


@program("instr attach, a debugger has suspended all threads", needs=["jdb"])
def suspended(r):
    """Who waits for that is told; once they run again the command ends well."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    p = Waiting(r, f"-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address={address}")
    problems, command = [attached(p.instr("attach"))], [r.cli, "enable", str(p.pid), "calls", "include=Waiting"]
    with subprocess.Popen([r.jdk.tool("jdb"), "-attach", address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as jdb:
        jdb.stdin.write("suspend\n")
        jdb.stdin.flush()
        line = jdb.stdout.readline()
        while line and "All threads suspended" not in line:
            line = jdb.stdout.readline()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as client:
            lines = []
            while len(lines) < 8 and "a debugger may have suspended" not in "".join(lines):
                lines.append(client.stderr.readline())
            jdb.stdin.write("resume\n")
            jdb.stdin.flush()
            problems.append("" if client.wait(timeout=60) == 0 and len(lines) < 8 else f"status {client.returncode}, {lines}")
        jdb.stdin.write("exit\n")
        jdb.stdin.flush()
    yield "told", p.end(problems)


@program("instr doctor changes no files", quick=False)
def doctor_writes_nothing(r):
    """A trial leaves the user's files and ports alone, also those that options in the environment name."""
    folder, server = r.file("own"), socket.create_server(("127.0.0.1", 0))
    here, written = r.file("plain"), []
    for path in (folder, here):
        vm.fresh(path)
        for name, text in (("gc.log", "of last week\n"), ("flight.jfr", "of last week\n"), ("options", "-Xlog:gc:file=gc.log\n")):
            with open(os.path.join(path, name), "w", encoding="ascii") as f:
                f.write(text)
    before = content(folder)

    def words(options):
        return options.format(jar=r.reference_jar, port=server.getsockname()[1]).split()

    def doctor(options, env):
        return subprocess.run([r.cli, "doctor", "--json", "--", r.java, *options, "-cp", r.built.programs, "Hello"], cwd=folder,
                              env={**os.environ, **env}, capture_output=True, text=True, timeout=120)
    for options in WRITING:
        name = words(options)[-1].partition("=")[0]
        waits = "{" in options or "Pause" in options
        plain = None if waits else subprocess.run([r.java, *words(options), "-version"], cwd=here, capture_output=True, timeout=120)
        if plain and plain.returncode == 0 and content(here) != before:
            written.append(options)
        problems = []
        for way, command, env in (("command line", words(options), {}), ("environment", [], {"JAVA_TOOL_OPTIONS": " ".join(words(options))})):
            done = doctor(command, env)
            if content(folder) != before:
                problems.append(f"{way}: there is now {sorted(content(folder))}")
            problems += [f"{way}: {p}" for p in findings(done, ("ok", "JVM", "starts with the agent"), ("note", "options", name))
                         if "DiagnosticVMOptions" not in options or way == "command line"]
        yield options, problems
    done = doctor([], {"JDK_JAVA_OPTIONS": "-Da=b '@options'"})
    yield "file of the launcher", findings(done, ("ok", "JVM", "starts with the agent"), ("note", "options", "files of options (1)")) \
        + ([] if content(folder) == before else [f"there is now {sorted(content(folder))}"])
    server.close()
    yield "these write without doctor", [] if len(written) >= 2 else [f"only {written}"]


@program("instr doctor judges archives", jdk=17, quick=False)
def doctor_archives(r):
    """What doctor says of an option that writes an archive is what the JVM does."""
    with zipfile.ZipFile(r.file("hello.jar"), "w") as jar:  # JVMs write no archive for a program in a folder
        jar.write(os.path.join(r.built.programs, "Hello.class"), "Hello.class")
    hello = ["-cp", r.file("hello.jar"), "Hello"]
    cases = [(["-XX:ArchiveClassesAtExit=" + r.file("x.jsa")], "no", "class archive"),
             (["-Xshare:auto", "-XX:SharedArchiveFile=" + r.file("y.jsa"), "-XX:+AutoCreateSharedArchive"], "no", "class archive"),
             (["-XX:AOTMode=record", "-XX:AOTConfiguration=" + r.file("z")], "note", "AOT cache")]
    cases.insert(1, (["-XX:+RecordDynamicDumpInfo"], "no", "class archive"))
    for options, verdict, what in cases[:2 if r.jdk.version < 19 else 3 if r.jdk.version < 24 else 4]:
        done = subprocess.run([r.cli, "doctor", "--json", "--", r.java, *options, *hello], capture_output=True, text=True, timeout=120)
        statuses = [r.run("run", [r.java] + agent + options + hello).status for agent in ([r.with_agent("")], [])]
        problems = findings(done, (verdict, what, options[-1].partition("=")[0] if verdict == "no" else options[0]))
        yield options[0], problems + ([f"statuses {statuses}"] if (statuses[0] != statuses[1]) != (verdict == "no") else [])
