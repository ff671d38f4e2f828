"""Operators at random: whatever they do to each other, each gets an answer soon, and the program is as it was."""

import random
import re
import subprocess
import threading
import time

from operators import Sides, changed_methods
from results import instr
from server_jvm import expect

SECONDS, OPERATORS, SEED = 20, 4, 1
SLOWEST = 10  # seconds of an answer; all operators and the program share few processors
PASSES = ("calls", "timing", "exceptions", "coverage", "alloc")
SCOPES = ("Sides$Left", "Sides$Right", "Sides$*", "Sides*", "java.util.**")
COUNTED = "Sides$Left.left(..) entry { @n = count() }"

# What a command says that fails because of another one.
REASONS = (
    "pass '[a-z]+' is not active",
    "pass '[a-z]+' was switched on by [a-z0-9]+, not by [a-z0-9]+; --as [a-z0-9]+ means that one, --all means everybody's",
    "pass '[a-z]+' was switched on by [a-z0-9]+(, [a-z0-9]+)* and [a-z0-9]+, not by [a-z0-9]+; --as NAME means that of one, --all means everybody's",
    "pass 'coverage' is on already, for [a-z0-9]+; it can be on for one only",
    "option '[a-z]+\\.\\*': the pass is not enabled by op[0-9]",
    "pass '[a-z]+' counts once for all its owners: --reset needs --all",
    "no pass is active",
    "no active pass counts or times methods; 'instr enable PID timing' switches one on",
    "no rule is on in process PID",
    "option 'rule': a pass named 'op[0-9]' is there already; name=NAME names this one",
    "another command switched (pass '[a-z]+'|everything) off before all classes were changed",
    "another command interrupted this one before all classes were changed; 'instr status' shows what is active now",
    "the agent in process PID is detached, or does not listen; 'instr attach PID' starts it again",
    "there is no agent in process PID; 'instr (attach|enable) PID( timing)?' loads (it|one that times methods)",
    "the agent in process PID has just been detached, or the JVM ends",
    "the agent was detached, or the JVM has ended",
)


def command(t, r, name, pid):
    """A command of an operator, at random."""
    one, scope = r.choice(PASSES), r.choice(SCOPES)
    include, who = f"{one}.include={scope}", ("--as", name)
    on = (pid, one, include, *([f"coverage.file={t.file(f'random-{name}.exec')}"] if one == "coverage" else []))
    return r.choice((
        ("attach", *on, "max-overhead=off", *who),
        ("enable", *on, *who),
        ("enable", *on, "--no-wait", *who),
        ("enable", *on, "--for", "1s", *who),
        ("disable", pid, one, *who),
        ("disable", pid, one, "--all"),
        ("set", pid, include, *who),
        ("report", pid, one),
        ("report", pid, one, "--reset", *who),
        ("revert", pid),
        ("revert", pid, scope),
        ("status", pid),
        ("status", pid, "--json"),
        ("top", pid, "--once", "--every", "200ms"),
        ("watch", pid, "Sides$Left.left(..)", "--limit", "3", "--for", "1s", *who),
        ("watch", pid, "Sides$*.*(..)", "--limit", "1", "--for", "1s", *who),
        ("rule", pid, COUNTED, "--name", name, "--for", "1s", *who),
        ("rules", pid),
        ("dump", pid, "Sides$Right", "-o", t.file(f"dumped-{name}.class")),
        ("list",),
        ("off", pid),
        ("detach", pid),
    ))


def judge(status, err, seconds, pid):
    """What is wrong with an answer, or None."""
    lines = err.strip().replace(pid, "PID").split("\n")
    if seconds > SLOWEST:
        return f"{seconds:.1f} s"
    if status == 0:
        return None
    known = status == 1 and any(re.fullmatch("instr: " + reason, line) for reason in REASONS for line in lines)
    return None if known else f"status {status}: {err}"


def operate(t, pid, name, seed, end, wrong):
    r = random.Random(seed)
    while time.monotonic() < end:
        words = command(t, r, name, pid)
        start = time.monotonic()
        try:
            done = subprocess.run([t.cli, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            problem = judge(done.returncode, done.stderr, time.monotonic() - start, pid)
        except subprocess.TimeoutExpired:
            problem = "no end within 60 s"
        if problem:
            wrong.append(f"{' '.join(words)}: {problem}")


def random_operators(t):
    """Then everything is switched off, and all code is the original."""
    problems = []
    with Sides(t) as jvm:
        end = time.monotonic() + SECONDS
        threads = [threading.Thread(target=operate, args=(t, str(jvm.pid), f"op{i}", 100 * SEED + i, end, problems)) for i in range(OPERATORS)]
        for thread in threads:
            thread.start()
        rounds = 0
        while any(thread.is_alive() for thread in threads):
            calls = jvm.since()
            rounds += 1
            expect(problems, f"a round has {calls}", rounds == 1 or (calls["left"], calls["right"], calls["meet"]) == (7, 3, 10))
        for thread in threads:
            thread.join()
        expect(problems, f"{rounds} rounds", rounds > SECONDS)
        status, _, err = instr(t, "attach", jvm.pid)
        expect(problems, f"attach: {err}", status == 0)
        status, _, err = instr(t, "off", jvm.pid)
        expect(problems, f"off: {err}", status == 0)
        for name in "Sides$Left", "Sides$Right", "Sides$Shared":
            expect(problems, f"{name} has inserted code", not changed_methods(t, jvm, name))
        jvm.ends(problems)
    return problems
