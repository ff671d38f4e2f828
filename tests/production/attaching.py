"""Attached and detached again and again: the JVM must not notice."""

import os
import subprocess

from server_jvm import Jvm, expect

TIMES = 20


def attached_again(t):
    """HotSpot keeps what it has for JVM TI of a thread that ends while there is no environment, and uses the thread's freed memory when
    the next agent comes. Ours ends with a detach, during a collection more often than not."""
    problems = []
    freed = dict(os.environ, LD_PRELOAD=os.path.join(t.build, "tests", "libfreed.so"))
    options = ["-Xmx16m", "-Xmn1m", "-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash", f"-XX:ErrorFile={t.file('error')}", "-cp", t.file("classes")]
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
