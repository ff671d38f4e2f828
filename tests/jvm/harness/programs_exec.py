"""instr coverage dump on a real JVM: the coverage so far, repeatedly, and after a reset."""

import os
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
