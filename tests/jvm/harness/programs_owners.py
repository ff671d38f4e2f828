"""Several operators in one JVM: what one of them gives is for the passes of that operator."""

import json
import re
import subprocess
import time

from .programs import program
from .programs_attach import OTHER, Waiting, needs_root, open_classes


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


def ended(p, problems):
    """Ends the program after any number of rounds; its standard error is in p.stderr."""
    p.process.stdin.close()
    status = p.process.wait(60)
    p.errors.seek(0)
    p.stderr = p.errors.read().decode("utf-8", "replace")
    return [x for x in [*problems, f"status {status}" if status else ""] if x]


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
    problems = [x for x in [wait_for(p, [])] if x]
    off = json.loads(p.instr("status", "--json").stdout)
    ends = [(end["pass"], end.get("by"), end["reason"]) for end in (off.get("switched_off", {}), *off.get("switched_off_before", []))]
    up = "its time is up (for=)"
    if (ends[0], sorted(ends[1:], key=str)) != (("timing", "alice", up), [("calls", "bob", up), ("exceptions", None, up), ("timing", "bob", up)]):
        problems.append(f"switched off: {ends}")
    for words in (("report", "timing"), ("report",), ("disable", "timing"), ("top", "--once")):
        done = p.instr(*words, "--as", "alice")
        problems += [] if done.returncode == 1 and f" ago: {up}" in done.stderr else [f"{words}: {done}"]
    problems = p.end(problems)
    for line in ("calls of bob: its time is up (for=): switched off", "timing of bob: its time is up (for=)", "exceptions: its time is up (for=)",
                 "the time is up (for=): all passes are off"):
        if line not in p.stderr:
            problems.append(f"no {line!r}: {p.stderr}")
    yield "alice's", problems


@program("instr, a quiet operator and one who is not")
def quiet(r):
    """quiet=yes of alice, whose pass has ended, does not hide what bob enables and finds."""
    p = Waiting(r)
    p.instr("attach", "calls", "include=Waiting", "quiet=yes", "--as", "alice")
    p.round()
    p.instr("enable", "exceptions", "include=Waiting", "--as", "bob")
    text = p.instr("status").stdout
    problems = [f"no {what}: {text}" for what in ("quiet=yes", "exceptions by bob") if what not in text]
    problems += [line for line in text.splitlines() if " since " in line and ("quiet=yes" in line) != ("calls by alice" in line)]
    yield "status", problems
    p.instr("set", "--for", "100ms", "--as", "alice")
    problems = [wait_for(p, [("bob", "exceptions")])]
    p.instr("disable", "exceptions", "--as", "bob")
    p.instr("attach", "timing", "include=Waiting", "timing.for=500ms", "--as", "bob")
    p.round()
    problems = ended(p, problems + [wait_for(p, [])])
    for line, is_said in (("calls switched on by alice", False), ("calls: 2 methods", False), ("exceptions switched on by bob", True),
                          ("timing switched on by bob", True), ("timing: 2 methods", True)):
        if (line in p.stderr) != is_said:
            problems.append(f"{line!r} is {'not ' * is_said}said: {p.stderr}")
    yield "what is said", problems


