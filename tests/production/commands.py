"""Switching passes, watching calls, redefining classes: the results, and that the program keeps working."""

import json
import os
import re
import signal
import subprocess
import time
import zipfile

from server_jvm import HERE, Jvm, expect, refused


def delta(jvm, before):
    now = int(jvm.ask("").split()[1])
    return now - before, now


def switching(t):
    """Counts are exact while a pass is on and others are switched on and off beside it, and all its memory is freed at the end."""
    problems = []
    counts = t.file("calls.json")
    with Jvm(t, "-cp", t.file("classes"), "Waiting") as jvm:
        jvm.line()
        c = jvm.control()
        c.run("enable", f"calls,calls.file={counts},include=Waiting")
        for i in range(3):
            jvm.ask("")
            c.run("enable" if i % 2 == 0 else "disable", "timing")
        expect(problems, "two methods are not timed anew", c.run("status")["methods_now"] == 4)
        c.run("disable", "calls")
        text = open(counts).read()
        expect(problems, f"not 30 calls, 3 thrown: {text}", '"work", "descriptor": "(I)V", "calls": 30, "thrown": 3' in text)
        for words, reason in ((["enable", "tming"], "did you mean 'timing'?"), (["disable", "calls"], "pass 'calls' is not active"),
                              (["set", "timing"], "only values can be set"), (["set", "timing.top=x"], "must be a number"),
                              (["set", "control=off"], "option 'control' can only be set when the agent starts"), (["enable", "calls,facts=" + counts], "option 'facts' can only be set when the agent starts"),
                              (["set", "memory=1M"], "option 'memory' can only be set when the agent starts"), (["set", "runtime=path"], "as runtime=direct")):
            said = refused(c, *words)
            expect(problems, f"{words}: {said!r}", reason in said)
        expect(problems, "a mistake changed something", c.run("status")["passes"] == ["timing"])
        c.run("revert")
        expect(problems, "classes stay changed", c.run("status")["classes_now"] == 0)
        c.run("enable", "calls,include=Waiting:java.util.**")
        c.run("set", "max-classes=3")
        expect(problems, "as many classes stay changed as before max-classes", c.run("status")["classes_now"] == 3)
        c.run("revert")
        c.run("enable", "calls,max-classes=1,for=1s,include=Waiting:java.util.**")
        expect(problems, "more classes than max-classes", c.run("status")["classes_now"] == 1)
        time.sleep(2.5)
        expect(problems, "for= has no effect", c.run("status")["passes"] == [])
        expect(problems, "the program computes something else", delta(jvm, int(jvm.ask("").split()[1]))[0] == 1042)
        c.run("detach")
        jvm.ends(problems)
    return problems


def time_begins(t):
    """for= counts from the first changed class: in a JVM that takes long to stop its threads, as much is left as was asked for."""
    problems, longest = [], 0
    with Jvm(t, "-XX:+UseSerialGC", "-XX:-UseCountedLoopSafepoints", "-cp", t.file("classes"), "Stalls") as jvm:
        jvm.line()
        c = jvm.control()
        for i in range(6):
            time.sleep(0.1 * i)
            begun = time.monotonic()
            c.run("enable", "calls,include=Stalls,for=4s")
            longest = max(longest, time.monotonic() - begun)
            left = c.run("status")["expires_in_ns"] / 1e9
            expect(problems, f"{left:.2f} of 4 s are left", 3.2 < left <= 4)
            c.run("revert")
    expect(problems, f"each switch-on took {longest:.2f} s at most: the threads stopped at once", longest > 0.5)
    return problems


def same_figures(t):
    """Classes that were loaded before timing is switched on have the same counts as classes changed at load time, though they call
    the runtime differently."""
    problems, figures = [], []
    for passes, late in (("timing", False), ("timing", True), ("calls", True), ("calls,timing", True)):
        first = passes.split(",", 1)[0]
        result, options = t.file(f"sorts-{len(figures)}.json"), f"{passes},include=Sorts*,{first}.top=0"
        with Jvm(t, *([] if late else [f"-agentpath:{t.agent}={options},{first}.file={result}"]), "-cp", t.file("classes"), "Sorts", agent=late) as jvm:
            c = jvm.control()
            if late:
                jvm.ask("")  # loads them
                done = c.run("enable", f"{options},{first}.file={result}")
                expect(problems, f"{done['changed']} classes were changed", done["changed"] == 3)
            sums = {jvm.ask("") for _ in range(50)}
            if late:
                c.run("revert")
            expect(problems, f"sums {sums}, exit status {jvm.end()}", len(sums) == 1 and jvm.process.returncode == 0)
            methods = json.load(open(result))["methods"]
            figures.append({(m["class"], m["method"], m["descriptor"]): (m["calls"], m["thrown"]) for m in methods if m["method"] != "main"})
    differ = {m: [f.get(m) for f in figures] for m in figures[0] if any(f.get(m) != figures[0][m] for f in figures)}
    expect(problems, f"when loaded, and later: {differ}", not differ)
    expect(problems, f"{figures[0]}", figures[0].get(("Sorts$Derived", "<init>", "(I)V")) == (1000, 600) and len(figures[0]) == 9)
    return problems


