"""Many classes: those that are changed after the reply to a command, and two threads that change them."""

import contextlib
import os
import re
import subprocess
import sys
import threading
import time

from control import Failed
from server_jvm import Jvm, Skip, agent_jar, digests, expect, jdk_classes


class Following:
    """A JVM with many classes, one of them broken, and commands with classes that are changed after the reply."""

    BROKEN = "java.util.concurrent.Phaser"

    def __init__(self, t, jvm, threads):
        self.t, self.jvm, self.threads, self.problems = t, jvm, threads, []
        for name in [self.BROKEN, *jdk_classes(t)]:
            jvm.process.stdin.write(name + "\n")
        jvm.ask("")
        self.before, self.c = digests(t, jvm, "before"), jvm.control()
        self.options = f"timing,include=java.**:Many,batch-threads={threads},pace=off"

    def expect(self, what, is_so):
        expect(self.problems, what, is_so)

    def changed(self, name):
        now = digests(self.t, self.jvm, name)
        return {m for m, digest in self.before.items() if now.get(m) != digest}

    def begin(self):
        done = self.c.run("enable", self.options + ",batch=40", "0")
        status = self.c.run("status")
        # One batch before the reply, and those that follow while it is written on a busy machine.
        self.expect(f"{done['remaining']} follow, {done['classes']} done", done["remaining"] > 1000 and 0 < done["changed"] <= done["classes"] <= 400)
        self.expect(f"status: {status['classes_done']} of {status['classes_total']}, {done['remaining']} followed the reply, {done['classes']} were done",
                    0 < status["classes_done"] < status["classes_total"] and 0 <= status["classes_total"] - done["remaining"] - done["classes"] <= 40)

    def end(self, how):
        for _ in range(1200):
            if not self.c.run("status")["classes_total"]:
                return
            time.sleep(0.05)
        self.problems.append(f"{how}: classes follow for ever")

    def nothing_comes(self, how):
        time.sleep(0.3)
        self.expect(f"{how}: classes are changed afterwards", self.changed("after") <= self.control)

    def all_changed(self, what):
        """The first classes were changed first; then everything is reverted."""
        self.expect(what, self.changed("final") - self.control == self.followed - self.control)
        self.c.run("revert")

    def at_first(self):
        """Classes in use are changed first; the broken class is reported, when it is found and at the end."""
        lines = threading.Event()
        speaker = threading.Thread(target=lambda: [self.jvm.ask("speed") for _ in iter(lines.is_set, True)])
        speaker.start()
        try:
            self.begin()
        finally:
            lines.set()
            speaker.join()
        self.expect("what a thread is in was not changed first", "LMany; work(I)I" in self.changed("first"))
        self.end("enable")
        self.followed = self.changed("followed")
        said = self.c.run("status")
        self.expect(f"skipped: {said['skipped']}", said["classes_refused_now"] == 1 and
                    [k["class"] for k in said["skipped"] if "format invalid" in k["reason"]] == [self.BROKEN])
        self.c.start("revert")
        notes = [what for kind, what in self.c.events() if kind == "note"]
        self.expect(f"the refusal is not reported: {notes}", any("Phaser: skipped: the JVM finds its format invalid" in n for n in notes))
        self.control = self.changed("reverted")
        self.expect(f"{len(self.control)} differ", len(self.control) < len(self.before) / 20)

    def waited_for(self):
        waited = self.c.run("enable", self.options)
        at_once = self.changed("once")
        self.expect(f"{len(at_once ^ self.followed)} methods are changed in one way only: {sorted(at_once ^ self.followed)[:3]}",
                    at_once - self.control == self.followed - self.control and len(self.followed) > 10000)
        self.expect(f"waited, and {waited['remaining']} follow", waited["remaining"] == 0 and waited["classes"] > 1000)
        self.c.run("revert")

    def undone_while_they_come(self):
        for how in (["disable", "timing"], ["revert"], ["off"], ["set", "for=100ms"]):
            self.begin()
            done = self.c.run(*how)
            if how[0] == "set":
                time.sleep(1.5)
            else:
                self.expect(f"{how}: {done['classes']} classes", done["passes"] == [] and 0 < done["classes"] < 1500)
            self.expect(f"{how}: classes follow", self.c.run("status")["classes_total"] == 0)
            self.nothing_comes(how)

    def other_commands(self):
        self.begin()
        self.c.run("set", "timing.top=5")
        self.c.run("enable", "calls,include=java.**:Many")  # waits for its own classes and for those still queued
        both = self.c.run("status")
        self.expect(f"two passes: {both['passes']}, {both['classes_total']}", both["passes"] == ["timing", "calls"] and both["classes_total"] == 0)
        self.all_changed("classes are missing under two passes")
        self.begin()
        with self.jvm.control() as other:
            other.start("watch", "Many.work(int)", "limit=1")
            while "watch" not in self.c.run("status")["passes"]:
                time.sleep(0.02)
            self.jvm.ask("speed")
            self.expect("nothing was watched", [kind for kind, _ in other.events()].count("document") == 1)
        self.end("watch")
        self.all_changed("a watch between took classes away")

    def others_that_wait(self):
        with self.jvm.control() as other:
            other.start("enable", self.options + ",batch=40")
            time.sleep(0.3)  # and disconnects
        self.end("disconnected")
        self.all_changed("classes are missing when no client waits")
        with self.jvm.control() as other:
            other.start("enable", self.options + ",batch=40")
            time.sleep(0.3)
            self.c.run("revert")
            try:
                list(other.events())
                self.problems.append("reverted, but reported as complete")
            except Failed as e:
                self.expect(f"reverted: {e}", "another command" in str(e))

    def attached_again(self):
        self.begin()
        self.c.run("detach")
        self.nothing_comes("detach")
        subprocess.run([self.t.cli, "attach", str(self.jvm.pid)], check=True, capture_output=True)
        self.c = self.jvm.control()
        self.begin()
        table, text = (subprocess.run([self.t.cli, words[0], str(self.jvm.pid), *words[1:]], capture_output=True, text=True).stdout
                       for words in (["top", "--once"], ["status"]))
        self.expect(f"top: {table}; status: {text}", " classes so far" in table and "loaded classes so far" in text)
        self.jvm.ends(self.problems)  # while classes are queued


