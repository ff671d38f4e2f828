"""A runtime that throws: another agent breaks one of the runtime's classes, and the pass switches itself off."""

import json
import os
import subprocess
import time

from . import control
from .programs import Skip, program
from .programs_attach import Waiting

# Pass; the constant of a runtime class that is replaced, and its replacement; the exception that results. What the class calls of its own
# would be renamed with the call.
BROKEN = (("calls", "InstrCalls:count:cound", "NoSuchMethodError"),
          ("timing", "InstrSampling:ownRow:ownRov", "NoSuchMethodError"),
          ("timing,timing.clock=every", "InstrTiming:open:opem", "NoSuchMethodError"),
          ("alloc", "InstrAlloc:addThrown:addThrowm", "NoSuchMethodError"),
          ("exceptions", "InstrExceptions:identityHashCode:identityHashCodf", "NoSuchMethodError"),
          ("natives", "InstrTiming:open:opem", "NoSuchMethodError"),
          ("watch", "InstrWatch:currentThread:currentThreae", "NoSuchMethodError"),
          ("coverage", "InstrTests:instr/runtime/InstrTestsNative:instr/runtime/InstrTestsNativf", "NoClassDefFoundError"))
OPTIONS = {"natives": "natives,include=java.io.**", "coverage": "coverage,coverage.file=%s,coverage.per-test=Waiting#work,include=Waiting",
           "alloc": "alloc,include=Waiting:java.io.**"}


def state(p):
    done = p.instr("status", "--json")
    return json.loads(done.stdout) if done.returncode == 0 else {"passes": None}


def watched(r, p):
    """A pass that only a command switches on."""
    watching = subprocess.Popen([r.cli, "watch", str(p.pid), "Waiting.work(int)", "--limit", "12"], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
    for _ in range(200):
        if state(p)["passes"] == ["watch"]:
            break
        time.sleep(0.05)
    p.round()
    return watching.communicate(timeout=60)[1]


@program("a runtime that throws", quick=False)
def throwing(r):
    """For each pass: the program is unaffected, the pass is switched off, one line says why, other passes stay on."""
    library = os.path.join(os.path.dirname(os.path.dirname(r.agent)), "tests", "libbroken_runtime.so")
    if not os.path.exists(library):
        raise Skip("libbroken_runtime.so is not built")
    for passes, broken, thrown in BROKEN:
        name = passes.partition(",")[0]
        options = OPTIONS.get(name, f"{passes},include=Waiting").replace("%s", r.file("coverage.exec")) + ",quiet=yes"
        at_start = name in ("natives", "coverage")
        p = Waiting(r, f"-agentpath:{library}={broken}", f"-agentpath:{r.agent}{'=' + options if at_start else ''}")
        for _ in range(200):
            if os.path.exists(control.path(p.pid)):
                break
            time.sleep(0.05)
        problems, said = [], ""
        if name == "watch":
            said = watched(r, p)
        else:
            if not at_start:
                p.instr("enable", options)
            p.round()
        for _ in range(100):
            if state(p)["passes"] == []:
                break
            time.sleep(0.05)
        problems += [] if state(p)["passes"] == [] else [f"still on: {state(p)['passes']}"]
        problems += ended(p)
        said += p.stderr
        if f"{name}: its runtime threw java.lang.{thrown}" not in said and f"'{name}' has switched itself off: its runtime threw java.lang.{thrown}" not in said:
            problems.append(f"said: {said!r}")
        yield passes, problems
    p = Waiting(r, f"-agentpath:{library}={BROKEN[0][1]}", f"-agentpath:{r.agent}=calls,include=Waiting,control=off,quiet=yes")
    p.round()
    time.sleep(3)
    problems = ended(p)
    if p.stderr.count("switched off") != 1 or os.path.exists(control.path(p.pid)):
        problems.append(f"said: {p.stderr!r}")
    yield "calls, control=off", problems


def expected_round(n):
    return f"round {1042 * (n + 1)}\n"


def ended(p):
    """Runs two more rounds and the end: the program must have printed the same as without the agent."""
    p.round()
    p.round()
    p.process.stdin.close()
    p.output.append(p.process.stdout.read())
    status = p.process.wait(timeout=60)
    p.errors.seek(0)
    p.stderr = p.errors.read().decode("utf-8", "replace")
    expected = "ready 1042\n" + "".join(expected_round(n) for n in (1, 2, 3)) + "end\n"
    return [] if (status, "".join(p.output)) == (0, expected) else [f"status {status}, {''.join(p.output)!r}, {p.stderr[-300:]!r}"]
