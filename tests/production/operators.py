"""Operators of one JVM: each pass has its scope, and what one of them does leaves the passes of the others as they are."""

import json
import os
import pwd
import re
import time

from results import instr
from server_jvm import Jvm, expect, refused


class Sides(Jvm):
    """The program Sides, with what it says of its own calls."""

    def __init__(self, t, *args, **kwargs):
        super().__init__(t, "-cp", t.file("classes"), *args, "Sides", **kwargs)
        self.line()
        self.before = self.count()

    def count(self):
        return dict(zip(("left", "right", "meet", "thrown", "spent"), map(int, self.ask("").split())))

    def since(self):
        """The program's calls since the last call of this, those of the round that asks for them included."""
        now = self.count()
        calls = {k: now[k] - self.before[k] for k in now}
        self.before = now
        return calls


def calls_of(report):
    """{method: calls} of a result."""
    return {m["method"]: m["calls"] for m in report["methods"]}


def changed_methods(t, jvm, name):
    """Has the class inserted code?"""
    status, out, err = instr(t, "dump", jvm.pid, name, "-o", t.file("now.class"))
    status2, _, _ = instr(t, "dump", jvm.pid, name, "--original", "-o", t.file("original.class"))
    with open(t.file("now.class"), "rb") as now, open(t.file("original.class"), "rb") as original:
        return now.read() != original.read()


def scope_of_a_pass(t):
    """A pass that is switched on with a scope leaves that of the others alone, at the start and later."""
    problems = []
    with Sides(t) as jvm:
        c = jvm.control()
        c.run("enable", "calls,include=Sides$Left")
        done = c.run("enable", "exceptions,include=Sides$Right")
        expect(problems, f"changed {done['changed']} classes for exceptions", done["changed"] == 1)
        expect(problems, "exceptions are in Left", c.run("status")["classes_now"] == 2)
        jvm.since()
        counted = calls_of(c.run("report", "calls"))
        expect(problems, f"calls {counted}", set(counted) == {"left"})
        # A second command changes the scope of the pass that it names.
        done = c.run("enable", "calls,calls.include=Sides$*,calls.exclude=Sides$Right")
        expect(problems, f"the scope of calls: {done['options']}",
               done["options"].startswith("calls,calls.include=Sides$*,calls.exclude=Sides$Right,exceptions,exceptions.include=Sides$Right"))
        before, seen = calls_of(c.run("report", "calls")), jvm.since()
        after = calls_of(c.run("report", "calls"))
        expect(problems, f"{seen} {before} {after}", {m: after.get(m, 0) - before.get(m, 0) for m in after} == {"left": seen["left"], "meet": seen["meet"], "spin": 1})
        c.run("set", "exceptions.exclude=Sides$Shared")
        done = c.run("revert", "Sides$Left")
        jvm.since()
        expect(problems, "revert", not changed_methods(t, jvm, "Sides$Left") and changed_methods(t, jvm, "Sides$Shared"))
        expect(problems, f"after revert: {done['options']}", "calls.exclude=Sides$Right:Sides$Left" in done["options"])
        jvm.ends(problems)
    start = f"-agentpath:{t.agent}=calls,timing,timing.include=Sides$Right,include=Sides$Shared,calls.file={t.file('c.json')},timing.file={t.file('t.json')}"
    with Sides(t, start, agent=False) as jvm:
        c = jvm.control()
        seen = jvm.since()
        calls, timing = calls_of(c.run("report", "calls")), calls_of(c.run("report", "timing"))
        jvm.ends(problems)
    # The program's counts began with the first round, before the first question.
    expect(problems, f"at the start: {calls} {timing}", calls == {"meet": 30} and timing.get("right") == 9 and "meet" not in timing and "left" not in timing)
    return problems


def command(problems, t, *words, expected=0):
    """The standard output of a command, or its standard error if it is to fail."""
    status, out, err = instr(t, *words)
    expect(problems, f"{words}: status {status}: {err}", status == expected)
    return err if expected else out


def report(problems, t, jvm, name, *more):
    return json.loads(command(problems, t, "report", jvm.pid, name, "--json", *more) or '{"methods": []}')


def times_of(result, name):
    return next((m["self_ns"] for m in result["methods"] if m["method"] == name), 0)


