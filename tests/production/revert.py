"""After a revert all bytecodes are as they were, or as another agent made them."""

import os
import subprocess

from server_jvm import Jvm, Skip, agent_jar, digests, expect, load_all


def changed_by_the_jvm(t):
    """The control: the methods whose bytecodes differ after an agent that changes nothing has retransformed their classes.
    If a class has the constant NaN, which equals nothing, HotSpot adds it to the pool each time, and the code has
    another index."""
    with Jvm(t, t.library("floor"), t.library("bytecodes"), "-cp", t.file("classes"), "Many", agent=False) as jvm:
        load_all(t, jvm)
        before = digests(t, jvm, "before")
        for _ in range(2):
            jvm.ask("floor")
        after = digests(t, jvm, "after")
        jvm.end()
        return {m for m, digest in before.items() if after.get(m) != digest}


def revert_is_exact(t):
    """GetBytecodes of every method of thousands of classes is the same before and after, and differs in between. The speed is as before."""
    if t.version < 9:
        raise Skip("has no jimage")
    problems = []
    with Jvm(t, t.library("bytecodes"), "-cp", t.file("classes"), "Many") as jvm:
        loaded = load_all(t, jvm)
        expect(problems, f"only {loaded} classes", loaded > 3000)
        speed = min(int(jvm.ask("speed").split()[1]) for _ in range(3))
        before = digests(t, jvm, "before")
        c = jvm.control()
        done = c.run("enable", "timing,include=**")
        during = digests(t, jvm, "while")
        slow = int(jvm.ask("speed").split()[1])
        reverted = c.run("revert")
        after = digests(t, jvm, "after")
        again = speed * 2
        for _ in range(60):  # others may have the processors for a while
            again = min(again, int(jvm.ask("speed").split()[1]))
            if again < 1.3 * speed:
                break
        jvm.ends(problems)
        differ = {m for m, digest in before.items() if after.get(m) != digest}
        changed = [m for m, digest in before.items() if during.get(m) != digest]
        control = changed_by_the_jvm(t)
        print(f"{loaded} classes; {done['changed']} changed in {done['elapsed_ns'] / 1e6:.0f} ms, reverted in "
              f"{reverted['elapsed_ns'] / 1e6:.0f} ms; {len(changed)} of {len(before)} methods had other bytecodes, {len(differ)} have them afterwards, "
              f"{len(differ & control)} of which also when nothing is changed; a loop took {slow / speed:.2f} times its time, then {again / speed:.2f} times")
        expect(problems, f"{len(differ - control)} methods differ: {sorted(differ - control)[:3]}", differ <= control)
        expect(problems, f"{len(control)} methods differ in the control", len(control) < len(before) / 20)
        expect(problems, f"only {len(changed)} had other bytecodes", len(changed) > 10000)
        expect(problems, f"a loop takes {again / speed:.2f} times its time", again / speed < 1.3)
        expect(problems, f"refused: {done['refusals'] + reverted['refusals']}", not done["refused"] and not reverted["refused"])
    return problems


def other_agents(t):
    """A Java agent before ours, after ours, and attached while a pass is on: a revert leaves its changes."""
    problems, jar = [], agent_jar(t)

    def of_many(jvm, name):
        jvm.ask(t.file(name))
        with open(t.file(name)) as f:
            return {line.rsplit(" ", 2)[0]: line.rsplit(" ", 1)[1] for line in f if line.startswith("LMany;")}

    def see(name, loaded, later=None):
        with Jvm(t, *loaded, t.library("bytecodes"), "-cp", t.file("classes"), "Many", agent=False) as jvm:
            jvm.ask("")
            if f"-agentpath:{t.agent}" not in loaded:
                return of_many(jvm, name)
            c, before = jvm.control(), of_many(jvm, name)
            for passes in ("timing,include=Many", "calls,exceptions,include=Many"):
                c.run("enable", passes)
                during = of_many(jvm, name)
                if later:
                    later(jvm)
                    later, during = None, of_many(jvm, name)
                c.run("revert")
                after = of_many(jvm, name)
                expect(problems, f"{name}, {passes}: nothing was changed", all(during[m] != before[m] for m in before if "work" in m))
                expect(problems, f"{name}, {passes}: {[m for m in expected if after[m] != expected[m]]} are not as the other agent made them",
                       after == expected)
            jvm.ends(problems, f"{name}: ")

    java, ours = f"-javaagent:{jar}", f"-agentpath:{t.agent}"
    plain, expected = see("plain", []), see("alone", [java])
    expect(problems, "the other agent changes nothing", [m for m in plain if plain[m] != expected[m]] == ["LMany; work(I)I"])
    see("before us", [java, ours])
    see("after us", [ours, java])
    if t.version >= 9:
        def load(jvm):
            done = subprocess.run([os.path.join(os.path.dirname(t.java), "jcmd"), str(jvm.pid), "JVMTI.agent_load", jar], capture_output=True, text=True)
            expect(problems, f"jcmd: {done.stdout}", done.returncode == 0 and "return code: 0" in done.stdout)
        see("while a pass is on", [ours], load)
    return problems


def undone_under_another_agent(t):
    """A Java agent, before ours and after ours, that would apply its change twice: undo restores a redefined class with that change applied once."""
    problems, java = [], f"-javaagent:{agent_jar(t)}=again"
    with open(t.file("classes", "Many.class"), "rb") as f:
        files = [("Many", f.read())]
    for agents in ([java, f"-agentpath:{t.agent}"], [f"-agentpath:{t.agent}", java]):
        with Jvm(t, *agents, t.library("bytecodes"), "-cp", t.file("classes"), "Many", agent=False) as jvm:
            jvm.ask("")
            before = {m: digest for m, digest in digests(t, jvm, "before").items() if m.startswith("LMany; work")}
            c = jvm.control()
            for passes in ("", "timing,include=Many"):
                if passes:
                    c.run("enable", passes)
                for _ in range(2):
                    c.run("redefine", files=files)
                c.run("undo")
                c.run("revert")
                after = digests(t, jvm, "after")
                expect(problems, f"{agents[0][:11]}, {passes}: work is another", before and all(after[m] == digest for m, digest in before.items()))
            jvm.ends(problems)
    return problems