def allocated_anew(t):
    """Allocations by the JVM itself and samples are reported when alloc is switched off, and not again the next time. While alloc
    stays on, changes of other passes or of an option do not interrupt the counts."""
    problems, folder, figures = [], t.file("listed"), []
    os.makedirs(folder, exist_ok=True)
    for name in "abc":
        open(os.path.join(folder, name), "w").close()
    with Jvm(t, "-cp", t.file("classes"), "Folder", folder) as jvm, jvm.control() as c:
        def counted(options, lines, meanwhile):
            result = t.file(f"made-{len(figures)}.json")
            c.run("enable", f"alloc,alloc.file={result},include=Folder{options}")
            for _ in range(lines):
                expect(problems, "not three files", jvm.ask("") == "3")
                if meanwhile:
                    c.run(*meanwhile)
            c.run("revert")
            with open(result) as f:
                figures.append(sum(s["count"] for s in json.load(f)["sites"] if s["class"] == "java.lang.String" and s["site_class"].startswith("java.io.")))

        jvm.ask("")
        counted("", 5, ())
        counted("", 5, ())
        counted("", 5, ("set", "alloc.top=7"))
        counted("", 5, ("enable", "calls"))
        expect(problems, f"strings: {figures}", figures[0] >= 15 and set(figures) == {figures[0]})
        if t.version >= 11:
            figures.clear()
            sampled = ",alloc.mode=sampled,alloc.interval=1,alloc.live=yes"
            counted(sampled, 5000, ())  # a new thread gets its first sample after a while
            counted(sampled, 2000, ())
            counted(sampled, 50, ())
            expect(problems, f"sampled: {figures}", 0 < figures[2] < figures[1] / 2)
        jvm.ends(problems)
    return problems


def around_jni(t):
    """JNI functions that another agent installs while alloc has its own installed stay when alloc is switched off."""
    problems, folder = [], t.file("listed")
    os.makedirs(folder, exist_ok=True)
    with Jvm(t, t.library("jni_functions"), "-cp", t.file("classes"), "Folder", folder) as jvm, jvm.control() as c:
        jvm.ask("")
        c.run("enable", "alloc,quiet=yes,include=Folder")
        expect(problems, "it is not put in", jvm.ask("put") == "1")
        for _ in range(2):
            c.run("revert")
            expect(problems, "the other agent's function was removed", jvm.ask("look") == "1")
            c.run("enable", "alloc,quiet=yes,include=Folder")
            expect(problems, "the other agent's function was removed with alloc on", jvm.ask("look") == "1")
        jvm.ends(problems)
    return problems


def listed_anew(t):
    """Native methods that were bound while natives was on are reported once, and only if a list is requested."""
    problems, folder, lists = [], t.file("listed"), []
    os.makedirs(folder, exist_ok=True)
    with Jvm(t, t.library("jni_functions"), "-cp", t.file("classes"), "Folder", folder) as jvm, jvm.control() as c:
        for options in (",natives.list=yes", ",natives.list=yes", ""):
            result = t.file(f"bound-{len(lists)}.json")
            c.run("enable", f"natives,natives.file={result},quiet=yes,include=Folder{options}")
            jvm.ask("look")
            c.run("revert")
            with open(result) as f:
                lists.append([b["method"] for b in json.load(f).get("bound", []) if b["class"] == "Folder"])
        jvm.ends(problems)
    expect(problems, f"bound: {lists}", lists == [["version"], [], []])
    return problems


