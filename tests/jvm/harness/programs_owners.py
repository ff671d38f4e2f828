"""Several operators in one JVM: what one of them gives is for the passes of that operator."""

import json
import time

from .programs import program
from .programs_attach import Waiting


def enabled(p):
    """Who has which pass."""
    return [(e["by"], e["pass"]) for e in json.loads(p.instr("status", "--json").stdout)["enabled"]]


def wait_for(p, expected, seconds=20):
    """Waits until just these passes are on."""
    end = time.monotonic() + seconds
    while (found := enabled(p)) != expected and time.monotonic() < end:
        time.sleep(0.1)
    return "" if found == expected else f"on are {found}, not {expected}"


def refused(done, reason):
    return "" if done.returncode == 1 and reason in done.stderr else f"expected {reason!r}: {done}"


@program("instr, the times of two operators")
def times(r):
    """for= ends the passes of who gives it: those of the command line, of alice and of bob end one after the other."""
    p = Waiting(r, f"-agentpath:{r.agent}=exceptions,for=6s,include=Waiting")
    p.instr("attach", "timing", "include=Waiting", "--as", "alice")
    p.instr("enable", "calls", "timing", "include=Waiting", "--for", "500ms", "--as", "bob")
    text = p.instr("status").stdout
    problems = [f"no {what}: {text}" for what in ("timing by alice", "calls by bob") if what not in text]
    problems += [f"{line}" for line in text.splitlines() if " by " in line and " since " in line and ("ends in" in line) != (" by alice " not in line)]
    yield "at first", problems + ([text] if "\nexpiry" in text else [])
    yield "bob's", [x for x in [wait_for(p, [(None, "exceptions"), ("alice", "timing")])] if x]
    yield "the start's", [x for x in [wait_for(p, [("alice", "timing")])] if x]
    for command in ("set", "enable"):
        done = p.instr(command, "for=100ms", "--as", "bob")
        yield f"{command} without a pass", [x for x in [refused(done, "option 'for': bob has no active pass"), wait_for(p, [("alice", "timing")])] if x]
    p.instr("set", "--for", "100ms", "--as", "alice")
    problems = p.end([wait_for(p, [])])
    for line in ("calls of bob: its time is up (for=): switched off", "timing of bob: its time is up (for=)", "exceptions: its time is up (for=)",
                 "the time is up (for=): all passes are off"):
        if line not in p.stderr:
            problems.append(f"no {line!r}: {p.stderr}")
    yield "alice's", problems