def classes_follow(t, threads=1):
    """When many classes are concerned, the first ones are changed before the reply, those in use before others. The rest follows
    while other commands run: in the end none is missing, and after a revert none is changed."""
    if t.version < 9:
        raise Skip("has no jimage")
    with Jvm(t, f"{t.library('bytecodes')}={Following.BROKEN.replace('.', '/')}", "-cp", t.file("classes"), "Many") as jvm:
        following = Following(t, jvm, threads)
        following.at_first()
        following.waited_for()
        following.undone_while_they_come()
        following.other_commands()
        following.others_that_wait()
        following.attached_again()
        return following.problems


def classes_follow_by_two(t):
    """The same with two threads."""
    return classes_follow(t, threads=2)


def calls_of_the_jvm(log):
    """(thread, begin, end) of the calls that retransformed classes, in ms."""
    with open(log, encoding="utf-8") as file:
        found = re.findall(r"\[([\d.]+)s *\]\[(\d+) *\].* vm_op: all=(\d+)", file.read())
    return [(thread, float(end) * 1000 - int(took), float(end) * 1000) for end, thread, took in found]


def processors_used():
    """Processors used on this machine during a moment."""
    def idle():
        with open("/proc/stat", encoding="ascii") as file:
            return sum(int(n) for n in file.readline().split()[4:6]) / os.sysconf("SC_CLK_TCK")
    before, start = idle(), time.monotonic()
    time.sleep(0.5)
    return os.cpu_count() - (idle() - before) / (time.monotonic() - start)


