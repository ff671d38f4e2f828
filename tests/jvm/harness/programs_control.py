"""The control socket of a real JVM: valid and invalid input, slow and lost clients, the commands of the CLI."""

import concurrent.futures
import contextlib
import fcntl
import json
import os
import pty
import random
import re
import select
import signal
import socket
import struct
import subprocess
import tempfile
import termios
import time

from . import control
from .programs import Skip, program
from .programs_attach import Waiting

EXCHANGE = control.hello() + control.command("status")


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def resident(pid):
    """Kilobytes."""
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))


def dormant(r, *java, folder="/tmp"):
    """folder: that of the control directory; other tests use /tmp at the same time."""
    p = Waiting(r, f"-agentpath:{r.agent}" + (f"=control={folder}" if folder != "/tmp" else ""), *java)
    for _ in range(200):  # the socket is created while the program starts
        if os.path.exists(control.path(p.pid, folder=folder)):
            break
        time.sleep(0.02)
    return p


def answers(p):
    """Does the agent still answer, and are all earlier clients disconnected?"""
    done = p.instr("status", "--json")
    try:
        return "" if json.loads(done.stdout)["state"] == "dormant" else done.stdout
    except ValueError:
        return f"status: {done.stdout!r}, {done.stderr!r}"


def settled(p, before):
    """The number of open descriptors returns to what it was, within a second."""
    for _ in range(50):
        if descriptors(p.pid) <= before:
            return ""
        time.sleep(0.02)
    return f"{descriptors(p.pid)} descriptors, {before} before"


