#!/usr/bin/env python3
"""Builds and runs the micro-benchmark of the runtime, and the proof that it counts exactly.

    run.py WORK JDK... [-- speed|exact|interpreted|tight|full|path|bounded|healing|late|hello...]

WORK is a scratch directory, each JDK the home of one; the first one, of any version from 11 on, compiles. Without
words, all but speed and hello. Exits with 1 when something was not exact.
"""

import contextlib
import glob
import os
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
# All of the agent that the runtime needs: two rooms, and files of a third.
C_FILES = ["base/*", "counters/*", "vm/runtime", "vm/runtime_failures", "vm/snapshot", "vm/ticks"]

MOST_SECONDS = 900


def run(*command):
    if subprocess.run(command).returncode != 0:
        sys.exit("run.py: failed: " + " ".join(command))


def compile_bench(work, javac, folder, patch, extra):
    sources = [os.path.join(work, folder + "-src", name + ".java") for name in ("RuntimeBench", "RuntimeSpeed", "RuntimeExact", "RuntimeOverflow")]
    for source in sources:
        os.makedirs(os.path.dirname(source), exist_ok=True)
        with open(os.path.join(HERE, os.path.basename(source))) as file:
            text = file.read()
        with open(source, "w") as file:
            file.write(extra + text)
    out = os.path.join(work, folder)
    # For JDK 8, which knows no modules: a class of java.lang may come from the class path then.
    run(javac, "--release", "8", "-Xlint:none", "-cp", patch, "-d", out, *sources)


def build(work, jdk):
    javac = os.path.join(jdk, "bin", "javac")
    run(sys.executable, os.path.join(TOP, "runtime-java", "build.py"), javac, work)
    library = os.path.join(work, "libruntimebench.so")
    sources = [path for name in C_FILES for path in sorted(glob.glob(os.path.join(TOP, "instr", name + ".c")))]
    sources += [os.path.join(HERE, "agent.c"), os.path.join(work, "runtime_classes.c")]
    include = os.path.join(jdk, "include")
    run("gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-g", "-fPIC", "-shared", "-pthread", "-Wall", "-Wextra", "-Wshadow", "-Wconversion",
        "-I" + TOP, "-I" + include, "-I" + include + "/linux", *sources, "-o", library)
    compile_bench(work, javac, "direct", os.path.join(work, "classes", "direct"), "")
    public = "import instr.runtime.*;\n"
    compile_bench(work, javac, "path", os.path.join(work, "classes", "path"), public)
    return library


@contextlib.contextmanager
def ends_at_last(child):
    """Ends a program that waits for threads which have failed: with a full heap it reacts to no other signal."""
    timer = threading.Timer(MOST_SECONDS, child.kill)
    timer.start()
    yield
    timer.cancel()


def count(command):
    """Runs the program; how many of its checks were right, and how many wrong."""
    good = bad = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child, ends_at_last(child):
        for line in child.stdout:
            print(line, end="", flush=True)
            good += line.endswith(" ok\n")
            if " WRONG, " in line:
                print("FAILED %s: %s" % (command[-1], line.strip()))
                bad += 1
    if child.returncode and not bad:
        print("FAILED %s: %s" % (command[-1], f"exit status {child.returncode}" if child.returncode > 0 else f"ended by signal {-child.returncode}"))
        bad += 1
    return good, bad


def main():
    args, words = sys.argv[1:], ["exact", "interpreted", "tight", "full", "path", "bounded", "healing", "late"]
    if "--" in args:
        words = args[args.index("--") + 1 :]
        args = args[: args.index("--")]
    if len(args) < 2:
        sys.exit(__doc__)
    work = os.path.abspath(args[0])
    os.makedirs(work, exist_ok=True)
    library = build(work, args[1])
    # Not inlined: inlined into one loop, the finding of the block would move out of it.
    keep = ["-XX:CompileCommand=quiet"]
    keep += ["-XX:CompileCommand=dontinline,RuntimeSpeed." + m for m in ("plain", "called", "timed", "nanos", "retimed", "recalled", "sampled")]
    # late: at first the runtime is interpreted while others are compiled.
    # healing: entries compiled, exits not. So an exit needs more of the stack than its entry, as it does now and then anyway.
    variants = {
        "speed": (keep, "", "direct", "speed"),
        "exact": ([], "", "direct", "exact"),
        "interpreted": (["-Xint"], "", "direct", "recursion"),
        "tight": ([], "=budget=300000", "direct", "tight"),
        "full": (["-Xmx32m", "-Xms32m", "-XX:-UseGCOverheadLimit"], "", "direct", "full"),
        "path": ([], "=path,jar=" + library, "path", "exact"),
        "bounded": ([], "", "direct", "bounded"),
        "healing": (["-XX:CompileCommand=quiet", "-XX:CompileCommand=exclude,java/lang/InstrTiming.exit", "-XX:MaxJavaStackTraceDepth=4"], "", "direct", "healing"),
        "late": (["-XX:-TieredCompilation", "-XX:CompileCommand=quiet", "-XX:CompileCommand=exclude,java/lang/InstrTiming.exit", "-XX:MaxJavaStackTraceDepth=4"], "", "direct", "healing"),
        "hello": ([], "", "direct", "hello"),
    }
    passed = failed = 0
    for jdk in args[1:]:
        for word in words:
            options, agent, classes, what = variants[word]
            java = os.path.join(jdk, "bin", "java")
            print("--", jdk, word, flush=True)
            command = [java, *options, "-agentpath:" + library + agent, "-cp", os.path.join(work, classes), "RuntimeBench", what]
            good, bad = count(command)
            passed, failed = passed + good, failed + bad
    if passed or failed:
        print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
