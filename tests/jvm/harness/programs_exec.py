"""instr coverage dump on a real JVM: the coverage so far, repeatedly, and after a reset."""

import os
import resource
import subprocess
import sys
import time

from . import control
from .programs import program
from .programs_attach import Waiting

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "coverage"))
import execfile  # noqa: E402


def running(r, options):
    p = Waiting(r, f"-agentpath:{r.agent}={options},quiet=yes")
    for _ in range(200):
        if os.path.exists(control.path(p.pid)):
            break
        time.sleep(0.02)
    return p


def dump(r, p, *words):
    return subprocess.run([r.cli, "coverage", "dump", str(p.pid), *words], capture_output=True, text=True, timeout=60)


def hits(file):
    """The number of probes hit in the program, and the number of sessions."""
    with open(file, "rb") as opened:
        sessions, classes = execfile.parse(opened.read())
    return sum(bits.count("1") for name, bits in classes.values() if name == "Waiting"), len(sessions)


@program("coverage dump", quick=False)
def exec_dump(r):
    file = r.file("dump.exec")
    p = running(r, f"coverage,coverage.file={file},coverage.append=no")
    problems = []

    def expect(what, found):
        if not found:
            problems.append(what)

    first = dump(r, p)
    expect(f"dump: {first}", first.returncode == 0 and first.stdout.startswith(os.path.realpath(file) + ": "))
    start = hits(file)
    expect(f"hits at the start: {start}", start[0] > 5 and start[1] == 1)
    expect("dump --reset", dump(r, p, "--reset").stdout.endswith("; the probes were reset\n"))
    expect(f"the same again: {hits(file)}", hits(file) == start)
    dump(r, p)
    expect(f"nothing since the reset: {hits(file)}", hits(file)[0] == 0)
    p.round()
    dump(r, p)
    expect(f"what one round covers: {hits(file)}", hits(file)[0] > 5)
    bad = dump(r, p, "--other")
    expect(f"an unknown option: {bad}", bad.returncode == 2 and "unknown option '--other'" in bad.stderr)
    p.round()
    p.process.stdin.close()
    p.output.append(p.process.stdout.read())
    status = p.process.wait(timeout=60)
    expect(f"the program: {status}, {p.output}", (status, "".join(p.output)) == (0, "ready 1042\nround 2084\nround 3126\nend\n"))
    yield "dump", problems


@program("coverage dump, without coverage", quick=False)
def without(r):
    p = running(r, "calls")
    done = dump(r, p)
    ok = (done.returncode, done.stdout, done.stderr) == (1, "", "instr: pass 'coverage' is not active in this JVM\n")
    yield "dump", p.end(["" if ok else str(done)])


def finish(p):
    """Ends the program after its first round; returns problems."""
    p.process.stdin.close()
    rest, status = p.process.stdout.read(), p.process.wait(timeout=60)
    return [] if (status, rest) == (0, "end\n") else [f"the program: {status}, {rest}"]


@program("coverage dump, a file that cannot be written")
def unwritten(r):
    """A reset whose dump fails loses nothing."""
    for mode in ("no", "yes", "flush"):
        file = r.file(mode + ".exec")
        p = running(r, f"coverage,coverage.file={file},coverage.append=no,coverage.mmap={mode}")
        dump(r, p)
        start = hits(file)[0]
        p.round()
        problems, limits = [], resource.prlimit(p.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(p.pid, resource.RLIMIT_FSIZE, (0, limits[1]))
        for _ in range(2):
            failed = dump(r, p, "--reset")
            problems += [] if failed.returncode == 1 and "File too large" in failed.stderr else [f"--reset: {failed}"]
        resource.prlimit(p.pid, resource.RLIMIT_FSIZE, limits)
        done = [dump(r, p, "--reset").returncode, hits(file)[0], dump(r, p).returncode, hits(file)[0]]
        if done[0] or done[2] or done[1] <= start or done[3] != 0:
            problems.append(f"{start} hits before, then {done}")
        yield mode, problems + finish(p)


@program("coverage dump, during a test")
def during_a_test(r):
    """A reset does not take from a test what it has covered."""
    found = []
    for words in ((), ("--reset",)):
        file = r.file(f"{len(words)}.exec")
        p = running(r, f"coverage,coverage.file={file},coverage.per-test=Waiting#main")
        p.round()
        problems = [] if dump(r, p, *words).returncode == 0 else ["dump"]
        yield " ".join(words), problems + finish(p)
        with open(r.file(f"{len(words)}-tests.exec"), "rb") as opened:
            sessions, classes = execfile.parse(opened.read())
        found.append(([session[0] for session in sessions].count("Waiting.main"), classes))
    yield "the test", [] if found[0] == found[1] and found[0][0] == 1 else [f"{found[0]} became {found[1]}"]


@program("coverage dump, while tests load classes")
def while_loading(r):
    """Resets take nothing from the dumps together, nor from a test."""
    file = r.file("o.exec")
    p = Waiting(r, f"-agentpath:{r.agent}=coverage,coverage.file={file},coverage.per-test=Loading#test,include=Loading:FullDisk$Copy,quiet=yes",
                main="Loading")
    problems, until = [], time.monotonic() + 4
    while time.monotonic() < until and not problems:
        done = dump(r, p, "--reset")
        problems += [] if done.returncode == 0 else [f"{done}"]
    p.process.stdin.close()
    rest, status = p.process.stdout.read(), p.process.wait(timeout=60)
    with open(file, "rb") as opened:
        together = {key: bits for key, (name, bits) in execfile.parse(opened.read())[1].items() if name == "FullDisk$Copy"}
    sessions = []
    with open(r.file("o-tests.exec"), "rb") as opened:
        for kind, *content in execfile.blocks(opened.read()):
            if kind == "session":
                sessions.append((content[0], []))
            elif content[1] == "FullDisk$Copy":
                sessions[-1][1].append(content[2])
    tests = [covered for name, covered in sessions if name == "Loading.test"]
    usual = max(tests, key=tests.count) if tests else None
    if (status, rest) != (0, f"tests {len(tests)}\n"):
        problems.append(f"the program: {status}, {rest}, {len(tests)} sessions")
    yield "together", problems + ([] if list(together.values()) == usual * len(tests) else
                                  [f"{len(together)} classes of {len(tests)}, {set(together.values())}, not {usual}"])
    yield "each test", [f"{covered}, not {usual}" for covered in tests if covered != usual][:3]