def two_owners(t):
    """Two people have the same pass, each with a scope and counts of their own; one ends it, and the other goes on."""
    problems = []
    open(t.file("stderr"), "w").close()
    with Sides(t) as jvm:
        command(problems, t, "enable", jvm.pid, "calls", "timing", "timing.clock=every", "include=Sides$Left:Sides$Clock", "--as", "alice")
        first, second = jvm.since(), jvm.since()
        ours = {name: first[name] + second[name] for name in first}
        command(problems, t, "enable", jvm.pid, "calls", "timing", "timing.clock=every", "include=Sides$*", "--as", "bob")
        both = jvm.since()
        for name in ("calls", "timing"):
            alices, bobs = (report(problems, t, jvm, name, "--as", who) for who in ("alice", "bob"))
            expect(problems, f"by {alices['by']} and {bobs['by']}", (alices["by"], bobs["by"]) == ("alice", "bob"))
            # Two rounds that only she sees, and one for both.
            expect(problems, f"{name}: alice {calls_of(alices)}", calls_of(alices) == {"left": ours["left"] + both["left"], "spin": 3})
            expect(problems, f"{name}: bob {calls_of(bobs)}",
                   calls_of(bobs) == {"left": both["left"], "right": both["right"], "meet": both["meet"], "spin": 1})
            thrown = sum(m["thrown"] for m in bobs["methods"])
            expect(problems, f"{name}: bob saw {thrown} thrown", thrown == both["thrown"])
        # The method takes its own time within theirs, and calls no other.
        expect(problems, f"the self time of alice: {times_of(alices, 'spin')} of {ours['spent']} and {both['spent']}", times_of(alices, "spin") >= ours["spent"] + both["spent"])
        expect(problems, f"the self time of bob: {times_of(bobs, 'spin')} of {both['spent']}", times_of(bobs, "spin") >= both["spent"])
        for name in ("calls", "timing"):
            text = command(problems, t, "report", jvm.pid, name, "--all")
            expect(problems, f"--all: {text}", re.match(rf"(?s)switched on by alice:\n{name}: .*\nswitched on by bob:\n{name}: ", text))
        status = json.loads(command(problems, t, "status", jvm.pid, "--json"))
        expect(problems, f"status: {status['enabled']}",
               [(e["pass"], e["by"], e["include"], e["uid"]) for e in status["enabled"]]
               == [(p, who, scope, os.geteuid()) for who, scope in (("alice", "Sides$Left:Sides$Clock"), ("bob", "Sides$*")) for p in ("calls", "timing")]
               and all(0 <= time.time() - e["since"] < 60 for e in status["enabled"]) and status["passes"] == ["calls", "timing"])
        text = command(problems, t, "status", jvm.pid)
        expect(problems, f"limits: {text}", text.count("; max-overhead=10%\n") == 4 and [e["limit_ppm"] for e in status["enabled"]] == [100000] * 4)
        expect(problems, f"status: {text}", re.search(r"^enabled +calls by alice \(uid \d+\) since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d, include=Sides\$Left:Sides\$Clock$", text, re.M))
        deadline = time.time() + 60
        while "calls by bob: about" not in text and time.time() < deadline:
            time.sleep(0.1)
            text = command(problems, t, "status", jvm.pid)
        expect(problems, f"overhead: {text}", all(re.search(rf"^(overhead  | {{10}}) {p} by {who}: about [\d.]+% of the CPU time", text, re.M)
                                                  for p in ("calls", "timing") for who in ("alice", "bob")))
        # Who has none does not end those of others; a name narrows its own scope and keeps its counts.
        error = command(problems, t, "disable", jvm.pid, "calls", "--as", "carol", expected=1)
        expect(problems, error, error == "instr: pass 'calls' was switched on by alice and bob, not by carol; --as NAME means that of one, --all means everybody's\n")
        command(problems, t, "enable", jvm.pid, "calls", "include=Sides$Left", "--as", "alice")
        more = jvm.since()
        expect(problems, "narrowed", calls_of(report(problems, t, jvm, "calls", "--as", "alice"))["left"] == ours["left"] + both["left"] + more["left"])
        table = command(problems, t, "disable", jvm.pid, "calls", "--as", "alice")
        error = command(problems, t, "report", jvm.pid, "calls", "--as", "carol", expected=1)
        expect(problems, error, error == "instr: pass 'calls' was switched on by bob, not by carol; --as bob means that one, --all means everybody's\n")
        expect(problems, f"alice's table: {table}", " Sides$Left.left(int)\n" in table and "right" not in table)
        again = jvm.since()
        expect(problems, "bob goes on", calls_of(report(problems, t, jvm, "calls", "--as", "bob"))["left"] == both["left"] + more["left"] + again["left"])
        tables = command(problems, t, "disable", jvm.pid, "timing", "--all")
        expect(problems, f"all tables: {tables}", "switched on by alice:" in tables and "switched on by bob:" in tables)
        expect(problems, "the rest", [(e["pass"], e["by"]) for e in json.loads(command(problems, t, "off", jvm.pid, "--json"))["enabled"]] == [])
        expect(problems, "Left has code", not changed_methods(t, jvm, "Sides$Left"))
        jvm.ends(problems)
    with open(t.file("stderr")) as f:
        said = [line for line in f if "(uid " in line]
    expect(problems, f"said: {said}", [re.sub(r"uid \d+", "uid N", line) for line in said]
           == [f"instr: {p} switched on by {who} (uid N), include={scope}\n" for who, scope in (("alice", "Sides$Left:Sides$Clock"), ("bob", "Sides$*")) for p in ("calls", "timing")]
           + ["instr: calls of alice (uid N): now for other classes, include=Sides$Left\n"])
    return problems