def malformed(rng):
    """One invalid message."""
    kind = rng.randrange(8)
    if kind == 0:
        return rng.randbytes(rng.randrange(1, 200))
    if kind == 1:  # mutated
        data = bytearray(EXCHANGE)
        for _ in range(rng.randrange(1, 5)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return bytes(data)
    if kind == 2:  # cut
        return EXCHANGE[:rng.randrange(len(EXCHANGE))]
    if kind == 3:  # lengths
        return control.hello() + control.frame(rng.choice("HDCX"), rng.randbytes(8), rng.choice(
            (0, 1, 7, 65537, 1 << 24, (1 << 24) + 1, (1 << 31) - 1, (1 << 32) - 1)))
    if kind == 4:  # words: unterminated, none, too many, unusual
        words = rng.choice((b"", b"status", b"\0", b"\0" * 70, b"status\0" * 65, rng.randbytes(50) + b"\0",
                            b"x" * 60000 + b"\0", b"status\0\xff\xfe\x1b[2J\0"))
        return control.hello() + control.frame("C", words)
    if kind == 5:  # files: without a name, too many, none
        return control.hello() + control.frame("D", rng.choice((b"", b"abc", b"\0", b"a\0")) * rng.randrange(3)) * 3
    if kind == 6:  # the wrong order
        parts = [control.hello(), control.command("status"), control.frame("X"), control.frame("E"), control.hello(2, 9)]
        rng.shuffle(parts)
        return b"".join(parts)
    return control.hello() + control.command(rng.choice(("", "nothing", "status\n", "ping"))) * rng.randrange(1, 30)


def bombard(r, count):
    rng = random.Random(count)
    p = dormant(r)
    before, memory = descriptors(p.pid), resident(p.pid)
    for n in range(count):
        client = control.connect(p.pid)
        try:
            client.sendall(malformed(rng))
            if rng.randrange(4) == 0:
                client.shutdown(socket.SHUT_WR)
                while client.recv(65536):
                    pass
        except (BrokenPipeError, ConnectionResetError):
            pass
        client.close()
        if n % 1000 == 999:
            p.process.poll()
    more = resident(p.pid) - memory
    return p.end([answers(p), settled(p, before), f"{more} KB more" if more > 40000 else ""])


@program("control, malformed")
def few_malformed(r):
    """Invalid messages: the program is unharmed, and the agent still answers."""
    yield "1,000", bombard(r, 1000)


@program("control, 100,000 malformed", quick=False)
def many_malformed(r):
    yield "100,000", bombard(r, 100000)


@program("control, client disconnects at any point", quick=False)
def gone(r):
    """The client disconnects after each byte that it sends and each that it reads."""
    p = dormant(r)
    before = descriptors(p.pid)
    for n in range(len(EXCHANGE) + 1):
        client = control.connect(p.pid)
        client.sendall(EXCHANGE[:n])
        client.close()
    yield "sending", [x for x in (answers(p), settled(p, before)) if x]
    probe = control.Client(p.pid)
    length = len(probe.ask("status")[0])
    probe.close()
    for n in range(0, length + 30, 7):
        client = control.connect(p.pid)
        client.sendall(EXCHANGE)
        while n > 0 and (got := len(client.recv(n))):
            n -= got
        # unread data turns this into a reset
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
    yield "reading", p.end([answers(p), settled(p, before)])


@program("control, protocol")
def protocol(r):
    """Versions, unknown commands, several commands at once, many commands over one connection."""
    p = dormant(r)
    client = control.Client(p.pid, greet=False)
    client.send(control.hello(2, 7))
    kind, payload = client.next()
    yield "other version", [] if kind == "E" and b"version 1" in payload and client.next() is None else [f"{payload}"]
    client = control.Client(p.pid)
    document, status, line = client.ask("levitate")
    yield "unknown command", [] if (status, document) == (1, b"") and "'levitate'" in line else [line]
    other = control.Client(p.pid)
    problems = []
    for one in (client, other) * 50:
        document, status, line = one.ask("ping")
        if status != 0 or json.loads(document)["pid"] != p.pid:
            problems.append(f"{document} {line}")
    yield "two at once", problems[:3]
    client.send(control.command("ping") * 100)
    ends = 0
    while ends < 100:
        ends += client.next()[0] == "E"
    yield "all at once", p.end([answers(p)])


def threads(pid):
    """The names of the agent's threads; one may end meanwhile."""
    names = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(FileNotFoundError), open(f"/proc/{pid}/task/{task}/comm", encoding="utf-8") as f:
            names.append(f.read())
    return names


def passes(p):
    done = p.instr("status", "--json")
    if done.returncode != 0:
        raise AssertionError(f"status: {done}")
    return json.loads(done.stdout)["passes"]


@program("instr enable, disable, set, revert, detach")
def switching(r):
    """Each command has its effect and reports it; errors change nothing; at the end the agent is detached."""
    p = Waiting(r, f"-agentpath:{r.agent}")
    p.instr("attach")
    steps = ((("enable", "timing"), 0, ["timing"]), (("enable", "calls", "include=Waiting"), 0, ["timing", "calls"]),
             (("enable", "timng"), 2, ["timing", "calls"]), (("set", "huge=maybe"), 1, ["timing", "calls"]),
             (("disable", "nothing"), 1, ["timing", "calls"]), (("set", "timing.top=3"), 0, ["timing", "calls"]),
             (("disable", "timing"), 0, ["calls"]), (("revert", "Waiting"), 0, ["calls"]), (("revert",), 0, []),
             (("enable", "timing"), 0, ["timing"]), (("off",), 0, []))
    for words, status, after in steps:
        done = p.instr(*words)
        problems = [] if done.returncode == status else [f"status {done.returncode}: {done.stdout!r} {done.stderr!r}"]
        if sorted(passes(p)) != sorted(after):
            problems.append(f"passes {passes(p)}")
        if status and len(done.stderr.splitlines()) != 1 and status == 1:
            problems.append(f"not one line: {done.stderr!r}")
        yield " ".join(words), problems
    for name in ("timing", "exceptions", "alloc", "coverage"):
        p.instr("enable", name, f"{name}.file=/dev/full", "include=Waiting")
        done = p.instr("disable", name)
        lost = (done.returncode, done.stderr.splitlines(), passes(p)) == (1, ["instr: /dev/full: No space left on device"], [])
        yield f"{name}, its file is lost", [] if lost else [f"{done}"]
    os.mkfifo(r.file("fifo"))
    done = p.instr("set", f"config={r.file('fifo')}")  # a pipe without a writer must not block the command
    yield "set config=PIPE", [] if done.returncode == 1 and "not a regular file" in done.stderr else [f"{done}"]
    done = p.instr("detach", "--json")
    gone = "" if json.loads(done.stdout)["passes"] == [] and not os.path.exists(control.path(p.pid)) else done.stdout
    left = "the thread is left"
    for _ in range(50):
        if left and "instr control\n" not in threads(p.pid):
            left = ""
        time.sleep(0.02 if left else 0)
    again = p.instr("attach", "calls")
    yield "detach", p.end([gone, left, "" if again.returncode == 0 else f"{again}"])


def memory(p):
    """The bytes in use; all numbers, if they do not add up."""
    m = json.loads(p.instr("status", "--json").stdout)["memory_bytes"]
    return m["all"] if m["all"] == sum(n for key, n in m.items() if key != "all") else m


def freed(r):
    """Memory for counters is taken when methods run, and freed later."""
    p = Waiting(r)
    p.instr("attach")
    before = memory(p)
    p.instr("enable", "timing,include=Waiting")
    p.round()
    within = memory(p)
    p.instr("revert")
    time.sleep(4)  # calls that were running may still end
    after = memory(p)
    p.process.stdin.close()
    p.process.wait(timeout=60)
    return [] if 0 < before <= after < within else [f"{before}, {within}, {after}"]


@program("instr enable, while calls from before go on")
def enable_again(r):
    """Calls that began before all was reverted do not pass for those of the methods that have their numbers now."""
    for clock in ("auto", "every"):
        p = Waiting(r, f"-agentpath:{r.agent}=timing,timing.clock={clock},include=Endless,quiet=yes", main="Endless")
        while p.instr("status").returncode != 0 and p.process.poll() is None:
            time.sleep(0.05)  # the agent's socket follows the start
        reverted = p.instr("revert")
        time.sleep(4)  # calls that were running may still end
        p.instr("enable", f"timing,timing.clock={clock},include=Endless$Later,max-overhead=off", "--wait")
        time.sleep(1)
        done = p.instr("report", "timing", "--json")
        p.process.stdin.close()
        p.process.wait(timeout=60)
        rows = {m["method"]: m["total_ns"] for m in json.loads(done.stdout)["methods"]} if done.returncode == 0 else {}
        shares = {name: rows.get(name, 0) / 1e9 for name in ("first", "second", "third")}
        yield clock, [f"{name}: {share:.3f} of a second" for name, share in shares.items() if share < 0.1] if rows else [f"{reverted}, {done}"]


@program("instr status", quick=False)
def status(r):
    """status reports classes over a limit, the expiry, and the memory in use, which is freed later."""
    yield "memory", freed(r)
    p = Waiting(r)
    p.instr("attach")
    p.instr("enable", "timing,for=1h,max-methods=3,include=Waiting:java.util.HashMap:java.lang.Integer")
    reported = p.instr("status").stdout
    problems = [f"no {w}: {reported}" for w in (r"^limits +\d skipped by max-classes", r"^expiry .* in (1.00 h|\d)", r"^memory +[\d,]+ bytes",
                                                            r"^now +0 classes changed, 0 methods", r"^enabled +timing by .*, clock=auto")
                if not re.search(w, reported, re.M)]
    p.instr("set", "timing.clock=every")
    reported = p.instr("status").stdout
    problems += [f"every: {reported}"] if "enabled " not in reported or "clock=auto" in reported else []
    p.instr("revert")
    yield "reported", problems
    problems = []
    for words, hours in ((("enable", "timing,include=Waiting", "--for", "5h"), 5), (("set", "--for=3h"), 3),
                         (("attach", "calls,include=Waiting", "--for", "4h", "--wait"), 4)):
        done = p.instr(*words)
        left = json.loads(p.instr("status", "--json").stdout).get("expires_in_ns", 0) / 3600e9
        if done.returncode != 0 or not hours - 0.5 < left <= hours:
            problems.append(f"{words}: {done}, {left}")
    done = p.instr("watch", "Waiting.work(int)", "for=100ms")
    if done.returncode != 0:
        problems.append(f"watch: {done}")
    for words in (("--for", "2h", "--name", "one"), ("for=2h", "--name", "two")):
        done = p.instr("rule", "Waiting.work(int) exit { @n = count() }", *words)
        if done.returncode != 0 or f"{words[-1]} ends in " not in done.stdout or "2.00 h" not in done.stdout and "7200 s" not in done.stdout:
            problems.append(f"rule {words}: {done}")
    for words in (("set",), ("enable", "--for", "5h"), ("set", "--for", "soon"), ("watch", "Waiting.work(int)", "for=soon")):
        if p.instr(*words).returncode != 2:
            problems.append(f"{words}: accepted")
    p.instr("revert")
    yield "--for", problems
    done = p.instr("dump", "Waiting", "--json")
    document = json.loads(done.stdout) if done.returncode == 0 else {}
    bytes_ = bytes.fromhex(document.get("hex", ""))
    yield "dump", [] if bytes_[:4] == b"\xca\xfe\xba\xbe" and len(bytes_) == document["length"] else [f"{done}"]
    lines = json.loads(p.instr("show", "--json", "Waiting").stdout)["lines"]
    yield "show", p.end([] if "\n".join(lines) + "\n" == p.instr("show", "Waiting").stdout else [f"{lines[:3]}"])


@program("instr, commands that bring the agent in", quick=False)
def bringing(r):
    """Without an agent watch and dump load one and remove it again; enable and redefine leave it loaded; other commands say what to type."""
    def lines(done):
        return [line for line in done.stderr.splitlines() if "JEP 451" not in line]

    def agent(p):
        done = p.instr("status", "--json")
        return json.loads(done.stdout)["state"] if done.returncode == 0 else None
    p = Waiting(r)
    with open(r.file("Junk.class"), "wb") as f:
        f.write(b"no class")
    for words, reported in ((("redefine", r.file("Junk.class")), "not a class file"), (("redefine", r.file("gone.class")), "gone.class"),
                        (("status",), "attach"), (("top", "--once"), "enable"), (("revert",), "attach"), (("off",), "nothing to switch off")):
        done = p.instr(*words)
        ok = done.returncode == 1 and len(lines(done)) == 1 and reported in done.stderr and agent(p) is None
        with open(f"/proc/{p.pid}/maps", encoding="ascii", errors="replace") as f:
            ok = ok and "libinstr.so" not in f.read()  # the agent was not loaded
        yield words[0] if words[0] != "redefine" else reported, [] if ok else [f"{done}"]
    done = p.instr("watch", "Waiting.work(")
    with open(f"/proc/{p.pid}/maps", encoding="ascii", errors="replace") as f:
        alone = "libinstr.so" not in f.read()
    yield "methods", [] if done.returncode == 2 and len(lines(done)) == 1 and alone else [f"{done} {alone}"]
    watching = subprocess.Popen([r.cli, "watch", str(p.pid), "Waiting.work(int)", "--limit", "12"], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True)
    for _ in range(500):
        if os.path.exists(control.path(p.pid)) and passes(p) == ["watch"]:
            break
        time.sleep(0.02)
    p.round()
    p.round()
    out = watching.communicate(timeout=60)[0].splitlines()
    yield "watch", [] if (watching.returncode, len(out), agent(p)) == (0, 12, None) else [f"{watching.returncode} {out} {agent(p)}"]
    file = r.file("Waiting.class")
    done = p.instr("dump", "Waiting", "-o", file)
    with open(os.path.join(r.built.programs, "Waiting.class"), "rb") as f:
        same = done.returncode == 0 and f.read(8) == open(file, "rb").read(8)
    yield "dump", [] if same and agent(p) is None else [f"{done} {agent(p)}"]
    done = p.instr("enable", "timng")
    yield "mistyped", [] if done.returncode == 2 and agent(p) is None else [f"{done} {agent(p)}"]
    done = p.instr("enable", "no.such.pass=3")
    yield "no such option", [] if done.returncode == 2 and agent(p) is None else [f"{done} {agent(p)}"]
    done = p.instr("enable", "timing", "include=Waiting")
    problems = [] if done.returncode == 0 and agent(p) == "active" else [f"{done} {agent(p)}"]
    p.process.stdin.close()
    p.process.wait(60)
    yield "enable", problems


@program("instr watch, where an exception comes from", quick=False)
def watch_throws(r):
    """The stack of a call that throws is that of its exception, whatever the class overrides; unnamed threads have a name."""
    p = Waiting(r, main="Deep")
    watching = subprocess.Popen([r.cli, "watch", str(p.pid), "Deep.outer(int)", "--stack", "--limit", "4", "--json"], stdout=subprocess.PIPE, text=True)
    for _ in range(500):
        if os.path.exists(control.path(p.pid)) and passes(p) == ["watch"]:
            break
        time.sleep(0.02)
    p.round()
    calls = [json.loads(line) for line in watching.communicate(timeout=60)[0].replace("}\n", "}\0").split("\0") if line]
    found = {call["arguments"][0]: [frame.partition("(")[0] for frame in call["stack"]] for call in calls}
    outer = ["Deep.outer", "Deep.round"]
    yield "stacks", [] if found == {"0": outer + ["Deep.main"], "1": ["Deep.innermost", "Deep.inner"] + outer + ["Deep.main"], "2": outer + ["Deep.main"],
                                    "3": found["3"]} else [f"{found}"]
    name = calls[3]["thread"]
    yield "thread", [] if re.fullmatch("virtual-[0-9]+" if r.jdk.version >= 21 else "Thread-[0-9]+", name) else [name]
    p.process.stdin.close()
    p.process.wait(60)


# What is typed, and what is meant; None: nothing like it is loaded.
MEANT = [("Waiting.wrok", "Waiting.work"), ("waiting.work(..)", "Waiting.work"),
         ("Waiting.work(long)", "Waiting.work(int)"), ("java.util.HashMap.Node.getKey", "java.util.HashMap$Node.getKey"),
         ("HashMap.putVal", "java.util.HashMap.putVal"), ("Nothing.wrok:java.util.HashMap.putVla", "java.util.HashMap.putVal"),
         ("java.util.HashMap.nothingLikeIt", None), ("com.acme.**.work", None),
         ("java.util.**.nothingLikeIt", None)]  # interfaces that are skipped have no such method


@program("instr watch, mistyped", quick=False)
def watch_mistyped(r):
    """A method that no loaded class has: instr says which one is spelled like it."""
    p = Waiting(r)
    for methods, meant in MEANT:
        done = p.instr("watch", methods, "--for", "200ms")
        hint = re.search(r"did you mean (.*)\?", done.stderr)
        yield methods, [] if "no loaded class has such a method" in done.stderr and "interfaces=yes" not in done.stderr and (
            meant in hint[1].split(", ") if meant and hint else meant is hint) else [f"{done}"]
    p.process.stdin.close()
    p.process.wait(60)


@program("instr watch, several patterns", quick=False)
def watch_several(r):
    """Each pattern stands for methods of its own classes."""
    p = Waiting(r)
    watching = subprocess.Popen([r.cli, "watch", str(p.pid), "Waiting#work(int):java.io.BufferedReader.readLine():Nothing.round", "--limit", "11"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for _ in range(500):
        if os.path.exists(control.path(p.pid)) and passes(p) == ["watch"]:
            break
        time.sleep(0.02)
    p.round()
    p.round()
    found = {line.split()[2].partition("(")[0] for line in watching.communicate(timeout=60)[0].splitlines()}
    p.process.stdin.close()
    p.process.wait(60)
    yield "methods", [] if found == {"Waiting.work", "java.io.BufferedReader.readLine"} else [f"{found}"]


def watcher(r, p, stdout, methods="Waiting.work(int)", *more):
    """Starts a watch without a limit, and waits until it is on."""
    started = subprocess.Popen([r.cli, "watch", str(p.pid), methods, "--limit", "1000000", *more], stdout=stdout,
                               stderr=subprocess.PIPE, text=True)
    for _ in range(500):
        if os.path.exists(control.path(p.pid)) and passes(p) == ["watch"]:
            break
        time.sleep(0.02)
    return started


@program("instr watch, threads that are stopped")
def watch_stopped(r):
    """Each ends, though it mostly runs in the runtime, and the watch goes on."""
    if r.jdk.version >= 20:
        raise Skip("no thread can be stopped")
    p = Waiting(r, f"-agentpath:{r.agent}=max-overhead=off", "-Xint", main="Stoppable")  # C2's code loses such an error now and then where it goes back to the interpreter
    p.instr("attach")
    watching = watcher(r, p, subprocess.DEVNULL, "Stoppable.work(int)", "--if-slower", "1h")
    p.round()
    problems = [] if p.output[-1] == "ended 500\n" else [p.output[-1]]
    goes_on = passes(p) == ["watch"] and watching.poll() is None
    p.process.kill()
    err = watching.communicate(timeout=60)[1]
    yield "stopped", problems + ([] if goes_on else [f"the watch has ended: {err}"])


@program("instr watch, ended by others", quick=False)
def watch_ends(r):
    """instr watch reports that another client has switched the pass off, even without calls; and why its output failed."""
    p = Waiting(r)
    p.instr("attach")
    for words in (("disable", "watch"), ("revert",), ("off",)):
        watching = watcher(r, p, subprocess.DEVNULL)
        p.instr(*words)
        try:
            err = watching.communicate(timeout=30)[1]
            yield words[0], [] if (watching.returncode, "switched off" in err) == (0, True) else [f"{watching.returncode} {err}"]
        except subprocess.TimeoutExpired:
            watching.kill()
            watching.communicate()
            yield words[0], ["it goes on"]
    p.instr("detach")  # then the command loads and removes the agent
    reader, writer = os.pipe()
    os.close(reader)
    problems = []
    for output, reported in ((os.open("/dev/full", os.O_WRONLY), "instr: standard output: not everything could be written\n"), (writer, "")):
        watching = watcher(r, p, output)
        p.round()
        err = "".join(line for line in watching.communicate(timeout=60)[1].splitlines(True) if "standard output" in line)
        os.close(output)
        problems += [] if (watching.returncode, err) == (1, reported) else [f"{watching.returncode} {err!r}"]
    p.process.stdin.close()
    p.process.wait(60)
    yield "output", problems


@program("instr off, no answer on the socket", quick=False)
def off_by_file(r):
    """The kill switch is a file then; it is seen within two seconds, and does not affect passes switched on later."""
    p = Waiting(r)
    p.instr("attach", "timing")
    os.unlink(control.path(p.pid))
    start = time.monotonic()
    done = p.instr("off")
    problems = [] if done.returncode == 0 and "switch" in done.stdout else [f"{done}"]
    if time.monotonic() - start > 5:
        problems.append(f"{time.monotonic() - start:.1f} s")
    again = p.instr("attach", "timing")  # creates the socket again
    if again.returncode != 0 or passes(p) != ["timing"]:
        problems.append(f"{again}")
    p.instr("detach")
    switch = re.sub(r"\.sock$", ".off", control.path(p.pid))
    done = p.instr("off")
    if (done.returncode, done.stderr) != (1, f"instr: the agent in process {p.pid} is detached; there is nothing to switch off\n"):
        problems.append(f"detached: {done}")
    if os.path.lexists(switch):
        problems.append(f"detached: {switch} stays")
    problems = p.end(problems)
    yield "file", problems + ([] if "kill switch" in p.stderr else [p.stderr])


def until(condition, seconds=20):
    """Waits until the condition holds; returns whether it does."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return bool(condition())


@program("the kill switch, a full heap", quick=False)
def off_with_full_heap(r):
    """No thread can enter the JVM: the kill switch stays, and is obeyed when there is room again."""
    p = Waiting(r, "-Xmx12m", "-XX:+UseSerialGC", r.with_agent("calls,include=FullHeap"), main="FullHeap")
    switch = re.sub(r"\.sock$", ".off", control.path(p.pid))
    problems = [] if until(lambda: os.path.exists(control.path(p.pid))) else ["no socket"]
    p.round()
    open(switch, "w", encoding="ascii").close()
    time.sleep(2.5)  # the agent looks for it every second
    problems += [] if os.path.exists(switch) else ["the kill switch is gone, though nothing can be switched off"]
    p.round()
    problems += [] if until(lambda: not os.path.exists(switch)) else ["the kill switch stays"]
    problems += [f"still on: {passes(p)}"] if passes(p) else []
    p.process.stdin.close()
    p.process.wait(60)
    with open(r.file("stderr"), encoding="utf-8") as f:
        lines = [line for line in f if "kill switch" in line]
    said = len(lines) == 2 and "full heap" in lines[0] and "all passes are off" in lines[1]
    yield "full", problems + ([] if said else [f"{lines}"]) + ([] if p.output == ["ready\n", "full\n", "free\n"] else [f"{p.output}"])


@program("the kill switch, a deleted socket", quick=False)
def off_without_socket(r):
    """The agent creates its socket anew, and obeys the kill switch all the same."""
    p = Waiting(r)
    p.instr("attach")
    p.instr("enable", "calls")
    os.kill(p.pid, signal.SIGSTOP)
    os.unlink(control.path(p.pid))
    switch = re.sub(r"\.sock$", ".off", control.path(p.pid))
    open(switch, "w", encoding="ascii").close()
    time.sleep(5.5)  # it looks for its socket every five seconds
    os.kill(p.pid, signal.SIGCONT)
    problems = [] if until(lambda: os.path.exists(control.path(p.pid)) and not os.path.exists(switch)) else ["no socket, or a kill switch"]
    yield "deleted", p.end(problems + ([f"still on: {passes(p)}"] if passes(p) else []))


@program("instr detach, while others watch")
def detach_under_watches(r):
    """Calls that end meanwhile do not look for the names of methods, whose memory is freed."""
    library = os.path.join(os.path.dirname(os.path.dirname(r.agent)), "tests", "libslow_trim.so")
    if not os.path.exists(library):
        raise Skip("libslow_trim.so is not built")
    p = Waiting(r, r.with_agent("quiet=yes"), main="SlowCalls", env={"LD_PRELOAD": library})
    problems = [] if until(lambda: os.path.exists(control.path(p.pid))) else ["no socket"]
    watching = [watcher(r, p, subprocess.PIPE, "SlowCalls.work(int)") for _ in range(2)]
    for w in watching:
        w.stdout.readline()
    done = p.instr("detach")
    problems += [] if done.returncode == 0 else [f"{done}"]
    for w in watching:
        try:
            w.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            w.kill()
            problems.append("a watch goes on")
    p.process.stdin.close()
    status = p.process.wait(60)
    yield "detach", problems + ([f"status {status}"] if status else [])


@program("instr watch, the JVM ends")
def watch_at_end(r):
    """Nothing is said of a pass that is still active."""
    for i in range(3):
        p = Waiting(r, f"-agentpath:{r.agent}")
        watching = watcher(r, p, subprocess.DEVNULL)
        p.round()
        time.sleep(0.5)  # the agent's thread sleeps when the JVM ends
        p.process.stdin.close()
        p.process.wait(60)
        watching.communicate(timeout=60)
        with open(r.file("stderr"), encoding="utf-8") as f:
            yield f"end {i}", [line for line in f if "still active" in line]


@program("instr disable, a client that breaks the protocol")
def refused_client(r):
    """It waits for the background thread and sends another command: its results are printed, as for a client that disconnects."""
    p = Waiting(r, f"-agentpath:{r.agent}")
    problems = [] if until(lambda: os.path.exists(control.path(p.pid))) else ["no socket"]
    p.instr("enable", "calls", "include=Waiting:java.util.**:java.io.**")
    p.round()
    client = control.Client(p.pid)
    client.send(control.command("disable", "calls") + control.command("status"))
    while message := client.next():
        last = message
    problems += [] if last[0] == "E" and b"only a cancellation" in last[1] else [f"{last}"]
    client.close()
    p.output.pop()
    p.process.stdin.close()
    p.process.wait(60)
    with open(r.file("stderr"), encoding="utf-8") as f:
        text = f.read()
    yield "results", problems + ([] if "the client of 'disable' did not get" in text and "Waiting.work" in text else [text[-1000:]])


@program("instr enable, the number of classes in scope")
def classes_in_scope(r):
    """Each class counts once, also with a limit."""
    p = Waiting(r, f"-agentpath:{r.agent}")
    problems = [] if until(lambda: os.path.exists(control.path(p.pid))) else ["no socket"]
    for more in [], ["max-classes=1000"]:
        done = p.instr("enable", "calls", *more)
        problems += [] if "now 1: no package (1); " in done.stderr else [f"{more}: {done}"]
        p.instr("revert")
    yield "scope", p.end(problems)


@program("instr, two operators at once", quick=False)
def two_operators(r):
    """Both switch passes on and off at the same time: each command succeeds or says why not."""
    p = Waiting(r)
    p.instr("attach")

    def operate(name):
        bad = []
        for _ in range(40):
            for words in (("enable", name, "include=Waiting:java.util.*"), ("status",), ("disable", name)):
                done = p.instr(*words)
                if done.returncode != 0:
                    bad.append(f"{words}: {done.stderr!r}")
        return bad
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = sum(pool.map(operate, ("calls", "timing")), [])
    if passes(p):
        problems.append(f"left on: {passes(p)}")
    yield "two", p.end(problems[:3])


@program("instr top", quick=False)
def top(r):
    """Rows report the calls of the interval, in the requested order; without a pass the error names one to switch on."""
    p = Waiting(r)
    p.instr("attach")
    done = p.instr("top", "--once")
    problems = [] if done.returncode == 1 and "enable" in done.stderr else [f"{done}"]
    p.instr("enable", "watch", "watch.methods=Waiting.work(..)")  # it has no table, and does not hide that of another pass
    done = p.instr("top", "--once")
    problems += [] if done.returncode == 1 and "enable" in done.stderr else [f"watch: {done}"]
    p.instr("enable", "calls")
    reported = json.loads(p.instr("top", "--once", "--json").stdout)["pass"]
    problems += [] if reported == "calls" else [f"watch and calls: {reported}"]
    p.instr("revert")
    p.instr("enable", "timing")
    interval = json.loads(p.instr("top", "--once", "--every", "1s", "--json").stdout)["interval_ns"]
    problems += [] if interval >= 10 ** 9 else [f"--once --every 1s: {interval} ns"]
    watching = subprocess.Popen([r.cli, "top", str(p.pid), "--every", "100ms", "--sort", "calls", "--json"],
                                stdout=subprocess.PIPE, text=True)
    decoder, text, seen, rows = json.JSONDecoder(), "", 0, {}
    while seen < 8 and (more := watching.stdout.readline()):
        text += more
        if more == "}\n":
            document = decoder.decode(text)
            text, seen = "", seen + 1
            if seen == 2:
                p.round()
                p.output.pop()
            calls = [row["calls"] for row in document["rows"]]
            if calls != sorted(calls, reverse=True):
                problems.append(f"order: {calls}")
            for row in document["rows"]:
                rows[row["method"]] = rows.get(row["method"], 0) + row["calls"]
    watching.send_signal(signal.SIGINT)
    if watching.wait(30) != 0:
        problems.append(f"exit status {watching.returncode}")
    watching.stdout.close()
    if rows.get("work") != 10 or rows.get("round") != 1:
        problems.append(f"rows: {rows}")
    p.instr("off")
    p.process.stdin.close()
    p.process.wait(60)
    yield "json", problems


@program("instr top, on a terminal", quick=False)
def top_grows(r):
    """The table grows with the terminal."""
    p = Waiting(r)
    p.instr("attach", "calls", "include=**")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 6, 80, 0, 0))
    watching = subprocess.Popen([r.cli, "top", str(p.pid), "--every", "100ms"], stdin=theirs, stdout=theirs, stderr=theirs)
    frames, longest = b"", {}
    for lines in (6, 20):
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, 80, 0, 0))
        for _ in range(300):
            p.round()
            while select.select([ours], [], [], 0.02)[0]:
                frames += os.read(ours, 65536)
            # complete screens: from the first line to where the rest is cleared
            longest[lines] = max((frame.count(b"\r\n") + 1 for frame in re.findall(rb"\033\[H\033\[K(instr top.*?)\033\[J", frames, re.S)),
                                 default=0)
            if longest[lines] == lines:
                break
    watching.terminate()
    watching.wait(60)
    os.close(ours)
    os.close(theirs)
    p.process.stdin.close()
    p.process.wait(60)
    yield "larger", [] if longest == {6: 6, 20: 20} else [f"lines {longest}"]


def screen(r, p, columns):
    """A screen of instr top that has rows, on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 12, columns, 0, 0))
    watching = subprocess.Popen([r.cli, "top", str(p.pid), "--every", "300ms"], stdin=theirs, stdout=theirs, stderr=theirs)
    frames, found, end = b"", b"", time.monotonic() + 60
    while not found and time.monotonic() < end:
        while select.select([ours], [], [], 0.05)[0]:
            frames += os.read(ours, 65536)
        found = next((f for f in re.findall(rb"\033\[H\033\[K(instr top.*?)\033\[J", frames, re.S) if b"Busy.work" in f), b"")
    watching.terminate()
    watching.wait(60)
    os.close(ours)
    os.close(theirs)
    return [line.strip("\r") for line in found.decode().replace("\033[K", "").split("\n")]


@program("instr top, what waits", quick=False)
def top_waits(r):
    """Methods whose threads wait do not lead the table: their time is another column. Packages give way on a narrow terminal."""
    p = Waiting(r, main="com.example.shop.Busy")
    p.instr("attach", "timing", "include=com.example.**")
    document = json.loads(p.instr("top", "--once", "--every", "3s", "--json").stdout)
    rows = {row["method"]: row for row in document["rows"]}
    problems = []
    for method, waits in (("work", False), ("takeWithinSomeTime", True), ("sleep", True), ("read", True), ("write", False)):
        row = rows.get(method, {"self_ns": 0, "wait_ns": 0})
        if not row["self_ns"] or (row["wait_ns"] > 0.6 * row["self_ns"]) != waits or (row["wait_ns"] > 0.3 * row["self_ns"]) != waits:
            problems.append(f"{method}: {row}")
    if not document["rows"] or document["rows"][0]["method"] != "work":
        problems.append(f"order: {[row['method'] for row in document['rows']]}")
    longest = rows.get("sleep", {}).get("max_ns", 0)
    if not 39e6 < longest < 3e9:
        problems.append(f"sleep takes at most {longest} ns")
    yield "waits", problems
    # Calls that began long before: their time is not of this tenth of a second.
    first = [json.loads(p.instr("top", "--once", "--json").stdout)["rows"][:1] for _ in range(5)]
    yield "at first", [] if all(rows and rows[0]["method"] == "work" for rows in first) else [f"{first}"]
    wide, narrow, narrower = screen(r, p, 160), screen(r, p, 86), screen(r, p, 50)
    yield "wide", [] if any(line.endswith(" com.example.shop.Busy.work(double)") for line in wide) else wide
    at = next((line.split() for line in narrower if line.startswith("   CALLS/S")), [])
    rows = [line for line in narrower if "Busy.work" in line]
    yield "narrower", [] if at == ["CALLS/S", "MEAN", "BUSY", "METHOD"] and rows and max(map(len, narrower)) <= 50 else narrower
    yield "narrow", [] if any(line.endswith(" c.e.s.Busy.work(double)") for line in narrow) and max(map(len, narrow)) <= 86 else narrow
    p.process.stdin.close()
    p.process.wait(60)


@program("instr top, a stopped JVM", quick=False)
def top_stopped(r):
    """The command ends after a while, and says that the JVM is stopped, not that its agent does not respond."""
    p = Waiting(r)
    p.instr("attach", "calls")
    watching = subprocess.Popen([r.cli, "top", str(p.pid), "--every", "100ms", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = watching.stdout.readline()
    os.kill(p.pid, signal.SIGSTOP)
    try:
        said = watching.communicate(timeout=60)[1]
    finally:
        os.kill(p.pid, signal.SIGCONT)
    found = (first, watching.returncode, said)
    p.process.stdin.close()
    p.process.wait(60)
    yield "stopped", [] if found == ("{\n", 1, f"instr: process {p.pid} is stopped and cannot respond\n") else [f"{found}"]


@program("control, too many clients", quick=False)
def crowd(r):
    """Silent clients: some are accepted, the next one is refused with a reason, and all are disconnected after a timeout."""
    p = dormant(r)
    before = descriptors(p.pid)
    silent = [control.connect(p.pid) for _ in range(16)]
    refused = control.Client(p.pid, greet=False)
    kind, payload = refused.next()
    problems = [] if kind == "E" and b"too many clients" in payload else [f"{kind} {payload}"]
    start = time.monotonic()
    for client in silent:
        if client.recv(1):
            problems.append("an answer to nothing")
    if not 5 < time.monotonic() - start < 20:
        problems.append(f"put out after {time.monotonic() - start:.1f} s")
    refused.close()
    yield "crowd", p.end(problems + [answers(p), settled(p, before)])


@program("control, other users", quick=False)
def strangers(r):
    """Another user gets no answer even if the mode of the file would allow access."""
    if os.getuid() != 0:
        raise Skip("needs root")
    with tempfile.TemporaryDirectory(prefix="instr-control-", dir="/var/tmp") as top:
        os.chmod(top, 0o755)
        p = dormant(r, folder=top)
        path = control.path(p.pid, folder=top)
        os.chmod(os.path.dirname(path), 0o755)
        os.chmod(path, 0o666)
        child = os.fork()
        if child == 0:
            os.setgroups([])
            os.setgid(1234)
            os.setuid(1234)
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(10)
            client.connect(path)
            try:
                client.sendall(EXCHANGE)
                os._exit(7 if client.recv(1) else 0)
            except OSError:
                os._exit(0)
        status = os.waitpid(child, 0)[1]
        os.chmod(os.path.dirname(path), 0o700)
        yield "strangers", p.end([answers(p), f"status {status}" if status else ""])


@program("instr set, fewer classes")
def fewer(r):
    """Classes that a narrower scope or a lower limit leaves out are restored, and what a limit skips is counted as it is now."""
    def over(p):
        return json.loads(p.instr("status", "--json").stdout)["classes_over_limit"]
    p = Waiting(r)
    scope = "include=Waiting:java.util.HashMap:java.lang.Integer:java.util.ArrayList"
    p.instr("attach", "calls", scope)
    for words, said, skipped in ((("include=Waiting",), "; 3 classes restored in ", 0), ((scope,), "; 3 classes retransformed, 3 changed in ", 0),
                                 (("include=Waiting:java.util.HashMap$Node:java.util.HashMap",), "; 3 classes retransformed, 1 changed, 2 restored in ", 0), ((scope, "max-classes=1"), "", 3),
                                 (("max-classes=2",), "", 2), (("calls.top=3",), "", 2), (("include=Waiting",), "", 0), ((scope,), "", 2),
                                 (("max-classes=1",), "; 1 class restored in ", 3)):
        done = p.instr("set", *words)
        problems = [] if done.returncode == 0 and said in done.stdout else [f"{done}"]
        yield " ".join(words), problems + ([] if over(p) == skipped else [f"{over(p)} over the limit, not {skipped}"])
    p.instr("revert")
    yield "revert", p.end([f"{over(p)} over the limit"] if over(p) else [])