@program("instr, root in the JVM of another user")
def root(r):
    """The name and the uid belong together: root has not the uid of the JVM."""
    needs_root(r, "setpriv")
    with open_classes(r) as classes:
        p = Waiting(r, below=["setpriv", f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups"], classes=classes, cwd="/var/tmp")
    p.instr("attach", "timing", "include=Waiting")
    p.instr("enable", "calls", "include=Waiting", "--as", "alice")
    p.instr("enable", "exceptions", "include=Waiting", "--as", "bob", user=OTHER)
    status = p.instr("status").stdout
    found = [(e["by"], e["uid"], e.get("acting")) for e in json.loads(p.instr("status", "--json").stdout)["enabled"]]
    watching = p.instr("watch", "Waiting.work(int)", "--for", "200ms")
    problems = [] if watching.returncode == 0 else [f"{watching}"]
    problems += [] if found == [("root", OTHER, True), ("alice", OTHER, True), ("bob", OTHER, None)] else [f"{found}"]
    problems = ended(p, problems)
    for who in (f"timing by root, as uid {OTHER} since", f"calls by alice, as uid {OTHER} since", f"exceptions by bob (uid {OTHER}) since"):
        problems += [] if who in status else [f"no {who!r}: {status}"]
        who = who.replace(" by ", " switched on by ").replace(" since", ", include=Waiting\n")
        problems += [] if who in p.stderr else [f"no {who!r}: {p.stderr}"]
    yield "who", problems + ([] if f"watch of Waiting.work(int) by root, as uid {OTHER}\n" in p.stderr else [f"watch: {p.stderr}"])


@program("instr attach, what is enabled already and follows")
def again(r):
    """The same command again says what still follows of the first, and with --wait returns when that is done."""
    p = Waiting(r, main="com.example.shop.Busy")
    words = ["attach", "calls", "include=**", "max-overhead=off"]
    texts = [p.instr(*words).stdout for _ in range(2)]
    problems = [f"{t}" for t in texts if "more classes follow" not in t]
    waiting = subprocess.Popen([r.cli, words[0], str(p.pid), *words[1:], "--wait"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    waits = waiting.stderr.readline()
    p.instr("set", "pace=off")  # which would take long
    out = waiting.communicate(timeout=60)[0]
    problems += [] if "classes so far" in waits else [waits]
    status = json.loads(p.instr("status", "--json").stdout)
    total = re.search(r"; ([\d,]+) classes retransformed, ", out)
    if not total or "follow" in out or status["classes_total"] or status["classes_now"] < 100:
        problems.append(f"{out} {status['classes_total']} {status['classes_now']}")
    p.instr("off")
    yield "again", ended(p, problems)


@program("instr enable, while classes of another operator follow", quick=False)
def few_of_many(r):
    """A few classes do not wait for the many of another command; more of them do, and the command says for whom, and counts its own."""
    p = Waiting(r, main="com.example.shop.Busy")
    problems = []
    first = p.instr("attach", "timing", "include=**", "--as", "alice")
    problems += [] if "more classes follow" in first.stdout else [f"no class of alice follows: {first}"]
    few = p.instr("enable", "calls", "include=com.example.**", "--as", "bob", "--json")
    left = json.loads(p.instr("status", "--json").stdout)["classes_total"]
    done = json.loads(few.stdout) if few.returncode == 0 else {"classes": few, "remaining": few}
    yield "few", problems + ([] if left and 0 < done["classes"] < 32 and done["remaining"] == 0 else [f"{done['classes']} of bob, {done['remaining']} follow, {left} in all"])
    said, waits, end = r.file("many.err"), None, time.monotonic() + 60
    with open(said, "w+", encoding="utf-8") as stderr:
        many = subprocess.Popen([r.cli, "enable", str(p.pid), "exceptions", "include=java.util.**", "--as", "bob"], stdout=subprocess.PIPE, stderr=stderr, text=True)
        while not waits and many.poll() is None and time.monotonic() < end:  # how long it takes is known once some classes are changed
            time.sleep(0.1)
            with open(said, encoding="utf-8") as file:
                waits = re.search(r"^instr: [\d,]+ classes of alice come first, then [\d,]+ of this command, about .* left$", file.read(), re.M)
        p.instr("set", "pace=off")  # which would take minutes
        out = many.communicate(timeout=60)[0]
        stderr.seek(0)
        err = stderr.read()
    own = re.search(r"; ([\d,]+) classes retransformed, ", out)
    loaded = json.loads(p.instr("status", "--json").stdout)
    problems = [] if own and 32 < int(own[1].replace(",", "")) < loaded["classes_now"] / 2 else [f"{out}, {loaded['classes_now']} changed"]
    yield "many", problems + ([] if waits and "more classes follow" not in out else [f"{out} {err}"])
    p.instr("off")
    yield "end", ended(p, [])


@program("instr, what each operator costs")
def costs(r):
    """Rewriting the one class of bob costs him less than all others cost alice, however his result is read."""
    path = r.file("bob.json")
    p = Waiting(r)
    p.instr("attach", "timing", "include=**", "pace=off", "--as", "alice")
    p.instr("enable", "timing", "include=Waiting", f"timing.file={path}", "--as", "bob")
    found = [json.loads(p.instr("report", "timing", "--json", "--as", who).stdout)["cost"] for who in ("alice", "bob")]
    p.instr("disable", "timing", "--as", "bob")
    with open(path, encoding="utf-8") as file:
        found.append(json.load(file)["cost"])
    p.instr("off")
    yield "rewriting", ended(p, [f"{found}" for bob in found[1:] if not 0 < 2 * bob["rewriting_ns"] < found[0]["rewriting_ns"]])


@program("instr, what a limit leaves out")
def left_out(r):
    """Each command says what max-classes and max-methods left out, also if the limit was given by somebody else."""
    p = Waiting(r)

    def expect(words, out, *notes):
        done = p.instr(*words)
        found = [line for line in done.stderr.splitlines() if "JEP 451" not in line]
        ok = done.returncode == 0 and re.search(out, done.stdout) and found == ["instr: " + note for note in notes]
        return [] if ok else [f"{words}: {done}"]
    few = "include=Waiting:java.util.ArrayList:java.lang.Integer"
    two, one = (f"{n} skipped by max-classes or max-methods" for n in ("2 classes", "1 class"))
    problems = expect(["attach", "calls", few, "max-classes=1", "--as", "alice"], "; 1 class retransformed, 1 changed", two)
    problems += expect(["enable", "timing", "include=java.util.HashMap", "--as", "bob"], ": calls, timing$", one)
    problems += expect(["watch", "java.util.HashMap.put(..)", "--for", "100ms", "--as", "carol"], "^$", one)
    problems += expect(["set", "calls.top=3", "--as", "alice"], ": calls, timing$")
    problems += expect(["set", "max-classes=9", "--as", "alice"], "; 3 classes retransformed, 3 changed")
    yield "left out", p.end(problems)