def shared_by_owners(t):
    """A pass that runs once for all of its owners: each gets the results of the scope, and classes of both are not counted twice."""
    problems = []
    with Sides(t) as jvm:
        command(problems, t, "enable", jvm.pid, "exceptions", "quiet=yes", "include=Sides$Shared:Sides$Left", "--as", "alice")
        first = json.loads(command(problems, t, "enable", jvm.pid, "exceptions", "include=Sides$Shared:Sides$Right", "--as", "bob", "--json"))
        expect(problems, f"{first['classes']} retransformed for bob", first["classes"] == 1)
        command(problems, t, "enable", jvm.pid, "exceptions", "include=Sides$Right", "--as", "carol")
        jvm.since()
        counts = {who: sum(r["count"] for r in report(problems, t, jvm, "exceptions", "--as", who)["exceptions"]) for who in ("alice", "bob", "carol")}
        expect(problems, f"{counts}", counts == {"alice": 2, "bob": 2, "carol": 0})
        error = command(problems, t, "report", jvm.pid, "exceptions", "--reset", "--as", "bob", expected=1)
        expect(problems, error, "counts once for all its owners: --reset needs --all" in error)
        done = json.loads(command(problems, t, "disable", jvm.pid, "exceptions", "--as", "alice", "--json"))
        expect(problems, f"{done['classes']} retransformed at alice's end", done["classes"] == 1 and changed_methods(t, jvm, "Sides$Shared"))
        done = json.loads(command(problems, t, "disable", jvm.pid, "exceptions", "--all", "--json"))
        expect(problems, f"{[(r['by'], len(r['result']['exceptions'])) for r in done['results']]}", [r["by"] for r in done["results"]] == ["bob", "carol"])
        for who, scope in (("alice", "Sides$Shared"), ("bob", "Sides$*"), ("carol", "Sides$Left")):
            command(problems, t, "enable", jvm.pid, "alloc", "alloc.mode=exact", f"include={scope}", "--as", who)
        error = command(problems, t, "enable", jvm.pid, "alloc", "alloc.mode=sampled", "--as", "dave", expected=1)
        expect(problems, error, "pass 'alloc' is on already, for alice; both need the same alloc.* options" in error)
        seen = jvm.since()["thrown"]
        counts = {}
        for who in ("alice", "bob", "carol"):
            sites = report(problems, t, jvm, "alloc", "--as", who)["sites"]
            counts[who] = [(r["class"], r["count"]) for r in sites if "IllegalState" in r["class"]]
        expect(problems, f"{counts}", counts == dict.fromkeys(("alice", "bob"), [("java.lang.IllegalStateException", seen)]) | {"carol": []})
        command(problems, t, "off", jvm.pid)
        command(problems, t, "enable", jvm.pid, "coverage", f"coverage.file={t.file('a.exec')}", "--as", "alice")
        error = command(problems, t, "enable", jvm.pid, "coverage", f"coverage.file={t.file('b.exec')}", "--as", "bob", expected=1)
        expect(problems, error, "pass 'coverage' is on already, for alice" in error)
        jvm.ends(problems)
    return problems