def watching(t):
    """Calls are reported with arguments and results; the pass is switched off at the limit, after the time, and when the client disconnects."""
    problems = []
    with Jvm(t, "-cp", t.file("classes"), "Waiting") as jvm:
        jvm.line()
        c = jvm.control()
        c.start("watch", "Waiting.work(int)", "limit=12", "stack")
        for _ in range(3):
            time.sleep(0.3)
            jvm.ask("")
        calls = [what for kind, what in c.events() if kind == "document"]
        expect(problems, f"arguments {[x['arguments'] for x in calls]}",
               [x["arguments"] for x in calls] == [[str(i % 10)] for i in range(12)])
        expect(problems, "what was thrown", [i for i, x in enumerate(calls) if "thrown" in x] == [3])
        expect(problems, "the stack", calls and calls[0]["stack"][0].startswith("Waiting.work(Waiting.java:"))
        expect(problems, "still on at the limit", c.run("status")["passes"] == [])
        with jvm.control() as other:
            other.start("watch", "Waiting.*(..)")
            time.sleep(0.5)
            expect(problems, "not on", c.run("status")["passes"] == ["watch"])
        time.sleep(0.5)
        expect(problems, "still on after the client has disconnected", c.run("status")["passes"] == [])
        jvm.ends(problems)
    return problems


HELD = """public class Held {
    static int held() throws Exception { System.out.println("held"); return System.in.read(); }
    static int other() { return 7; }
    public static void main(String[] args) throws Exception { while (held() != -1) other(); }
}
"""


def watched_before(t):
    """A call that began under another watch is not reported when it ends, and the names of methods are freed after the last watch."""
    problems, folder = [], t.file("held")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "Held.java"), "w") as f:
        f.write(HELD)
    t.compile([os.path.join(folder, "Held.java")], "held")
    with Jvm(t, "-cp", folder, "Held") as jvm, jvm.control() as c, jvm.control() as other:
        jvm.line()
        before = c.run("status")["memory_bytes"]["names"]
        other.start("watch", "Held.held(..)")
        is_watched(c)
        jvm.ask("")
        other.cancel()
        expect(problems, "a running call was reported", not list(other.events()))
        other.start("watch", "Held.o*(..)", "limit=1")
        is_watched(c)
        jvm.ask("")
        reported = [what["method"] for kind, what in other.events() if kind == "document"]
        expect(problems, f"reported: {reported}", reported == ["other"])
        deadline = time.time() + 60
        while c.run("status")["memory_bytes"]["names"] != before and time.time() < deadline:
            time.sleep(0.1)
        expect(problems, "names were not freed", c.run("status")["memory_bytes"]["names"] == before)
        jvm.ends(problems)
    return problems


SHOWN = """public class Shown {
    static int odd(String text, char c, int[][] table, float f, Class<?> type) { return text.length(); }
    static int many(PARAMETERS) { return 7; }
    static void fail() { throw new IllegalStateException("why\\u0000 not") { public String toString() { throw this; } public String getMessage() { throw this; } }; }
    public static void main(String[] args) throws Exception {
        char[] wide = new char[100];
        java.util.Arrays.fill(wide, (char) 0x4e2d);
        String s = new String(wide);
        System.out.println("ready");
        for (int n = 1; System.in.read() != -1; n++) {
            odd("q\\"\\u0000\\u0007\\ud800" + n, (char) 0, new int[3][], Float.NaN, String[][].class);
            many(ARGUMENTS);
            try { fail(); } catch (IllegalStateException e) { n += 1000; }
            System.out.println("sum " + Integer.valueOf(n));
        }
    }
}
"""


def shown(t, agent=True):
    folder, parameters = t.file("shown"), (f"String a{i}" for i in range(250))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "Shown.java"), "w") as f:
        f.write(SHOWN.replace("PARAMETERS", ", ".join(parameters)).replace("ARGUMENTS", ", ".join(["s"] * 250)))
    t.compile([os.path.join(folder, "Shown.java")], "shown")
    jvm = Jvm(t, "-cp", folder, "Shown", agent=agent)
    jvm.line()
    if not agent:
        subprocess.run([t.cli, "attach", str(jvm.pid)], check=True, capture_output=True)
    return jvm


def is_watched(c):
    while "watch" not in c.run("status")["passes"]:
        time.sleep(0.02)


PAIR = """public class Pair {
    interface Shop { String order(int n); }
    static abstract class Base implements Shop { public abstract String order(int n); }
    static class Big extends Base { public String order(int n) { return "big" + n; } }
    static class Small implements Shop { public String order(int n) { return "small" + n; } }
    static class Own { public String order(int n) { return "own" + n; } }
    static class Heir extends Own implements Shop { }
    static class Other { public String order(int n) { return "other" + n; } }
    static class Late extends Base { public String order(int n) { return "late" + n; } }
    static int first(int n) { if (n % 10 == 3) throw new IllegalStateException(); return n; }
    static int second(int n) { return -n; }
    public static void main(String[] args) throws Exception {
        Shop[] shops = {new Big(), new Small(), new Heir()};
        Other other = new Other();
        System.out.println("ready");
        for (int n = 0; System.in.read() != -1; n += 10) {
            for (int i = n; i < n + 10; i++) {
                try { first(i); } catch (IllegalStateException e) { second(i); }
                second(i);
            }
            for (Shop shop : shops) shop.order(n);
            if (n == 20) new Late().order(n);
            other.order(n);
            System.out.println("done " + n);
        }
    }
}
"""


