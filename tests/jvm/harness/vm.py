"""Runs a program, plain or under the agent, and compares the results."""

import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass

TIMEOUT = 180

# the agent's normal output: lines that begin with its name, and its tables
TROUBLE = re.compile(r"VerifyError|ClassFormatError|NoClassDefFoundError|LinkageError|UnsatisfiedLinkError"
                     r"|InternalError|SIGSEGV|SIGBUS|SIGABRT|fatal error|AddressSanitizer|runtime error:|java/lang/instr")
OWN_TROUBLE = re.compile(r"^instr: .*(: skipped: |error|cannot|could not|unable|fail)", re.I)
# A row of a table of methods of any class.
ROW = re.compile(r" *[\d,]+ +[\d,]+ +[\d.]+ [num]?s .*\)$")
# The uptime in a warning of the VM.
UPTIME = re.compile(r"^\[\d+[.,]\d+s\](?=\[warning\])", re.M)


@dataclass
class Result:
    args: list
    status: int
    stdout: str
    stderr: str
    seconds: float
    crash: str

    def tail(self):
        return (self.stderr.strip() or self.stdout.strip())[-600:]


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def run(args, folder, env=None, stdin=None, timeout=TIMEOUT):
    """Runs a command in its own new folder."""
    fresh(folder)
    full = {k: v for k, v in os.environ.items() if k not in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")}
    full["LC_ALL"] = "C.UTF-8"
    full.update(env or {})
    start = time.monotonic()
    with open(os.path.join(folder, "stdout"), "wb+") as out, open(os.path.join(folder, "stderr"), "wb+") as err:
        try:
            status = subprocess.run(args, cwd=folder, env=full, stdout=out, stderr=err, timeout=timeout,
                                    **({"input": stdin} if stdin is not None else {"stdin": subprocess.DEVNULL})
                                    ).returncode
        except subprocess.TimeoutExpired:
            status = None
        seconds = time.monotonic() - start
        texts = []
        for f in (out, err):
            f.seek(0)
            texts.append(f.read().decode("utf-8", "replace"))
    crash = "".join(f for f in os.listdir(folder) if f.startswith("hs_err") or f.startswith("core"))
    return Result(args, status, *texts, seconds, crash)


def first_difference(a, b):
    left, right = a.splitlines(), b.splitlines()
    for i, (x, y) in enumerate(zip(left, right)):
        if x != y:
            return f"line {i + 1}: {x[:200]!r} became {y[:200]!r}"
    if len(left) != len(right):
        more, sign = (left, "lost") if len(left) > len(right) else (right, "new")
        return f"line {min(len(left), len(right)) + 1} is {sign}: {more[min(len(left), len(right))][:200]!r}"
    return "line ends differ"


def compare(plain, other, may_skip=False, stderr=True):
    """The differences between a plain run and one under the agent, as lines."""
    problems = []
    if other.status is None:
        problems.append(f"timed out after {other.seconds:.0f} s")
    elif plain.status != other.status:
        problems.append(f"exit status {plain.status} became {other.status}: {other.tail()}")
    if other.crash:
        problems.append(f"the VM crashed: {other.crash}")
    before, after = (UPTIME.sub("", o.stdout) for o in (plain, other))
    if before != after:
        problems.append("stdout: " + first_difference(before, after))
    if stderr:
        problems += compare_stderr(plain.stderr, other.stderr, may_skip)
    return problems


def compare_stderr(plain, other, may_skip):
    problems, lines = [], other.splitlines()
    position = 0
    for line in plain.splitlines():
        try:
            position = lines.index(line, position) + 1
        except ValueError:
            problems.append(f"stderr: lost {line[:200]!r}")
            break
    known = set(plain.splitlines())
    for line in lines:
        if line in known or ROW.match(line):
            continue
        if TROUBLE.search(line) or (OWN_TROUBLE.search(line) and not (may_skip and ": skipped: " in line)):
            problems.append(f"stderr: {line[:300]!r}")
    return problems[:3]