@contextlib.contextmanager
def busy(processes):
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def two_threads(t):
    """Two threads change classes at once, in the background and when reverting, if the JVM supports it and a
    processor is idle or two threads are requested, if there is no Java agent and no limit; otherwise one. No class is changed by both. Checked with the JVM's log."""
    if t.version < 9:
        raise Skip("has no log of it")
    problems, names = [], jdk_classes(t)
    supported = t.version >= 17
    for what, two, options, more in (("if idle", supported, ["-XX:ActiveProcessorCount=4"], ""), ("with one processor", False, ["-XX:ActiveProcessorCount=1"], ""),
                                     ("busy", False, ["-XX:ActiveProcessorCount=4"], ""),
                                     ("asked for", supported, ["-XX:ActiveProcessorCount=1"], ",batch-threads=2"), ("not wanted", False, ["-XX:ActiveProcessorCount=4"], ",batch-threads=1"),
                                     ("limited", False, [], ",batch-threads=2,max-classes=1600"), ("with a Java agent", False, ["-XX:ActiveProcessorCount=4", f"-javaagent:{agent_jar(t)}"], ",batch-threads=2")):
        log = t.file("calls.log")
        with Jvm(t, *options, f"-Xlog:redefine+class+timer:file={log}:uptime,tid:filecount=0", "-cp", t.file("classes"), "Many") as jvm:
            for name in names:
                jvm.process.stdin.write(name + "\n")
            jvm.ask("")
            c = jvm.control()
            with busy(2 * os.cpu_count() if what == "busy" else 0):
                used = processors_used() if what in ("if idle", "busy") else 0
                done = c.run("enable", f"timing,include=java.**:sun.**,batch=100,pace=off{more}")
                during = calls_of_the_jvm(log)
                changed_now = c.run("status")["classes_now"]
                reverted = c.run("revert")
                after = calls_of_the_jvm(log)[len(during):]
            jvm.ends(problems)
        expect(problems, f"{what}: {done['classes']} classes, {done['changed']} changed, {changed_now} in all, {reverted['classes']} reverted", done["classes"] > 1500 and reverted["classes"] == changed_now)
        # Classes that the other agent's transformer needs are loaded meanwhile, and changed as they are loaded.
        expect(problems, f"{what}: {done['changed']} changed, {changed_now} in all", done["changed"] == changed_now or (done["changed"] < changed_now and what == "with a Java agent"))
        expect(problems, f"{what}: {done['changed']} classes changed, more than are allowed", what != "limited" or done["changed"] == 1600)
        # The control thread changes the first ones. There is no limit any more when everything is reverted.
        for how, two, calls in (("enabled", two, during[1:]), ("reverted", two or supported and what == "limited", after)):
            threads = {thread for thread, _, _ in calls}
            if what in ("if idle", "busy"):
                print(f"  {what}, {how}: {used:.1f} of {os.cpu_count()} processors were used before, {len(threads)} threads")
            if what == "if idle" and used > os.cpu_count() - 1.7:  # other processes use the machine: then either is correct
                two = len(threads) == 2
            at_once = any(a[0] != b[0] and a[1] < b[2] and b[1] < a[2] for a in calls for b in calls)
            expect(problems, f"{what}, {how}: {len(threads)} threads, {'at once' if at_once else 'one by one'}", (len(threads) == 2) == two == at_once)
            expect(problems, f"{what}, {how}: {len(calls)} calls", len(calls) >= 15)
    return problems


