"""The pass exceptions beside the plain program, in turn, so that both see the same machine."""

import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
WHAT = (("fixed", "one exception thrown again and again"), ("made", "each time a new one with its stack trace"),
        ("passes", "the same through a finally block"), ("vm", "a NullPointerException, which the JVM throws without making it anew"),
        ("threads", "new ones on 16 threads"), ("quiet", "a call with handlers that throws nothing"))


def run(bench, jdk, options):
    out = os.path.join(bench["WORK"], "exceptions")
    subprocess.run([jdk.tool("javac"), "--release", "8", "-Xlint:-options", "-d", out, os.path.join(HERE, "Throwing.java")],
                   check=True)
    agents = {"plain": [], "instr": [f"-agentpath:{bench['AGENT']}=exceptions,quiet=yes"]}
    best = {name: {} for name in agents}
    for _ in range(options.rounds):
        for name, agent in agents.items():
            found = bench["figures"](bench["output"]([jdk.tool("java"), *agent, "-cp", out, "Throwing"]))
            for key, value in found.items():
                best[name][key] = min(value, best[name].get(key, value))
    print(f"exceptions: nanoseconds, the least of {options.rounds} runs: plain, with the pass")
    for key, text in WHAT:
        plain, ours = best["plain"][key], best["instr"][key]
        print(f"  {text}: {plain:.1f}, {ours:.1f} ({ours - plain:+.1f})")
