"""What passes have found is not lost: when they end without a file, and while they are on."""

import json
import subprocess
import time

from server_jvm import Jvm, expect


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
