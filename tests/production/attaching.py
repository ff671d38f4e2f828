"""Attaching and detaching again and again: the JVM must not be affected."""

import fcntl
import os
import resource
import subprocess
import threading
import time

from control import Failed, path_of
from server_jvm import Jvm, Skip, expect

TIMES = 20


def attached_again(t):
    """HotSpot keeps its JVM TI state of a thread that exits while no environment exists, and uses the thread's freed memory when
    the next agent attaches. Here a thread exits at a detach, usually during a collection."""
    problems = []
    freed = dict(os.environ, LD_PRELOAD=os.path.join(t.build, "tests", "libfreed.so"))
    options = ["-Xmx16m", "-Xmn1m", "-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash", "-cp", t.file("classes")]
    with Jvm(t, "-XX:+IgnoreUnrecognizedVMOptions", *options, "Collecting", agent=False, env=freed) as jvm:
        jvm.line()
        for i in range(TIMES):
            attached = subprocess.run([t.cli, "attach", str(jvm.pid)], capture_output=True, text=True)
            if attached.returncode:
                problems.append(f"attached {i} times, then: {attached.stderr.strip()}")
                break
            with jvm.control() as c:
                c.run("enable", "calls,include=Collecting")
                c.run("detach")
        else:
            expect(problems, "it does not end as it should", jvm.end() == 0 and jvm.line() == "done")
    return problems


