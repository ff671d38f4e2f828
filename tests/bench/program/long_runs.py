"""What stays of the cost of a pass when a program runs on: the same work for 1, 3, 10 and 60 seconds, and the memory that it takes.

The program is run over and over in one JVM. A plain run says how many runs fill each of these times, which are CPU time, so that a busy
machine does the same work; the ratios are those of the CPU time from the start of the process to the end of so many runs, to the same of
the plain run beside it. One JVM gives all columns. Memory is that at
the end, in MiB over the plain run: resident, compiled code (the used part of the code cache), metaspace. The heap has a fixed size.
"""

import os
import re
import statistics
import subprocess
import sys

from program import bench as programs

SECONDS = (1, 3, 10, 60)
HEAP = ["-Xms512m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:+AlwaysPreTouch", "-Dmemory=true"]
LINE = re.compile(r"^(run|memory) (\d+) (\d+) (\d+)(?: (\d+))?$", re.M)
PERCENT, MORE = 10, 30  # the target for timing: so many percent more resident memory than plain, and so many MiB


class Run:
    """`cpu`: seconds from the start of the process to the end of each run; `memory`: KiB of each kind at the end."""

    def __init__(self, command):
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.cpu, self.memory = [], None
        for line in child.stdout:
            found = LINE.match(line)
            if found and found[1] == "run":
                self.cpu.append(programs.cpu_of(child.pid))
            elif found:
                self.memory = [int(found[i]) for i in (3, 4, 5)]
        if child.wait() or not self.memory:
            sys.exit(f"bench: {' '.join(command)}: exit status {child.returncode}")


def counts(plain, seconds):
    """How many runs fill each of the times; a time that the program did not reach is left out."""
    found = [next((i + 1 for i, cpu in enumerate(plain.cpu) if cpu >= s), None) for s in seconds]
    return {s: n for s, n in zip(seconds, found) if n}


def command(jdk, program, times, options):
    program.times = times
    return program.command(jdk, [*HEAP, *options])


def fill(jdk, program, seconds):
    """A plain run that is long enough: the number of runs that take so long, estimated from the last of some."""
    first = Run(command(jdk, program, 8, []))
    each = max((first.cpu[-1] - first.cpu[-4]) / 3, 0.01)
    return Run(command(jdk, program, 8 + int((seconds[-1] + each) / each), []))


def print_program(jdk, program, agent, options):
    seconds = [s for s in SECONDS if s <= options.seconds]
    at = counts(fill(jdk, program, seconds), seconds)
    times = max(at.values())
    chosen = [p for p in programs.PASSES if not options.passes or p in options.passes]
    print(f"long: {program.name}, JDK {jdk.version}, {options.rounds} pairs of {times} runs; CPU time, of plain, for what plain does in")
    print(f"  {'':40}" + "".join(f"{f'{s} s':>8}" for s in at) + f"{'resident':>14}{'code':>8}{'metaspace':>11}")
    for passes in chosen:
        agent_option = [f"-agentpath:{agent}={passes},quiet=yes,control=off,include={programs.PATTERNS[program.name]}{programs.extra(passes)}"]
        pairs = [(Run(command(jdk, program, times, agent_option)), Run(command(jdk, program, times, []))) for _ in range(options.rounds)]
        ratios = [statistics.median(a.cpu[n - 1] / b.cpu[n - 1] for a, b in pairs) for n in at.values()]
        more = [statistics.median(a.memory[i] - b.memory[i] for a, b in pairs) / 1024 for i in range(3)]
        plain = statistics.median(b.memory[0] for _, b in pairs) / 1024
        limit = f" of {plain * PERCENT / 100 + MORE:.0f}" if passes.startswith("timing") and "," not in passes.replace(",timing.clock", "") else ""
        print(f"  {passes:40}" + "".join(f"{r:8.2f}" for r in ratios) + f"{f'{more[0]:+.1f}{limit}':>14}{more[1]:+8.1f}{more[2]:+11.1f}", flush=True)


def run(bench, jdk, options):
    work = os.path.join(bench["WORK"], "program")
    os.makedirs(work, exist_ok=True)
    for program in programs.programs(jdk, work, bench["jdks"].jars):
        if program.name in (options.program or ["ecj", "shapes"]) and program.times > 1:
            print_program(jdk, program, bench["AGENT"], options)