def pair(t):
    folder = t.file("pair")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "Pair.java"), "w") as f:
        f.write(PAIR)
    t.compile([os.path.join(folder, "Pair.java")], "pair")
    jvm = Jvm(t, "-cp", folder, "Pair")
    jvm.line()
    return jvm


class Watcher:
    """An `instr watch` of somebody's; it watches when this returns."""

    def __init__(self, t, jvm, c, name, *words):
        count = len(c.run("status")["watches"])
        self.process = subprocess.Popen([t.cli, "watch", str(jvm.pid), *words, "--as", name, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # a job in the background ignores it
        deadline = time.time() + 60
        while len(c.run("status")["watches"]) == count and self.process.poll() is None and time.time() < deadline:
            time.sleep(0.02)

    def end(self, number=None):
        """Status, calls as (class, method, first argument), and what it said on standard error."""
        if number:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        calls = [json.loads(line) for line in out.splitlines()]
        return self.process.returncode, [(x["class"], x["method"], int(x["arguments"][0])) for x in calls], err


def watching_together(t):
    """Several clients watch at the same time: each gets the calls that it asked for, and those only; one that ends leaves the others alone."""
    problems = []
    with pair(t) as jvm, jvm.control() as c:
        alice = Watcher(t, jvm, c, "alice", "Pair.first(int)", "--limit", "1000")
        bob = Watcher(t, jvm, c, "bob", "Pair.first(..):Pair.second(..)", "--limit", "4", "--if-thrown")
        carol = Watcher(t, jvm, c, "carol", "Pair.second(int)", "--limit", "15")
        status = c.run("status")
        expect(problems, f"{status['watches']}", [(w["by"], w["methods"]) for w in status["watches"]] ==
               [("alice", "Pair.first(int)"), ("bob", "Pair.first(..):Pair.second(..)"), ("carol", "Pair.second(int)")] and status["passes"] == ["watch"])
        for _ in range(2):
            jvm.ask("")
        done, calls, err = carol.end()  # at its limit
        seconds = [("Pair", "second", i) for n in (0, 10) for i in sorted([*range(n, n + 10), n + 3])]
        expect(problems, f"carol: {done} {calls} {err}", (done, calls) == (0, seconds[:15]))
        wrong = Watcher(t, jvm, c, "dave", "Pair.frist(..)", "--for", "100ms")
        done, calls, err = wrong.end()
        expect(problems, f"dave: {err}", done == 0 and not calls and "no loaded class has such a method" in err and "did you mean Pair.first?" in err)
        jvm.ask("")
        done, calls, err = alice.end(signal.SIGINT)
        expect(problems, f"alice: {done} {calls} {err}", calls == [("Pair", "first", i) for i in range(30)])
        erin = Watcher(t, jvm, c, "erin", "Pair.second(int)", "--limit", "1000")
        erin.process.kill()
        erin.process.communicate()
        jvm.ask("")
        done, calls, err = bob.end()  # at his limit, of those that throw
        expect(problems, f"bob: {done} {calls} {err}", (done, calls) == (0, [("Pair", "first", i) for i in (3, 13, 23, 33)]))
        deadline = time.time() + 60
        while c.run("status")["passes"] and time.time() < deadline:
            time.sleep(0.05)
        with open(t.file("stderr"), encoding="utf-8") as f:
            said = [re.sub(r"uid \d+", "uid N", line) for line in f if "watch" in line]
        expect(problems, f"said: {said}", said[-5:] == [f"instr: watch of {methods} by {who} (uid N)\n" for who, methods in (
            ("alice", "Pair.first(int)"), ("bob", "Pair.first(..):Pair.second(..)"), ("carol", "Pair.second(int)"),
            ("dave", "Pair.frist(..)"), ("erin", "Pair.second(int)"))])
        status = c.run("status")
        expect(problems, f"at the end: {status['passes']} {status['watches']} {status['classes_now']}", not status["passes"] and not status["watches"] and status["classes_now"] == 0)
        jvm.ends(problems)
    return problems


def watching_too_many(t):
    """Eight clients watch; the ninth is told who they are, and gets in when one has ended."""
    problems = []
    with pair(t) as jvm, jvm.control() as c:
        all_of_them = [Watcher(t, jvm, c, f"user{i}", "Pair.first(int)", "--limit", "1000") for i in range(8)]
        done, calls, err = Watcher(t, jvm, c, "late", "Pair.first(int)").end()
        expect(problems, f"{done} {calls} {err}", done == 1 and re.fullmatch(r"instr: 8 clients watch already: " + ", ".join(rf"user{i} since \d\d:\d\d:\d\d" for i in range(8)) + "\n", err))
        jvm.ask("")
        all_of_them.pop().end(signal.SIGINT)
        all_of_them.append(Watcher(t, jvm, c, "late", "Pair.second(int)", "--limit", "1000"))
        jvm.ask("")
        counts = [len(w.end(signal.SIGINT)[1]) for w in all_of_them]
        expect(problems, f"{counts}", counts == [20] * 7 + [11])
        jvm.ends(problems)
    return problems


def watching_interrupted(t):
    """Who presses Ctrl-C twice, while the JVM stands still, ends the watch as with one Ctrl-C."""
    problems = []
    with pair(t) as jvm, jvm.control() as c:
        alice = Watcher(t, jvm, c, "alice", "Pair.first(..)")
        os.kill(jvm.pid, signal.SIGSTOP)
        try:
            for _ in range(2):
                alice.process.send_signal(signal.SIGINT)
                time.sleep(0.5)
        finally:
            os.kill(jvm.pid, signal.SIGCONT)
        expect(problems, "not as one", alice.end() == (0, [], ""))
        jvm.ends(problems)
    return problems


def watching_abstract(t):
    """Who watches an abstract method watches what implements it: what a class inherits, what is loaded meanwhile, and nothing of the same name."""
    problems = []
    with pair(t) as jvm, jvm.control() as c:
        alice = Watcher(t, jvm, c, "alice", "Pair$Shop.order(..)", "--limit", "10")
        bob = Watcher(t, jvm, c, "bob", "Pair$Other.order(..)", "--limit", "1000")
        carol = Watcher(t, jvm, c, "carol", "Pair$Base+.order(..)", "--limit", "4")
        dave = Watcher(t, jvm, c, "dave", "Pair$Shop.order(int n)", "--if", "n > 0", "--limit", "5")
        erin = Watcher(t, jvm, c, "erin", "Pair.first(int n)", "--limit", "1")
        for _ in range(3):
            jvm.ask("")
        done, calls, err = alice.end()
        shops = ("Big", "Small", "Own")
        expect(problems, f"{done} {calls} {err}", (done, calls) == (0, [(f"Pair${shop}", "order", n) for n in (0, 10, 20) for shop in shops] + [("Pair$Late", "order", 20)]))
        found = re.fullmatch(r"instr: abstract methods have no code: what implements them is watched, also in classes that are loaded later; in loaded classes now: (.*)\n", err)
        expect(problems, err, found and set(found[1].split(":")) == {f"Pair${shop}.order(int)" for shop in shops})
        done, calls, err = carol.end()
        expect(problems, f"carol: {done} {calls} {err}", calls == [("Pair$Big", "order", 0), ("Pair$Big", "order", 10), ("Pair$Big", "order", 20), ("Pair$Late", "order", 20)])
        done, calls, err = dave.end()
        expect(problems, f"dave: {done} {calls}", (done, calls) == (0, [(f"Pair${shop}", "order", n) for n in (10, 20) for shop in ("Big", "Small")] + [("Pair$Late", "order", 20)]))
        expect(problems, f"dave: {err}", err.endswith("as their classes do not implement the type: Pair$Own.order(int)\n")
               and all(f"Pair${shop}.order(int)" in err.splitlines()[0] for shop in ("Big", "Small")))
        expect(problems, "the name of a parameter", erin.end() == (0, [("Pair", "first", 0)], ""))
        done, calls, err = bob.end(signal.SIGINT)
        expect(problems, f"bob: {done} {calls} {err}", (calls, err) == ([("Pair$Other", "order", n) for n in (0, 10, 20)], ""))
        deadline = time.time() + 60
        while c.run("status")["passes"] and time.time() < deadline:
            time.sleep(0.05)
        expect(problems, "classes stay changed", c.run("status")["classes_now"] == 0)
        jvm.ends(problems)
    return problems


def watched_text(t):
    """Any strings, and any number of them: everything that fits is reported and shown, and no method of the application is called."""
    problems = []
    with shown(t) as jvm, jvm.control() as c, jvm.control() as other:
        other.start("watch", "Shown.*(..)", "limit=3", "stack")
        is_watched(c)
        jvm.ask("")
        odd, many, fails = [what for kind, what in other.events() if kind == "document"]
        expect(problems, f"odd: {odd}", odd["arguments"] == ['"q"\0\a\ufffd1"', "'\0'", "int[3][]", "NaN", "java.lang.String[][].class"] and odd["returned"] == "6")
        texts = many["arguments"]
        expect(problems, f"many: {len(texts)} {set(texts)}", len(texts) == 250 and set(texts) == {'"' + "\u4e2d" * 100 + '"', "..."} and texts[0] != "..." and len(many["stack"]) == 2)
        expect(problems, f"thrown: {fails['thrown']}", re.fullmatch("Shown\\$1@[0-9a-f]+: why\0 not", fails["thrown"]))
        watching = subprocess.Popen([t.cli, "watch", str(jvm.pid), "Shown.*(..)", "--limit", "3"], stdout=subprocess.PIPE, text=True)
        is_watched(c)
        jvm.ask("")
        lines = watching.communicate(timeout=60)[0].splitlines()
        expect(problems, f"instr watch: {[line[-100:] for line in lines]}, {watching.returncode}", len(lines) == 3 and watching.returncode == 0 and "= 9 " in lines[0] and
               "..., ...) = 7 " in lines[1] and ": why? not " in lines[2])
        jvm.ends(problems)
    return problems


def watching_the_jdk(t):
    """JDK methods are watched that the inserted code itself uses: boxes, strings, stacks. The program behaves as without the agent."""
    problems, n = [], 0
    with shown(t) as jvm, jvm.control() as c:
        for methods in ("java.lang.Integer.*(..)", "java.**.*(..)", "**.*(..)"):
            with jvm.control() as other:
                other.start("watch", methods, "limit=1000000", "stack")
                is_watched(c)
                for _ in range(5):
                    n += 1001
                    said = jvm.ask("")
                    expect(problems, f"{methods}: {said}", said == f"sum {n}")
                other.cancel()
                calls = [what for kind, what in other.events() if kind == "document"]
                expect(problems, f"{methods}: {len(calls)} calls", len(calls) >= 5)
            expect(problems, f"{methods}: still on", c.run("status")["passes"] == [])
        jvm.ends(problems)
    return problems


def looking(t):
    """Dumping a class never changes it: HotSpot does not accept the offered class, and the constant NaN, which it would otherwise duplicate each
    time, exists once. A redefined class is dumped with its new method bodies and the code that passes add to them."""
    problems = []
    with shown(t, agent=False) as jvm, jvm.control() as c:
        def constants(*words):
            return c.bytes("dump", "Shown", *words).count(b"\4\x7f\xc0\0\0")  # CONSTANT_Float, NaN

        with open(t.file("shown", "Shown.class"), "rb") as f:
            given = f.read()
        jvm.ask("")
        seen = [constants(*(["original"] if i % 3 == 0 else [])) for i in range(30)]
        expect(problems, f"NaN: {seen}", set(seen) == {1})
        c.run("enable", "timing,include=Shown")
        changed = given.replace(b"\x10\7\xac", b"\x10\x2a\xac")  # many(): bipush 7, ireturn
        expect(problems, "it is not changed", changed != given)
        c.run("redefine", files=[("Shown.class", changed)])
        before = c.run("status")
        now, original = c.bytes("dump", "Shown"), c.bytes("dump", "Shown", "original")
        expect(problems, "the new body is not shown", b"\x10\x2a" in now and b"InstrSampling" in now and b"\x10\x2a" in original and b"InstrSampling" not in original)
        expect(problems, "a dump changes the status", all(c.run("status")[k] == before[k] for k in ("classes_now", "methods_now", "passes")))
        with jvm.control() as other:
            other.start("watch", "Shown.many(..)", "limit=1")
            is_watched(c)
            jvm.ask("")
            returned = [what["returned"] for kind, what in other.events() if kind == "document"]
        expect(problems, f"many() returns {returned}", returned == ["42"])
        jvm.ends(problems)
    return problems


def redefining(t):
    """Method bodies are replaced and restored, with and without a pass; changes that the JVM would refuse are explained."""
    source = open(os.path.join(HERE, "..", "jvm", "programs", "Waiting.java")).read()
    changes = {"new": ("sum += i;", "sum += 7;"), "method": ("static int sum;", "static int sum; static void more() {}"),
               "field": ("static int sum;", "static int sum, more;"), "parent": ("class Waiting", "class Waiting extends Thread")}
    made = {}
    for name, (old, new) in changes.items():
        os.makedirs(t.file(name), exist_ok=True)
        with open(t.file(name, "Waiting.java"), "w") as f:
            f.write(source.replace(old, new, 1))
        t.compile([t.file(name, "Waiting.java")], name)
        made[name] = [(name, open(t.file(name, "Waiting.class"), "rb").read())]
    problems = []
    # -Xcheck:jni would print wrong uses of JNI to the output, among the replies.
    with Jvm(t, *(["-Xcheck:jni"] if t.version >= 17 else []), "-cp", t.file("classes"), "Waiting") as jvm:
        now = int(jvm.line().split()[1])
        c = jvm.control()
        for name, word in (("method", "more()V"), ("field", "fields"), ("parent", "superclass")):
            said = refused(c, "redefine", files=made[name])
            expect(problems, f"{name}: {said!r}", said.startswith("Waiting: ") and word in said)
        for passes in ("", "timing,include=Waiting"):
            if passes:
                c.run("enable", passes)
            c.run("redefine", files=made["new"])
            d, now = delta(jvm, now)
            expect(problems, f"redefined: {d}", d == 1063)
            dumped = c.bytes("dump", "Waiting", "original")  # reconstructed by the JVM
            c.run("undo", "Waiting")
            d, now = delta(jvm, now)
            expect(problems, f"undone: {d}", d == 1042)
            c.run("redefine", files=[("dumped", dumped)])
            d, now = delta(jvm, now)
            expect(problems, f"redefined with what was dumped: {d}", d == 1063)
            c.run("undo")
            d, now = delta(jvm, now)
            expect(problems, f"undone: {d}", d == 1042)
        expect(problems, "undone twice", "no class has been redefined" in refused(c, "undo"))
        jvm.ends(problems)
    return problems


def redefining_twins(t):
    """A class that several loaders have is changed in all of them on request, or in none if one is refused; undo restores all."""
    problems, source = [], open(os.path.join(HERE, "programs", "Twins.java")).read()
    os.makedirs(t.file("twins"), exist_ok=True)
    with open(t.file("twins", "Twins.java"), "w") as f:
        f.write(source.replace("return 1;", "return 2;", 1))
    t.compile([t.file("twins", "Twins.java")], "twins")
    made = [("Twin", open(t.file("twins", "Twins$Twin.class"), "rb").read())]
    with Jvm(t, "-cp", t.file("classes"), "Twins") as jvm:
        jvm.line()
        c = jvm.control()
        said = refused(c, "redefine", files=made)
        expect(problems, f"of three loaders: {said!r}", said.startswith("Twins$Twin: ") and "3 class loaders" in said and "--all-loaders" in said)
        expect(problems, "refused, and changed", jvm.ask("") == "111")
        expect(problems, "an unknown word", "all-loaders" in refused(c, "redefine", "some", files=made))
        for passes in ("", "calls,include=Twins*"):
            if passes:
                c.run("enable", passes)
            done = c.run("redefine", "all-loaders", files=made)
            expect(problems, f"redefined: {done['classes']}", done["classes"] == ["Twins$Twin"] * 3)
            expect(problems, "not redefined everywhere", jvm.ask("") == "222")
            again = c.run("redefine", "all-loaders", files=made)
            expect(problems, f"redefined again: {again['classes']}", again["classes"] == done["classes"] and jvm.ask("") == "222")
            undone = c.run("undo", "Twins$Twin")
            expect(problems, f"undone: {undone['classes']}", undone["classes"] == done["classes"] and jvm.ask("") == "111")
        jvm.ends(problems)
    return problems


def redefining_by_another(t):
    """What another agent redefines after `instr redefine` stays, whatever is switched on and off; one that the JVM refuses changes nothing."""
    problems, files = [], {}
    with open(os.path.join(HERE, "programs", "Hot.java")) as f:
        source = f.read()
    for name, new in (("2", "return 2;"), ("3", "return 3;"), ("more", "return 4; } static int more() { return 5;")):
        os.makedirs(t.file(f"hot{name}"))
        with open(t.file(f"hot{name}", "Hot.java"), "w") as f:
            f.write(source.replace("return 1;", new, 1))
        t.compile([t.file(f"hot{name}", "Hot.java")], f"hot{name}")
        files[name] = t.file(f"hot{name}", "Hot$Value.class")
    with zipfile.ZipFile(t.file("hot.jar"), "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nPremain-Class: Hot\nCan-Redefine-Classes: true\n")
    with open(files["2"], "rb") as f:
        two = [("two", f.read())]
    with Jvm(t, f"-javaagent:{t.file('hot.jar')}", "-cp", t.file("classes"), "Hot") as jvm, jvm.control() as c:
        def expect_value(when, value, line=""):
            found = jvm.ask(line)
            expect(problems, f"{when}: {found}, not {value}", found == value)

        def switched(when, value):
            for words in (("enable", "calls,include=Hot$*"), ("disable", "calls")):
                c.run(*words)
                expect_value(f"{when}, {words}", value)

        expect_value("at first", "1")
        c.run("redefine", files=two)
        switched("redefined", "2")
        expect_value("what the JVM refuses", "refused 2", files["more"])
        switched("the other was refused", "2")
        expect_value("the other agent", "3", files["3"])
        switched("by the other agent", "3")
        expect(problems, "it can be undone", "no class has been redefined" in refused(c, "undo"))
        expect_value("not undone", "3")
        c.run("redefine", files=two)
        switched("redefined again", "2")
        jvm.ends(problems)
    return problems


def redefined_meanwhile(t):
    """A class that another agent redefines all the time is changed and restored, also where HotSpot reads its bytes after it has freed them (JDK 21 to 28)."""
    problems = []
    with zipfile.ZipFile(t.file("swapped.jar"), "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nPremain-Class: Swapped\nCan-Redefine-Classes: true\n")
    with Jvm(t, f"-javaagent:{t.file('swapped.jar')}", "-cp", t.file("classes"), "Swapped") as jvm:
        jvm.line()
        for n in range(40):
            for words in (["enable", "calls", "include=Swapped$*"], ["disable", "calls"]):
                done = subprocess.run([t.cli, words[0], str(jvm.pid), *words[1:]], capture_output=True, text=True, timeout=100)
                said = done.stdout + done.stderr
                expect(problems, f"{n}, {words}: {done.returncode}, {said}", done.returncode == 0 and "skipped" not in said)
        jvm.ends(problems)
    return problems


def unmatched(t):
    """A pattern of include= that no loaded class matches is named, with what it may have meant; classes loaded later are still instrumented."""
    problems = []
    with Jvm(t, "-cp", t.file("classes"), "Waiting") as jvm:
        jvm.line()

        def notes(*words, command="enable"):
            said = subprocess.run([t.cli, command, str(jvm.pid), *words], capture_output=True, text=True)
            expect(problems, f"{words}: {said.returncode} {said.stderr}", said.returncode == 0)
            return [line for line in said.stderr.splitlines() if "no loaded class" in line]
        for words, starts in ((("calls", "include=Waitng"), ["instr: no loaded class matches include=Waitng; did you mean Waiting?"]),
                              (("calls", "include=ArrayList"), ["instr: no loaded class matches include=ArrayList; did you mean java.util.Arr"]),
                              (("calls", "include=Waiting:com.acme.**"), ["instr: no loaded class matches include=com.acme.**"]),
                              (("calls", "include=java.utl"), ["instr: no loaded class matches include=java.utl"]),
                              (("calls", "include=java.util"), ["instr: no loaded class matches include=java.util; did you mean java.util.**?"]),
                              (("calls", "include=Java.Util.*"), ["instr: no loaded class matches include=Java.Util.*; did you mean java.util.*?"]),
                              (("calls", "include=waiting#work"), ["instr: no loaded class matches include=waiting#work: a pattern names classes, no methods; did you mean Waiting?"]),
                              (("calls", "include=Waiting.work"), ["instr: no loaded class matches include=Waiting.work; did you mean Waiting?"]),
                              (("calls", "include=Waiting", "calls.exclude=Waitng"), ["instr: no loaded class matches exclude=Waitng; did you mean Waiting?"]),
                              (("calls",), []),
                              (("calls", "include=Waiting:java.util.**"), [])):
            lines = notes(*words)
            expect(problems, f"{words}: {lines}", len(lines) == len(starts) and all(line.startswith(start) for line, start in zip(lines, starts)))
        for word, line in (("Waitng", "no loaded class matches Waitng; did you mean Waiting?"), ("no.such.**", "no loaded class matches no.such.**")):
            lines = notes(word, command="revert")  # it does nothing, and says so
            expect(problems, f"revert {word}: {lines}", lines == ["instr: " + line])
        expect(problems, "revert Waiting", notes("Waiting", command="revert") == [])
        jvm.ends(problems)
    # At the end of a JVM that had the pass from its start.
    for include, expected in (("Waitng", True), ("Waiting", False)):
        done = subprocess.run([t.java, f"-agentpath:{t.agent}=calls,include={include}", "-cp", t.file("classes"), "Waiting"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        expect(problems, f"{include}: {done.stderr}", ("instr: calls: no class was loaded that include=Waitng matches\n" in done.stderr) == expected)
    return problems
