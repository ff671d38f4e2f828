"""What passes have found is not lost: when they end without a file, and while they are on."""

import json
import os
import re
import subprocess
import threading
import time

from server_jvm import Jvm, Skip, expect, jdk_classes, refused


def instr(t, *words):
    done = subprocess.run([t.cli, *map(str, words)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def work_of(result):
    """(calls, thrown) of Waiting.work."""
    return next(((m["calls"], m["thrown"]) for m in result["methods"] if m["method"] == "work"), None)


def wait_for(text, file, seconds=30):
    for _ in range(seconds * 20):
        with open(file) as f:
            if text in f.read():
                return True
        time.sleep(0.05)
    return False


def ended_without_file(t):
    """The table of a pass that ends without a file is printed: by the command that ends it, else to the JVM's standard error."""
    problems = []
    with Jvm(t, "-cp", t.file("classes"), "Waiting") as jvm:
        jvm.line()
        c = jvm.control()
        ends = (["disable", "calls"], ["revert"], ["off"], ["detach"])
        for end in ends:
            c.run("enable", "calls,include=Waiting,calls.top=1")
            jvm.ask("")
            found = c.run(*end)["results"]
            expect(problems, f"{end}: {found}", len(found) == 1 and found[0]["top"] == 1 and work_of(found[0]["result"]) == (10, 1))
            if end == ["disable", "calls"]:
                expect(problems, "results of no pass", c.run("revert")["results"] == [])
        with open(t.file("stderr")) as f:
            expect(problems, "printed twice", "calls: 2 methods" not in f.read())
        jvm.ends(problems)
    with Jvm(t, "-cp", t.file("classes"), "Waiting") as jvm:
        jvm.line()
        c = jvm.control()
        for end in (["disable", "calls"], ["revert"], ["off"], ["detach"]):
            done = instr(t, "enable", jvm.pid, "calls", "include=Waiting")
            jvm.ask("")
            status, out, err = instr(t, end[0], jvm.pid, *end[1:])
            expect(problems, f"instr {end}: {done} {status} {out} {err}", status == 0 and "calls: 2 methods, 11 calls, 1 thrown\n" in out and " Waiting.work(int)\n" in out)
        jvm.ends(problems)
    return problems


def ended_by_itself(t):
    """When nobody waits for it, the table goes to the JVM's standard error, unless it is to be quiet or a file has it."""
    problems = []
    table, file = "calls: 2 methods, 11 calls, 1 thrown", t.file("ended.json")
    for options, is_printed in (("", True), (",quiet=yes", False), (",calls.top=0", False), (f",calls.file={file}", False)):
        open(t.file("stderr"), "w").close()
        with Jvm(t, "-cp", t.file("classes"), "Waiting") as jvm:
            jvm.line()
            c = jvm.control()
            c.run("enable", f"calls,include=Waiting,for=2s{options}")
            jvm.ask("")
            expect(problems, f"{options}: the time is not up", wait_for("all passes are off", t.file("stderr")))
            with open(t.file("stderr")) as f:
                expect(problems, f"{options}: is printed: {not is_printed}", (table in f.read()) == is_printed)
            jvm.ends(problems)
    with open(file) as f:
        expect(problems, "the file", work_of(json.load(f)) == (10, 1))
    return problems


def client_that_leaves(t):
    """The table goes to the JVM's standard error if the client, or the JVM, ends while classes change, before the client has it."""
    if t.version < 9:
        raise Skip("has no jimage")
    problems, line, table = [], "instr: results that the client of 'disable' did not get:\n", r"^calls: [\d,]+ methods, "
    for case, options, is_printed in (("killed", "", True), ("killed", ",quiet=yes", False), ("JVM ends", "", True), ("JVM ends at once", "", True)):
        open(t.file("stderr"), "w").close()
        with Jvm(t, "-cp", t.file("classes"), "Many") as jvm:
            for name in jdk_classes(t)[:1200]:
                jvm.process.stdin.write(name + "\n")
            jvm.ask("")
            c, ends = jvm.control(), threading.Event()
            works = threading.Thread(target=lambda: [jvm.ask("speed") for _ in iter(ends.is_set, True)])
            works.start()
            c.run("enable", f"calls,include=java.**:sun.**:jdk.**:Many,pace=off{options}")
            if case != "JVM ends at once":
                c.run("set", "pace=auto")
            client = subprocess.Popen([t.cli, "disable", str(jvm.pid), "calls"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while case != "JVM ends at once" and not c.run("status")["classes_total"]:
                time.sleep(0.01)
            if case == "killed":
                client.kill()
            ends.set()
            works.join()
            if case == "killed" and is_printed:
                expect(problems, f"{case}{options}: is not printed", wait_for(line, t.file("stderr")))
            jvm.ends(problems)
            out, err = client.communicate()
            with open(t.file("stderr")) as f:
                said = f.read()
            # What comes first, the end of the JVM or of the command, is open where that takes a moment only.
            received = case == "JVM ends at once" and re.search(table, out, re.M)
            expect(problems, f"{case}{options}: {client.returncode} {out[:200]} {err} {said[:300]}", (re.search(table, said, re.M) is not None) == (is_printed and not received))
    return problems


def reported(t):
    """`instr report PID` shows what a pass has so far, as table, JSON and page, and goes on; --reset starts anew."""
    problems = []
    with Jvm(t, "-cp", t.file("classes"), "Waiting") as jvm:
        jvm.line()
        c = jvm.control()
        status, out, err = instr(t, "report", jvm.pid)
        expect(problems, f"without a pass: {status} {out} {err}", status == 1 and "no active pass of process" in err)
        c.run("enable", f"calls,timing,coverage,coverage.nolocation=yes,coverage.file={t.file('r.exec')},include=Waiting")
        jvm.ask("")
        status, out, err = instr(t, "report", jvm.pid)
        heads = [line.split(":")[0] for line in out.splitlines() if not line.startswith(" ")]
        expect(problems, f"{status} {out} {err}", status == 0 and heads == ["calls", "timing", "coverage"] and "calls: 2 methods, 11 calls, 1 thrown" in out
               and re.search(r"\n  calls  thrown +total", out) and "0 ns in total" not in out)
        jvm.ask("")
        for words, calls in (([], (20, 2)), (["--reset"], (20, 2)), ([], None)):
            status, out, err = instr(t, "report", jvm.pid, "calls", "--json", *words)
            expect(problems, f"{words}: {status} {out} {err}", status == 0 and work_of(json.loads(out)) == calls)
        jvm.ask("")
        status, out, err = instr(t, "report", jvm.pid, "timing", "--html", t.file("page.html"))
        with open(t.file("page.html")) as f:
            page = f.read()
        expect(problems, f"the page: {status} {err}", status == 0 and "<html" in page and "work(int)" in page)
        for words, reason in ((["watch"], "pass 'watch' is not active"), (["cals"], "unknown pass 'cals'; did you mean 'calls'?"), (["elsewhere"], "unknown pass 'elsewhere'\n"), (["coverage", "--json"], "coverage has no JSON"),
                              (["--html", t.file("page.html")], "a page holds one pass; active are calls, timing, coverage"), (["calls", "--sort", "bytes"], "--sort must be self")):
            status, out, err = instr(t, "report", jvm.pid, *words)
            expect(problems, f"{words}: {status} {err}", status in (1, 2) and reason in err)
        follow = subprocess.Popen([t.cli, "report", str(jvm.pid), "calls", "--every", "100ms", "--top", "1"], stdout=subprocess.PIPE, text=True)
        rounds = [follow.stdout.readline() + follow.stdout.readline() + follow.stdout.readline() for _ in range(3)]
        follow.terminate()
        expect(problems, f"every: {rounds} {follow.wait(30)}", follow.returncode == 0 and rounds[0].startswith("calls: 2 methods, 11 calls") and len(set(rounds)) == 1)
        expect(problems, "the end has something else", work_of(c.run("disable", "calls")["results"][0]["result"]) == (10, 1))
        os.mkdir(t.file("digits"))
        with open(t.file("digits", str(jvm.pid)), "w") as f:
            json.dump({"pass": "calls", "methods": []}, f)
        found = subprocess.run([t.cli, "report", f"./{jvm.pid}"], cwd=t.file("digits"), capture_output=True, text=True)
        expect(problems, f"a file with digits: {found}", found.stdout.startswith("calls: 0 methods"))
        c.run("detach")
        jvm.ends(problems)
    return problems


def counted(name, result):
    """What a result has of the program Counted."""
    if name == "exceptions":
        return sum(s["count"] for s in result["exceptions"] if s["class"] == "Counted$Odd")
    if name == "alloc":
        return sum(s["count"] for s in result["sites"] if s["class"] == "int[]" and s["site_method"].startswith("work"))
    return (work_of(result) or (0, 0))[0]


def reset_while_counting(t):
    """Reports with --reset of busy threads add up to what happened: nothing is lost, nothing is counted twice. What the pass has cost
    is that since it was switched on."""
    problems = []
    with Jvm(t, "-cp", t.file("classes"), "Counted") as jvm, jvm.control() as c:
        for name in ("calls", "timing", "alloc", "exceptions"):
            c.run("enable", f"{name},include=Counted")
            expect(problems, "not started", jvm.ask("") == "started")
            total, reports, costs = 0, 0, []
            until = time.monotonic() + 1
            while time.monotonic() < until:
                report = c.run("report", name, "reset")
                total += counted(name, report)
                costs.append(report["cost"]["code_ns"])
                reports += 1
            calls, thrown = map(int, jvm.ask("").split())
            total += counted(name, c.run("report", name, "reset"))
            expect(problems, f"{name}: {total} of {calls} calls, {thrown} thrown, in {reports} reports",
                   reports >= 3 and calls > 1000 and total == (thrown if name == "exceptions" else calls))
            costs.append(c.run("report", name)["cost"]["code_ns"])
            expect(problems, f"{name}: costs of {costs}", costs == sorted(costs) and costs[0] < costs[-1])
            c.run("off")
        jvm.ends(problems)
    return problems


def reset_for_all(t):
    """So do those of each owner of a pass that counts once for several: --all reads and resets what all of them have at one moment."""
    problems = []
    with Jvm(t, "-cp", t.file("classes"), "Counted") as jvm, jvm.control() as c:
        for name in ("alloc", "exceptions"):
            totals = {"alice": 0, "bob": 0}

            def add():
                _, out, err = instr(t, "report", jvm.pid, name, "--all", "--reset", "--json")
                expect(problems, err, not err)
                documents = json.loads("[" + out.replace("}\n{", "},{") + "]")
                for result in documents:
                    totals[result["by"]] += counted(name, result)

            for owner in totals:
                expect(problems, f"{owner}: not enabled", instr(t, "enable", jvm.pid, name, "include=Counted", "max-overhead=off", "--as", owner)[0] == 0)
            expect(problems, "not started", jvm.ask("") == "started")
            until = time.monotonic() + 1
            while time.monotonic() < until:
                add()
            calls, thrown = map(int, jvm.ask("").split())
            add()
            expected = thrown if name == "exceptions" else calls
            expect(problems, f"{name}: {totals}, not {expected}", totals == {"alice": expected, "bob": expected} and expected > 100)
            c.run("off")
        jvm.ends(problems)
    return problems


def reset_of_rule(t):
    """And those of a rule with keys, to whose tables threads add meanwhile."""
    problems = []
    rule = "Counted.work(int i) entry { " + "; ".join(f"@{name}[i % 4] = {reduction}" for name, reduction in (("n", "count()"), ("s", "sum(i)"), ("h", "hist(i)"))) + " }"
    with Jvm(t, "-cp", t.file("classes"), "Counted") as jvm, jvm.control() as c:
        status, _, err = instr(t, "rule", jvm.pid, rule, "--name", "keyed", "--max-overhead", "off")
        expect(problems, err, status == 0)
        totals = {"n": 0, "s": 0, "h": 0}

        def add():
            for row in c.run("report", "keyed", "reset")["tables"]:
                totals[row["table"]] += row["count"]

        expect(problems, "not started", jvm.ask("") == "started")
        until, reports = time.monotonic() + 3, 0
        while time.monotonic() < until:
            add()
            reports += 1
        calls, _ = map(int, jvm.ask("").split())
        add()
        expect(problems, f"{totals}, not {calls}, in {reports} reports", set(totals.values()) == {calls} and reports >= 10)
        jvm.ends(problems)
    return problems


def reset_in_flight(t):
    """An exception that a report with --reset has, and that is caught afterwards, is not in the next report again."""
    problems = []
    with Jvm(t, "-cp", t.file("classes"), "Thrown") as jvm, jvm.control() as c:
        c.run("enable", "exceptions,include=Thrown")

        def reported(*more):
            return [(s["count"], s["caught_method"]) for s in c.run("report", "exceptions", *more)["exceptions"]]

        for line, more, count, caught in (("hold", [], 1, "held"), ("", ["reset"], 1, "held"), ("", ["reset"], 0, None), ("leave", [], 0, None), ("", ["reset"], 0, None),
                                          ("more", [], 1, "more"), ("hold", ["reset"], 2, None), ("leave", [], 0, None), ("more", ["reset"], 1, None),
                                          ("hold", ["reset"], 1, "held"), ("leave", [], 0, None), ("more", [], 1, None), ("more", ["reset"], 2, None), ("", [], 0, None)):
            if line:
                expect(problems, "no answer", jvm.ask(line) == line)
            found = reported(*more)
            expect(problems, f"{line} {more}: {found}, not {count}", sum(n for n, _ in found) == count and (not caught or found == [(count, caught)]))
        c.run("off")
        jvm.ends(problems)
    return problems


def reset_before_the_end(t):
    """Calls that are running at a report with --reset, and end by an exception afterwards, are in the next one as thrown: those of
    methods, and of constructors that are in super()."""
    problems = []
    with Jvm(t, "-cp", t.file("classes"), "Halfway") as jvm, jvm.control() as c:
        for name in ("calls", "timing"):
            c.run("enable", f"{name},include=Halfway:Halfway$*")

            def counted():
                methods = [m for m in c.run("report", name, "reset")["methods"] if m["method"] in ("make", "<init>")]
                return {(m["class"] + "." + m["method"]).replace("/", "."): (m["calls"], m["thrown"]) for m in methods if m["calls"] or m["thrown"]}

            def each(calls, thrown):
                return {method: (calls, thrown) for method in ("Halfway.make", "Halfway$Made.<init>", "Halfway$Base.<init>")}

            for line, expected in (("enter", each(1, 0)), ("throw", each(0, 1)), ("enter", each(1, 0)), ("return", {}),
                                   ("enter", each(1, 0)), ("throw", each(0, 1)), ("", {})):
                expect(problems, "no answer", jvm.ask(line) == line)
                found = counted()
                expect(problems, f"{name}, {line}: {found}, not {expected}", found == expected)
            c.run("off")
        jvm.ends(problems)
    return problems


def unwritable(t):
    """A file that cannot be written is refused when the pass is switched on, not found out at its end. Nothing is written for that."""
    problems, folder = [], t.file("held")
    os.makedirs(os.path.join(folder, "sub"))
    with open(os.path.join(folder, "file"), "w") as f:
        f.write("old")
    with Jvm(t, "-cp", t.file("classes"), "Waiting") as jvm, jvm.control() as c:
        jvm.line()
        c.run("enable", "calls,include=Waiting")
        for command, options, reason in (("enable", f"timing,timing.file={folder}/none/x.json", f"option 'timing.file': {folder}/none/x.json: No such file or directory"),
                                         ("enable", f"timing,timing.file={folder}/sub", "Is a directory"),
                                         ("enable", f"timing,timing.file={folder}/file/x.json", "Not a directory"),
                                         ("enable", "exceptions,exceptions.file=/proc/self/none/x", "No such file or directory"),
                                         ("enable", f"coverage,coverage.file={folder}/file/x/y.exec", "Not a directory"),
                                         ("enable", f"alloc,alloc.html={folder}/none/x.html", "option 'alloc.html'"),
                                         ("set", f"calls.file={folder}/none/%p.json", f"{folder}/none/{jvm.pid}.json: No such"),
                                         ("set", f"stats={folder}/none/x.json", "option 'stats'")):
            said = refused(c, command, options)
            expect(problems, f"{command} {options}: {said!r}", reason in said)
        expect(problems, "something was switched on", c.run("status")["passes"] == ["calls"])
        for options in (f"timing,timing.file={folder}/new.json", f"coverage,coverage.nolocation=yes,coverage.file={folder}/made/for/it.exec", f"alloc,alloc.file={folder}/file"):
            c.run("enable", options)
        expect(problems, f"written for that: {os.listdir(folder)}", sorted(os.listdir(folder)) == ["file", "sub"] and os.path.getsize(os.path.join(folder, "file")) == 3)
        jvm.ask("")
        c.run("revert")
        expect(problems, f"written: {os.listdir(folder)}", sorted(os.listdir(folder)) == ["file", "made", "new.json", "sub"])
        jvm.ends(problems)
    return problems


def sampling_for_others(t):
    """Only one agent can sample allocations. Another one can when alloc has ended, and while it does, alloc says so."""
    problems = []
    if t.version < 11:
        raise Skip("JVMs sample allocations from JDK 11 on")
    with Jvm(t, t.library("sampler"), "-cp", t.file("classes"), "Sampling") as jvm:
        jvm.ask("release")
        for end in (["disable", "alloc"], ["revert"], ["set", "alloc.mode=exact"], ["detach"]):
            c = jvm.control()
            c.run("enable", "alloc,alloc.mode=sampled,calls,include=Sampling")
            expect(problems, f"{end}: both sample", jvm.ask("take") == "0")
            c.run(*end)
            expect(problems, f"{end}: the other cannot sample afterwards", jvm.ask("take") == "1")
            if end[0] != "detach":
                c.run("revert")
                said = refused(c, "enable", "alloc,alloc.mode=sampled")
                expect(problems, f"{end}: {said!r}", "another agent samples" in said and c.run("status")["passes"] == [])
            expect(problems, f"{end}: the other cannot stop", jvm.ask("release") == "1")
            c.close()
        jvm.ends(problems)
    # Where the other one comes first, the JVM starts, with the passes that can be on.
    for passes, said, on in (("alloc,calls", "alloc is not switched on", ["calls"]), ("alloc", "nothing is instrumented", [])):
        with Jvm(t, t.library("sampler") + "=take", f"-agentpath:{t.agent}={passes},alloc.mode=sampled,include=Sampling", "-cp", t.file("classes"), "Sampling", agent=False) as jvm:
            expect(problems, f"{passes}: the other has lost it", jvm.ask("release") == "1")
            c = jvm.control()
            names = c.run("status")["passes"]
            expect(problems, f"{passes}: on are {names}", names == on)
            expect(problems, f"{passes}: alloc cannot be enabled later", not refused(c, "enable", "alloc,alloc.mode=sampled"))
            jvm.ends(problems)
        with open(t.file("stderr"), encoding="utf-8") as file:
            text = file.read()
        expect(problems, f"{passes}: {text!r}", f"instr: {said}: alloc.mode=sampled: another agent samples" in text)
    return problems


MARKED = """public class Marked {
    private static boolean[] $jacocoInit() { return null; }
    static int work(int i) { return i + 1; }
    public static void main(String[] args) throws Exception { while (System.in.read() != -1) System.out.println(work(work(1))); }
}
"""


def refused_by_one_pass(t):
    """Classes that one pass refuses, as coverage does with those that JaCoCo's agent has changed, are lost for that pass alone, and
    the command says so."""
    problems, folder = [], t.file("marked")
    os.makedirs(folder)
    with open(os.path.join(folder, "Marked.java"), "w") as f:
        f.write(MARKED)
    t.compile([os.path.join(folder, "Marked.java")], "marked")
    reason = "Marked: skipped: coverage: already instrumented by JaCoCo"
    exec_file = t.file("marked.exec")
    with Jvm(t, "-cp", folder, "Marked") as jvm, jvm.control() as c:
        jvm.ask("")
        c.run("enable", "timing,include=Marked")
        for again in range(2):
            c.start("enable", f"coverage,coverage.nolocation=yes,coverage.file={exec_file}")
            notes = [what for kind, what in c.events() if kind == "note"]
            expect(problems, f"{again}: notes {notes}", len(notes) == 1 and notes[0].endswith(reason))
            jvm.ask("")
            found = c.run("report", "timing")
            expect(problems, f"{again}: {work_of(found)}", work_of(found) == (2 * (again + 1), 0))
            c.run("disable", "coverage")
        c.run("revert")
        status, out, err = instr(t, "enable", jvm.pid, "coverage,timing", "coverage.nolocation=yes", f"coverage.file={exec_file}", "include=Marked")
        expect(problems, f"{status} {out} {err}", status == 0 and err.count(reason + "\n") == 1 and "1 class retransformed, 1 changed" in out)
        jvm.ends(problems)
    # Nor does the end say that no such class was loaded.
    done = subprocess.run([t.java, f"-agentpath:{t.agent}=coverage,coverage.nolocation=yes,coverage.file={exec_file},include=Marked", "-cp", folder, "Marked"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    line = "instr: coverage: no class that include=Marked matches could be covered; skipped: 1, the first Marked: already instrumented by JaCoCo\n"
    expect(problems, f"at the end: {done.stderr}", line in done.stderr and "no class was loaded" not in done.stderr)
    return problems


RESULTS = [ended_without_file, ended_by_itself, client_that_leaves, reported, reset_while_counting, reset_for_all, reset_of_rule, reset_in_flight, reset_before_the_end, unwritable, sampling_for_others, refused_by_one_pass]