def paced(t):
    """While the application works, loaded classes are changed and reverted in small batches, in the background; pace=off and the command off
    change them at once. In the end none is missing, and after a revert none is changed, nor does the hook stay on."""
    if t.version < 9:
        raise Skip("has no jimage")
    problems, log, counts = [], t.file("calls.log"), t.file("paced.json")
    with Jvm(t, f"-Xlog:redefine+class+timer:file={log}:uptime,tid:filecount=0", "-cp", t.file("classes"), "Many") as jvm:
        for name in jdk_classes(t)[:1200]:
            jvm.process.stdin.write(name + "\n")
        jvm.ask("")
        c, ends, seen = jvm.control(), threading.Event(), 0

        def calls():
            nonlocal seen
            found = calls_of_the_jvm(log)
            new, seen = found[seen:], len(found)
            return len(new)
        works = threading.Thread(target=lambda: [jvm.ask("speed") for _ in iter(ends.is_set, True)])
        works.start()
        try:
            options = f"calls,include=java.**:sun.**:jdk.**:Many,calls.file={counts}"
            c.run("enable", options)  # loads what enabling needs
            c.run("off")
            few = c.run("enable", "calls,include=java.util.zip.*:Many", "0")
            expect(problems, f"{few['remaining']} of {few['classes']} classes follow, which are few", few["remaining"] == 0 and 1 < few["classes"] <= 32)
            c.run("off")
            calls()
            c.start("enable", options)
            answer = list(c.events())
            done, changed, small = answer[-1][1], c.run("status")["classes_now"], calls()
            expect(problems, f"{small} batches for {done['classes']} classes", done["classes"] > 400 and small >= max(10, done["classes"] / 256))
            expect(problems, f"notes: {[n for kind, n in answer if kind == 'note'][-3:]}", any(re.search(r"[\d,]+ of [\d,]+ classes so far, about .* left", n) for kind, n in answer if kind == "note"))
            done = c.run("revert")
            small = calls()
            expect(problems, f"{small} batches to revert {done['classes']} of {changed} classes", done["classes"] >= changed and small >= max(10, changed / 256) and done["passes"] == [])
            expect(problems, f"{c.run('status')['classes_now']} classes stay changed", c.run("status")["classes_now"] == 0)
            done = c.run("enable", options + ",pace=off")
            large = calls()
            expect(problems, f"{large} batches with pace=off", large <= 8 and done["classes"] > 400)
            shown = [c.run("status")["pace"], subprocess.run([t.cli, "status", str(jvm.pid)], capture_output=True, text=True).stdout]
            expect(problems, f"status: {shown}", shown[0] == "off" and re.search("^pace +off: ", shown[1], re.M))
            c.run("set", "pace=auto")
            expect(problems, "status does not show pace=auto", c.run("status")["pace"] == "auto")
            with jvm.control() as other:
                other.start("revert")
                while not c.run("status")["classes_total"]:
                    time.sleep(0.01)
                expect(problems, "a pass is on while classes are reverted", c.run("status")["passes"] == [])
                done = c.run("off")
                expect(problems, f"off: {calls()} batches, {done['remaining']} follow", c.run("status")["classes_now"] == 0 and not done["remaining"])
                taken = list(other.events())[-1][1]
                expect(problems, f"taken over: {taken}", taken["passes"] == [] and not taken["remaining"])
            with jvm.control() as other:
                other.start("enable", options)
                while not c.run("status")["classes_total"]:
                    time.sleep(0.01)
                c.run("off")
                try:
                    list(other.events())
                    problems.append("switched off, but reported as complete")
                except Failed as e:
                    expect(problems, str(e), "another command switched pass 'calls' off" in str(e))
            # The pass of another owner does not stand for one's own.
            c.start("enable", "calls,include=Many,pace=off", files=[("as", b"bob")])
            list(c.events())
            with jvm.control() as other:
                other.start("enable", options + ",pace=auto", files=[("as", b"alice")])
                while not c.run("status")["classes_total"]:
                    time.sleep(0.01)
                c.start("disable", "calls", files=[("as", b"alice")])
                list(c.events())
                expect(problems, "bob's is off", c.run("status")["passes"] == ["calls"])
                try:
                    list(other.events())
                    problems.append("alice's is off, but reported as complete")
                except Failed as e:
                    expect(problems, str(e), "another command switched pass 'calls' off" in str(e))
            c.run("off")
            c.run("enable", options + ",pace=off")
            c.run("set", "pace=auto,for=10ms")
            while c.run("status")["passes"] or c.run("status")["classes_total"]:
                time.sleep(0.05)
            expect(problems, "for= leaves changed classes", c.run("status")["classes_now"] == 0)
            c.run("enable", options + ",pace=off")
            c.run("set", "pace=auto")
            c.run("detach")
        finally:
            ends.set()
            works.join()
        jvm.ends(problems)
    return problems