def scopes_of_shared_pass(t):
    """What a pass that runs once for all has counted for an owner stays in the result when the scope changes and when others come."""
    problems = []
    with Sides(t) as jvm:
        def thrown(name, who):
            rows = report(problems, t, jvm, name, "--as", who)
            return sum(r["count"] for r in rows["exceptions" if name == "exceptions" else "sites"] if r["class"] == "java.lang.IllegalStateException")

        for name in ("exceptions", "alloc"):
            def expect_thrown(when, alice, bob):
                found = thrown(name, "alice"), thrown(name, "bob")
                expect(problems, f"{name}, {when}: {found}, not {(alice, bob)}", found == (alice, bob))

            command(problems, t, "enable", jvm.pid, name, "include=Sides$Shared", "--as", "alice")
            jvm.since()
            seen = jvm.since()["thrown"] * 2
            command(problems, t, "enable", jvm.pid, name, "include=Sides$Clock", "--as", "alice")
            command(problems, t, "enable", jvm.pid, name, "include=Sides$Clock", "--as", "bob")
            jvm.since()
            expect_thrown("bob came", seen, 0)
            command(problems, t, "enable", jvm.pid, name, "include=Sides$Shared", "--as", "bob")
            more = seen + jvm.since()["thrown"]
            expect_thrown("bob has it", more, more)
            command(problems, t, "revert", jvm.pid, "Sides$Shared")
            jvm.since()
            expect_thrown("it was reverted", more, more)
            result = json.loads(command(problems, t, "disable", jvm.pid, name, "--as", "alice", "--json"))["results"][0]["result"]
            count = sum(r["count"] for r in result.get("exceptions", result.get("sites")) if r["class"] == "java.lang.IllegalStateException")
            expect(problems, f"{name}: {count} at alice's end", count == more)
            command(problems, t, "off", jvm.pid)
        jvm.ends(problems)
    return problems


def names_and_start(t):
    """The name is checked by the command and by the agent; passes of the command line end without a name."""
    problems = []
    start = f"-agentpath:{t.agent}=calls,include=Sides$Left,quiet=yes"
    with Sides(t, start, agent=False) as jvm:
        for name in ("", "a b", "a\033[2J", "x" * 33, 'a"b', "a\nb", "\u00e9"):
            error = command(problems, t, "enable", jvm.pid, "timing", "--as", name, expected=2)
            expect(problems, f"{name!r}: {error}", "--as" in error and "\033" not in error)
            with jvm.control() as c:
                c.send(b"D", b"as\0" + name.encode())
                expect(problems, f"{name!r} by the socket", "a name for --as has 1 to 32" in refused(c, "enable", "timing"))
        with jvm.control() as c:
            c.send(b"D", b"as\0nul\0name")
            expect(problems, "NUL", "a name for --as" in refused(c, "enable", "timing"))
        jvm.since()
        expect(problems, "report without a pass of one's own", calls_of(report(problems, t, jvm, "calls", "--as", "alice"))["left"] > 0)
        command(problems, t, "enable", jvm.pid, "calls", "include=Sides$Right", "--as", "alice")
        enabled = json.loads(command(problems, t, "status", jvm.pid, "--json"))["enabled"]
        expect(problems, f"{enabled}", [(e["by"], e["include"]) for e in enabled] == [(None, "Sides$Left"), ("alice", "Sides$Right")])
        before = calls_of(report(problems, t, jvm, "calls", "--as", "carol"))["left"]
        seen = jvm.since()
        table = command(problems, t, "disable", jvm.pid, "calls", "--as", "carol")
        expect(problems, f"the command line's: {before} {seen} {table}", " Sides$Left.left(int)\n" in table and "right" not in table)
        expect(problems, "alice's", calls_of(report(problems, t, jvm, "calls", "--as", "alice")) == {"right": seen["right"]})
        command(problems, t, "disable", jvm.pid, "calls", "--as", "carol", expected=1)
        # Without --as it is the login name, by the command and by the socket.
        command(problems, t, "enable", jvm.pid, "timing", "include=Sides$Left")
        login = pwd.getpwuid(os.getuid()).pw_name
        with jvm.control() as c:
            now = c.run("enable", "timing,include=Sides$Right")["enabled"]
        expect(problems, f"{now}", [(e["pass"], e["by"], e["include"]) for e in now] == [("calls", "alice", "Sides$Right"), ("timing", login, "Sides$Right")])
        jvm.ends(problems)
    return problems


OPERATORS = [scope_of_a_pass, two_owners, shared_by_owners, scopes_of_shared_pass, names_and_start]
