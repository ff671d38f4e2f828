"""Attaching and detaching again and again: the JVM must not be affected."""

import os
import subprocess
import threading

from control import Failed
from server_jvm import Jvm, expect

TIMES = 20


def attached_again(t):
    """HotSpot keeps its JVM TI state of a thread that exits while no environment exists, and uses the thread's freed memory when
    the next agent attaches. Here a thread exits at a detach, usually during a collection."""
    problems = []
    freed = dict(os.environ, LD_PRELOAD=os.path.join(t.build, "tests", "libfreed.so"))
    options = ["-Xmx16m", "-Xmn1m", "-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash", "-cp", t.file("classes")]
    with Jvm(t, "-XX:+IgnoreUnrecognizedVMOptions", *options, "Collecting", agent=False, env=freed) as jvm:
        jvm.line()
        for i in range(TIMES):
            attached = subprocess.run([t.cli, "attach", str(jvm.pid)], capture_output=True, text=True)
            if attached.returncode:
                problems.append(f"attached {i} times, then: {attached.stderr.strip()}")
                break
            with jvm.control() as c:
                c.run("enable", "calls,include=Collecting")
                c.run("detach")
        else:
            expect(problems, "it does not end as it should", jvm.end() == 0 and jvm.line() == "done")
    return problems


def detached_meanwhile(t):
    """While a command runs, one client requests a detach, and others request something that is impossible afterwards: they are disconnected
    unless they were first, and the JVM continues. The command takes so long because it writes to a pipe without a reader."""
    problems, pipe = [], t.file("pipe")
    os.mkfifo(pipe)
    wanted = (["dump", "Waiting"], ["redefine"], ["status"], ["enable", "calls"], ["watch", "Waiting.*(..)"])

    def read_all():
        while True:
            with open(pipe, "rb") as f:
                f.read()

    with Jvm(t, "-cp", t.file("classes"), "Waiting") as jvm, jvm.control() as busy, jvm.control() as leaving:
        jvm.line()
        others = [jvm.control() for _ in wanted]
        busy.run("enable", f"calls,calls.file={pipe},include=Waiting,quiet=yes")
        for c in (leaving, *others):
            c.run("ping")  # the client is accepted
        busy.start("write")
        leaving.start("detach")
        for c, words in zip(others, wanted):
            c.start(*words)
        threading.Thread(target=read_all, daemon=True).start()
        expect(problems, "the detach is not answered", [kind for kind, _ in leaving.events()] == ["document"])
        for c in others:
            try:
                list(c.events())
            except (Failed, OSError):
                pass
            c.close()
        jvm.ask("")
        jvm.ends(problems)
    return problems