def attached_by_many(t):
    """A JVM that gets a second signal to listen, while it listens already, prints its stacks among what the program prints."""
    problems = []
    for _ in range(TIMES):
        with Jvm(t, "-cp", t.file("classes"), "Waiting", agent=False) as jvm:
            jvm.line()
            tools = [subprocess.Popen([t.cli, "attach", str(jvm.pid)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(6)]
            said = [tool.communicate(timeout=60)[0] for tool in tools]
            expect(problems, f"attached: {said}", all(tool.returncode == 0 for tool in tools))
            jvm.process.stdin.close()
            printed = jvm.process.stdout.read()
            expect(problems, f"it printed {printed[:100]}", "thread dump" not in printed)
            expect(problems, "it does not end as it should", jvm.process.wait(60) == 0)
    return problems


def attached_beside_a_lock(t):
    """Whoever holds the lock of those that make a JVM listen, with or without reason, keeps nobody out for long; and who waits can be interrupted."""
    problems = []
    with Jvm(t, "-cp", t.file("classes"), "Waiting", agent=False) as jvm:
        jvm.line()
        held = os.open(f"/proc/{jvm.pid}", os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(held, fcntl.LOCK_EX)
        command = [t.cli, "attach", str(jvm.pid)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as tool:
            time.sleep(0.5)
            tool.terminate()
            said = tool.communicate(timeout=60)[0]
        expect(problems, f"interrupted: {tool.returncode}, {said}", tool.returncode != 0 and "cancelled" in said)
        expect(problems, "interrupted, and it listens", not os.path.exists(f"/tmp/.java_pid{jvm.pid}"))
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        expect(problems, f"attached: {done.returncode}, {done.stderr}", done.returncode == 0)
        os.close(held)
        jvm.process.stdin.close()
        printed = jvm.process.stdout.read()
        expect(problems, f"it printed {printed[:100]}", "thread dump" not in printed)
        expect(problems, "it does not end as it should", jvm.process.wait(60) == 0)
    return problems


def detached_meanwhile(t):
    """While a command runs, one client requests a detach, and others request something that is impossible afterwards: they are disconnected
    unless they were first, and the JVM continues. The command takes so long because it writes to a pipe without a reader."""
    problems, pipe = [], t.file("pipe")
    os.mkfifo(pipe)
    wanted = (["dump", "Waiting"], ["redefine"], ["status"], ["enable", "calls"], ["watch", "Waiting.*(..)"])

    def read_all():
        while True:
            with open(pipe, "rb") as f:
                f.read()

    with Jvm(t, "-cp", t.file("classes"), "Waiting") as jvm, jvm.control() as busy, jvm.control() as leaving:
        jvm.line()
        others = [jvm.control() for _ in wanted]
        busy.run("enable", f"calls,calls.file={pipe},include=Waiting,quiet=yes")
        for c in (leaving, *others):
            c.run("ping")  # the client is accepted
        busy.start("write")
        leaving.start("detach")
        for c, words in zip(others, wanted):
            c.start(*words)
        threading.Thread(target=read_all, daemon=True).start()
        expect(problems, "the detach is not answered", [kind for kind, _ in leaving.events()] == ["document"])
        for c in others:
            try:
                list(c.events())
            except (Failed, OSError):
                pass
            c.close()
        jvm.ask("")
        jvm.ends(problems)
    return problems


def own_folder(t):
    """The socket may lie in a folder other than /tmp, and all commands find it there, even if others have taken all names in that folder."""
    problems, folder = [], t.file("sockets")
    os.makedirs(folder)

    def instr(*words, env=None):
        done = subprocess.run([t.cli, *words], capture_output=True, text=True, timeout=100, env=dict(os.environ, **(env or {})))
        return done.returncode, done.stdout + done.stderr

    def works(jvm, what, env=None):
        jvm.line()
        pid = str(jvm.pid)
        for words, part in ((["enable", pid, "calls", "include=Waiting"], "process"), (["status", pid], "calls"), (["list"], f"{pid} "), (["off", pid], "off")):
            status, said = instr(*words, env=env)
            expect(problems, f"{what}: {words[0]}: {status}, {said}", status == 0 and part in said)
            if words[0] == "list":
                expect(problems, f"{what}: {said}", any(line.split()[0] == pid and " active " in line for line in said.splitlines()))
        expect(problems, f"{what}: not in the folder", not os.path.exists(path_of(jvm.pid)) and any(f"{pid}.sock" in files for _, _, files in os.walk(folder)))
        instr("enable", pid, "calls", "include=Waiting", env=env)
        for place, _, files in os.walk(folder):  # without its file, the kill switch remains
            for name in files:
                os.unlink(os.path.join(place, name))
        status, said = instr("off", pid, env=env)
        expect(problems, f"{what}: off by its file: {status}, {said}", status == 0 and "kill switch" in said and folder in said)
        jvm.kill()
    program = ["-cp", t.file("classes"), "Waiting"]
    with Jvm(t, f"-agentpath:{t.agent}=control={folder}", *program, agent=False) as jvm:
        works(jvm, "option")
    with Jvm(t, *program, env=dict(os.environ, INSTR_DIR=folder)) as jvm:
        works(jvm, "variable of the JVM")
    with Jvm(t, *program, agent=False) as jvm:
        works(jvm, "variable of the tool", {"INSTR_DIR": folder})
    with Jvm(t, *program, agent=False) as jvm:
        jvm.line()
        status, said = instr("attach", str(jvm.pid), f"control={folder}", "calls", "include=Waiting")
        expect(problems, f"attach: {status}, {said}", status == 0)
        status, said = instr("detach", str(jvm.pid))
        expect(problems, f"detach: {status}, {said}", status == 0)
    if os.geteuid() == 0:
        for i in range(8):
            name = f"{folder}/.instr-0" + (f".{i}" if i else "")
            os.makedirs(name, exist_ok=True)
            os.chown(name, 65534, 65534)
        with Jvm(t, f"-agentpath:{t.agent}=control={folder}", *program, agent=False) as jvm:
            works(jvm, "all names taken")
        with Jvm(t, f"-agentpath:{t.agent}=control={folder}", *program, agent=False) as jvm:
            jvm.line()
            before = set(os.listdir(folder))
            while instr("status", str(jvm.pid))[0] and jvm.process.poll() is None:
                time.sleep(0.1)
            during = set(os.listdir(folder)) - before
            expect(problems, f"no directory of its own: {during}", len(during) == 1)
            jvm.ends(problems)
            expect(problems, f"the random directory stays: {os.listdir(folder)}", set(os.listdir(folder)) == before)
    return problems


def own_root(t):
    """Is it a JDK of tests/jdks? A script runs its programs in a root of their own."""
    with open(t.java, "rb") as f:
        return f.read(4) != b"\x7fELF"


def read_only_tmp(t):
    """Where /tmp cannot be written, all commands find the socket in the folder that control= or INSTR_DIR names, from inside the container and from outside."""
    problems, folder = [], t.file("writable")
    mounts = f"mount --bind /tmp /tmp && mount -o remount,ro,bind /tmp && mount -t tmpfs -o mode=1777 none '{folder}'"
    os.makedirs(folder)
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "sh", "-c", mounts], capture_output=True).returncode:
        raise Skip("only root may mount")
    if own_root(t):
        raise Skip("the JDK has a /tmp of its own")

    def look(pid, inside):
        def instr(*words):
            done = subprocess.run([*inside, t.cli, *words], capture_output=True, text=True, timeout=100)
            return done.returncode, done.stdout + done.stderr
        expect(problems, f"{inside}: list", any(line.split()[0] == pid and " dormant " in line for line in instr("list")[1].splitlines()))
        for words, part in ((["status", pid], "dormant"), (["enable", pid, "calls", "include=Waiting"], "1 class retransformed"), (["report", pid, "calls"], "calls: "),
                            (["disable", pid, "calls"], "1 class restored"), (["off", pid], "off")):
            status, said = instr(*words)
            expect(problems, f"{inside}: {words[0]}: {status}, {said}", status == 0 and part in said)
        status, said = instr("detach", pid)
        expect(problems, f"{inside}: detach: {status}, {said}", status == 1 and "Read-only file system" in said and f"'instr detach --force {pid}' detaches it" in said)
        return instr
    for option, variable in (f"=control={folder}", {}), ("", {"INSTR_DIR": folder}):
        with Jvm(t, f"-agentpath:{t.agent}{option}", "-cp", t.file("classes"), "Waiting", agent=False, env=dict(os.environ, **variable),
                 below=["unshare", "--mount", "sh", "-c", mounts + ' && exec "$@"', "sh"]) as jvm:
            jvm.line()
            pid = str(jvm.pid)
            while subprocess.run([t.cli, "status", pid], capture_output=True).returncode and jvm.process.poll() is None:
                time.sleep(0.1)
            look(pid, ["nsenter", "--target", pid, "--mount"])
            instr = look(pid, [])
            status, said = instr("detach", "--force", pid)
            expect(problems, f"detach --force: {status}, {said}", status == 0 and "detached" in said)
            jvm.ends(problems)
    os.makedirs(os.path.dirname(path_of(0)), 0o700, exist_ok=True)
    with Jvm(t, "-cp", t.file("classes"), "Waiting", below=["unshare", "--mount", "sh", "-c", mounts + ' && exec "$@"', "sh"]) as jvm:
        jvm.line()
        done = subprocess.run([t.cli, "off", str(jvm.pid)], capture_output=True, text=True, timeout=100)
        expect(problems, f"no folder: {done.stderr}", done.stderr == f"instr: no control directory of process {jvm.pid}'s user is writable: Read-only file system\n")
        jvm.ends(problems)
    return problems


def not_attached_again(t):
    """A detach that could not be undone asks for --force."""
    problems = []
    with Jvm(t, "-XX:+DisableAttachMechanism", "-cp", t.file("classes"), "Waiting") as jvm:
        jvm.line()
        jvm.control().close()
        for words, status, part in ((["detach"], 1, "-XX:+DisableAttachMechanism"), (["status"], 0, "dormant"), (["detach", "--force"], 0, "detached"),
                                    (["status"], 1, "is detached, or does not listen")):
            done = subprocess.run([t.cli, words[0], str(jvm.pid), *words[1:]], capture_output=True, text=True, timeout=100)
            said = done.stdout + done.stderr
            expect(problems, f"{words}: {done.returncode}, {said}", done.returncode == status and part in said)
            expect(problems, said, words != ["detach"] or f"'instr detach --force {jvm.pid}' detaches it" in said)
        jvm.ends(problems)
    return problems


def few_descriptors(t):
    """A JVM whose limit of open files is nearly reached is not asked to listen: it would fail, and never listen again."""
    problems = []
    with Jvm(t, "-cp", t.file("classes"), "Waiting", agent=False) as jvm:
        jvm.line()
        before = resource.prlimit(jvm.pid, resource.RLIMIT_NOFILE)
        most = max(map(int, os.listdir(f"/proc/{jvm.pid}/fd"))) + 1
        resource.prlimit(jvm.pid, resource.RLIMIT_NOFILE, (most, before[1]))
        for words in (["attach", jvm.pid], ["doctor", jvm.pid]):
            done = subprocess.run([t.cli, *map(str, words)], capture_output=True, text=True, timeout=100)
            expect(problems, f"{words}: {done}", done.returncode == 1 and f" files open, and its limit is {most}; to attach takes 8 more" in done.stdout + done.stderr)
        # With just enough, fewer than the agent has clients at most, it answers.
        resource.prlimit(jvm.pid, resource.RLIMIT_NOFILE, (most + 8, before[1]))
        for words in ("attach", "status"):
            done = subprocess.run([t.cli, words, str(jvm.pid)], capture_output=True, text=True, timeout=100)
            expect(problems, f"{words} with a limit of {most + 8} files: {done}", done.returncode == 0)
        resource.prlimit(jvm.pid, resource.RLIMIT_NOFILE, before)
        jvm.ends(problems)
    return problems


def little_memory(t):
    """A JVM that may map hardly more memory is not asked to listen: HotSpot ends it if there is no room for the stack of the thread that does."""
    problems = []
    with Jvm(t, "-cp", t.file("classes"), "Waiting", agent=False) as jvm:
        jvm.line()
        before = resource.prlimit(jvm.pid, resource.RLIMIT_AS)
        with open(f"/proc/{jvm.pid}/statm", encoding="ascii") as f:
            most = int(f.read().split()[0]) * resource.getpagesize()
        resource.prlimit(jvm.pid, resource.RLIMIT_AS, (most, before[1]))
        part = f"the limit of its address space is {most >> 20} MB; to attach takes 64 MB more"
        for words in (["attach", jvm.pid], ["doctor", jvm.pid]):
            done = subprocess.run([t.cli, *map(str, words)], capture_output=True, text=True, timeout=100)
            expect(problems, f"{words}: {done}", done.returncode == 1 and part in done.stdout + done.stderr)
        resource.prlimit(jvm.pid, resource.RLIMIT_AS, before)
        done = subprocess.run([t.cli, "attach", str(jvm.pid)], capture_output=True, text=True, timeout=100)
        expect(problems, f"with a higher limit: {done}", done.returncode == 0)
        jvm.ends(problems)
    return problems


def many_mappings(t):
    """So it is with a JVM that has nearly as many memory mappings as the kernel lets a process have."""
    problems = []
    with open("/proc/sys/vm/max_map_count", encoding="ascii") as f:
        if int(f.read()) > 100_000:
            raise Skip("so many mappings as vm.max_map_count allows take too long")
    with Jvm(t, "-cp", t.file("classes"), "Mappings", t.file("mapped"), agent=False) as jvm:
        jvm.line()
        for words in (["attach", jvm.pid], ["doctor", jvm.pid]):
            done = subprocess.run([t.cli, *map(str, words)], capture_output=True, text=True, timeout=100)
            expect(problems, f"{words}: {done}", done.returncode == 1 and "(vm.max_map_count); to attach takes 200 more" in done.stdout + done.stderr)
        jvm.ends(problems)
    return problems


def described(t):
    """The list shows the version as java -version does, and the main class also without performance data."""
    problems, classes = [], t.file("classes")
    with open(t.file("all.args"), "w") as f:
        f.write(f'# options and the main class\n-cp "{classes}"\n-Xint Waiting first\n')
    with open(t.file("options.args"), "w") as f:
        f.write(f"-cp '{classes}' -Xint\n")
    lines = [(["-cp", classes, "Waiting", "first"], "Waiting"), (["-XX:-UsePerfData", "-cp", classes, "Waiting", "first"], "Waiting")]
    if t.version >= 9:
        lines += [(["-XX:-UsePerfData", "@" + t.file("all.args"), "second"], "Waiting"), (["-XX:-UsePerfData", "@all.args", "second"], "Waiting"),
                  (["-XX:-UsePerfData", "@" + t.file("options.args"), "Waiting", "x"], "Waiting")]
    version = f"1.{t.version}.0" if t.version < 9 else f"{t.version}"
    for words, main in lines:
        with Jvm(t, *words, agent=False, cwd=t.work) as jvm:
            jvm.line()
            said = subprocess.run([t.cli, "list"], capture_output=True, text=True, timeout=100).stdout
            row = next(line.split() for line in said.splitlines() if line.split()[0] == str(jvm.pid))
            unknown = t.version < 9 and words[0] == "-XX:-UsePerfData" and row[2] == "unknown"  # some packages of JDK 8 have no file `release`
            expect(problems, f"{words}: {row}", (row[2].startswith(version) or unknown) and row[-1] == main)
    if own_root(t):  # a script does not pass its name on
        return problems
    with Jvm(t, "-XX:-UsePerfData", "-cp", classes, "Waiting", "first", agent=False, name="server") as jvm:
        jvm.line()
        said = subprocess.run([t.cli, "list"], capture_output=True, text=True, timeout=100).stdout
        expect(problems, said, any(line.split()[0] == str(jvm.pid) and line.split()[-1] == "server" for line in said.splitlines()))
    return problems


def full_heap(t):
    """A pass that cannot be switched on because the heap is full can be switched on later, however far it came. The reason says what is the matter."""
    problems, reasons = [], set()
    with Jvm(t, "-Xmx16m", "-XX:+UseSerialGC", "-cp", t.file("classes"), "Hungry") as jvm:
        jvm.line()
        jvm.control().close()

        def enable():
            done = subprocess.run([t.cli, "enable", str(jvm.pid), "timing", "include=Hungry"], capture_output=True, text=True, timeout=100)
            return done.returncode, done.stdout + done.stderr
        for _ in range(40):
            expect(problems, "not full", jvm.ask("f") == "full")
            status, said = enable()
            expect(problems, f"full: {status}, {said}", "another agent" not in said and (status == 0 or "heap" in said))
            reasons |= set() if status == 0 else {said}
            expect(problems, "not free", jvm.ask("d") == "free")
            if status == 0:
                break
        expect(problems, f"it had memory at once, or never: {status}, {reasons}", reasons and status == 0)
        subprocess.run([t.cli, "revert", str(jvm.pid)], capture_output=True, timeout=100)
        status, said = enable()
        expect(problems, f"free again: {status}, {said}", status == 0 and "timing" in said)
        with jvm.control() as c:
            expect(problems, f"{c.run('status')}", c.run("status")["classes_now"] == 1)
        print("; ".join(sorted(reasons)))
        jvm.ends(problems)
    return problems


def attached_when_full(t):
    """An attach that fails because the heap is full says so, and bars no later one."""
    problems, reasons = [], set()

    def instr(*words):
        done = subprocess.run([t.cli, *words], capture_output=True, text=True, timeout=100)
        return done.returncode, done.stdout + done.stderr
    # To the last byte, after which JDK 8 listens to no tool any more, jcmd neither; up to 32 KB.
    for fill in ("a", "f") if t.version > 8 else ("f",):
        with Jvm(t, "-Xmx16m", "-XX:+UseSerialGC", "-cp", t.file("classes"), "Hungry", agent=False) as jvm:
            jvm.line()
            expect(problems, "not full", jvm.ask(fill) == "full")
            status, said = instr("attach", str(jvm.pid), "timing", "include=Hungry")
            expect(problems, f"full: {status}, {said}", said.count("\n") == 1 and (status == 0 or "heap" in said))
            reasons |= set() if status == 0 else {said.strip()}
            line = jvm.ask("d")
            while line != "free" and jvm.process.poll() is None:  # HotSpot says that it had no memory for its attach listener
                line = jvm.line()
            status, said = instr("attach", str(jvm.pid), "timing", "include=Hungry")
            expect(problems, f"free again: {status}, {said}", status == 0 and "timing" in said)
            status, said = instr("detach", str(jvm.pid))
            expect(problems, f"detach: {status}, {said}", status == 0)
            jvm.ends(problems)
    expect(problems, "no attach failed", reasons)
    print("; ".join(sorted(reasons)))
    return problems


def started(t):
    """A command finds the agent of a JVM whose program has just begun: the agent listens a moment later."""
    problems = []
    for _ in range(3):
        with Jvm(t, "-cp", t.file("classes"), "Waiting") as jvm:
            jvm.line()
            done = subprocess.run([t.cli, "status", str(jvm.pid)], capture_output=True, text=True)
            expect(problems, f"{done}", done.returncode == 0 and not done.stderr)
            jvm.ends(problems)
    return problems