PRODUCT = """import java.util.*; import java.util.concurrent.Callable; import java.util.function.*;
public class Product extends AbstractList<Integer> implements Callable<String> {
    public Integer get(int i) { return i; }
    public int size() { return 100; }
    public String call() { int s = 0; IntUnaryOperator f = x -> x; for (int i : this) s += f.applyAsInt(i); return "product " + s; }
}
"""


def busy_classes(t):
    """Rounds of a pass switched on and off by two threads, in classes that run, while others are loaded, linked, run and collected. The reply comes
    at once or when all is done; some rounds are disabled or reverted while classes are queued. The program works as before, and has its own code at the end."""
    problems, source = [], t.file("Product.java")
    with open(source, "w", encoding="utf-8") as f:
        f.write(PRODUCT)
    tools = [os.path.join(os.path.dirname(os.path.dirname(t.java)), "lib", "tools.jar")] if t.version < 9 else []
    with Jvm(t, t.library("bytecodes"), "-Xmx512m", "-cp", ":".join([t.file("classes"), *tools]), "Busy", source, t.file("product")) as jvm:
        expect(problems, "it does not start", jvm.line() == "ready")
        while int(jvm.ask("").split()[1]) < 20:
            time.sleep(0.1)
        c = jvm.control()

        def own(name):  # up to JDK 14 JVM TI lists lambdas, which come and go
            return {m: digest for m, digest in digests(t, jvm, name).items() if m.startswith("Lcom/sun/tools/javac/") and "$$Lambda" not in m}

        def options(threads):
            return f"timing,include=com.sun.tools.javac.**,batch=50,pace=off,batch-threads={threads}"
        before = own("before")
        expect(problems, f"{c.run('enable', options(1))['refusals']}", c.run("status")["classes_refused_now"] == 0)
        c.run("revert")
        now = own("by one")
        control = {m for m, digest in before.items() if now.get(m) != digest}
        worked = [int(n) for n in jvm.ask("").split()[1::2]]
        begun = time.monotonic()
        rounds = t.cycles if t.version >= 17 else 2  # older JDKs use one thread
        for i in range(rounds):
            done = c.run("enable", options(2), *(["0"] if i % 2 else []))
            expect(problems, f"round {i}: {done}", i % 2 or done["changed"] > 500)
            time.sleep(i % 8 / 20)
            done = c.run(*(["disable", "timing"] if i % 3 else ["revert"]))
            expect(problems, f"round {i}: {done['refusals']}", not done["refused"])
        took, again = time.monotonic() - begun, worked
        for _ in range(600):
            again = [int(n) for n in jvm.ask("").split()[1::2]]
            if again[0] > worked[0] and again[1] > worked[1]:
                break
            time.sleep(0.1)
        now = own("after")
        differ = {m for m, digest in before.items() if now.get(m) != digest}
        print(f"{rounds} rounds in {took:.0f} s; {again[0] - worked[0]} times compiled, {again[1] - worked[1]} loaders meanwhile; {len(differ)} of {len(before)} methods "
              f"have other bytecodes, {len(differ & control)} of which also when it was one thread")
        expect(problems, f"{len(differ - control)} methods differ: {sorted(differ - control)[:3]}", differ <= control)
        expect(problems, f"{len(control)} of {len(before)} differ by one thread", len(control) < len(before) / 20)
        expect(problems, "the program stands", again[0] > worked[0] and again[1] > worked[1])
        expect(problems, f"{c.run('status')['classes_now']} classes stay changed", c.run("status")["classes_now"] == 0)
        jvm.ends(problems)
    return problems
