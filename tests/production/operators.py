"""Operators of one JVM: each pass has its scope, and what one of them does leaves the passes of the others as they are."""

from results import instr
from server_jvm import Jvm, expect


class Sides(Jvm):
    """The program Sides, with what it says of its own calls."""

    def __init__(self, t, *args, **kwargs):
        super().__init__(t, "-cp", t.file("classes"), *args, "Sides", **kwargs)
        self.line()
        self.before = self.count()

    def count(self):
        return dict(zip(("left", "right", "meet", "thrown"), map(int, self.ask("").split())))

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
               done["options"] == "calls,calls.include=Sides$*,calls.exclude=Sides$Right,exceptions,exceptions.include=Sides$Right")
        before, seen = calls_of(c.run("report", "calls")), jvm.since()
        after = calls_of(c.run("report", "calls"))
        expect(problems, f"{seen} {before} {after}", {m: after.get(m, 0) - before.get(m, 0) for m in after} == {"left": seen["left"], "meet": seen["meet"]})
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


OPERATORS = [scope_of_a_pass]
