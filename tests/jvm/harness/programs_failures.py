"""Failures around the agent: memory, disk, folders. The program continues all the same."""

import itertools
import json
import os
import re
import shutil
import subprocess
import time

from . import expect, vm
from .programs import Skip, program
from .programs_attach import Waiting


def files_of(r):
    """The options that name result files."""
    return ["stats"] + [f"{p}.file" for p in r.every_pass.split(",")]


def own_lines(result):
    return [s for s in result.stderr.splitlines() if s.startswith("instr: ")]


def went_on(plain, other):
    """The program ran as it does plain; or the VM did not start, and one line says that memory ran out."""
    refused = other.status == 1 and "rror occurred during initialization of VM" in other.stdout + other.stderr
    if refused and not other.crash and any("out of memory" in s for s in own_lines(other)):
        return []
    return vm.compare(plain, other, stderr=False)


@program("the JVM ends at the end of a detach")
def end_of_detach(r):
    """The agent has given everything back, and then the JVM tells it that it ends."""
    library = os.path.join(os.path.dirname(os.path.dirname(r.agent)), "tests", "libslow_trim.so")
    if not os.path.exists(library):
        raise Skip("libslow_trim.so is not built")
    mark = r.file("mark")
    p = Waiting(r, f"-agentpath:{r.agent}", env={"LD_PRELOAD": library, "SLOW_TRIM": mark})
    p.round()
    p.round()
    for _ in range(200):
        if p.instr("status").returncode == 0:
            break
    with subprocess.Popen([r.cli, "detach", str(p.pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        for _ in range(400):
            if os.path.exists(mark):
                break
            time.sleep(0.02)
        p.process.stdin.close()
        status = p.process.wait(60)
    yield "end", ([] if os.path.exists(mark) else ["no detach"]) + ([f"status {status}"] if status else [])


@program("out of memory in the agent")
def no_memory(r):
    """The agent's n-th allocation fails, or all from the n-th on: for any n the program does the same."""
    library = os.path.join(os.path.dirname(os.path.dirname(r.agent)), "tests", "libfailing_malloc.so")
    if not os.path.exists(library):
        raise Skip("libfailing_malloc.so is not built")
    case, _ = r.expectations("Exceptions")
    launch = r.built.launch(case)
    counter = r.file("count")
    plain = r.run("plain", [r.java] + launch)
    for passes, files in (("calls,timing", ["stats", "timing.file"]), (r.every_pass, files_of(r)))[:1 if r.quick else 2]:
        options = ",".join([passes, "verbose=yes", *(f"{f}={r.file(f)}" for f in files)])

        def go(n, once):
            env = {"LD_PRELOAD": library, "FAIL_COUNT": counter}
            env.update({} if n is None else {"FAIL_AT": str(n)})
            env.update({"FAIL_ONCE": "1"} if once else {})
            return r.run("run", [r.java, r.with_agent(options)] + launch, env=env)

        whole = go(None, False)
        with open(counter, encoding="ascii") as f:
            count = int(f.read())
        yield passes, vm.compare(plain, whole, stderr=False) + ([] if count > 15 else [f"only {count} allocations"])
        yield from failing_at(r, plain, go, count)


def failing_at(r, plain, go, count):
    # Every n at first, during the set-up; later some values only.
    numbers = list(range(0, min(count, 12 if r.quick else 60)))
    numbers += list(range(numbers[-1] + 1, count, max(1, count // (8 if r.quick else 40))))
    for once in (True, False):
        problems, reported = [], 0
        for n in numbers:
            other = go(n, once)
            problems += [f"allocation {n}: {p}" for p in went_on(plain, other)]
            reported += any("memory" in s for s in own_lines(other))
        if reported < len(numbers) // 2:
            problems.append(f"only {reported} of {len(numbers)} runs say that there was no memory")
        yield "one fails" if once else "all fail from there on", problems


@program("a class that memory ran out for")
def unchanged(r):
    """One of the agent's allocations fails, whichever: the program's only class is changed, or skipped with its name and the reason."""
    library = os.path.join(os.path.dirname(os.path.dirname(r.agent)), "tests", "libfailing_malloc.so")
    if not os.path.exists(library):
        raise Skip("libfailing_malloc.so is not built")
    report, counter, problems, skipped = r.file("stats"), r.file("count"), [], 0

    def stats(env):
        if os.path.exists(report):
            os.unlink(report)
        r.run("run", [r.java, r.with_agent(f"calls,include=Hello,control=off,stats={report}")] + r.hello(),
              env={"LD_PRELOAD": library, "FAIL_COUNT": counter, **env})
        return expect.load(report) if os.path.exists(report) else None

    stats({})
    with open(counter, encoding="ascii") as f:
        count = int(f.read())
    for n in range(count):
        found = stats({"FAIL_AT": str(n), "FAIL_ONCE": "1"})
        if not found or found["classes_changed"]:  # the agent did not start, the file could not be written, or all is well
            continue
        skipped += 1
        named = [s for s in found["skipped"] if s["class"] == "Hello" and "memory" in s["reason"]]
        if found["classes_skipped"] != 1 or not named:
            problems.append(f"allocation {n}: {found['classes_skipped']} skipped, {found['skipped']}")
    yield f"{count} allocations", problems + ([] if skipped > 3 else [f"the class was skipped {skipped} times"])


@program("little address space")
def address_space(r):
    """With a limit of address space counts are the same, though no thread owns counters; so is what the program does."""
    small = ["-Xmx64m", "-XX:+UseSerialGC", "-XX:CompressedClassSpaceSize=32m", "-XX:ReservedCodeCacheSize=32m"]
    launch = [r.java, *small, "-cp", r.built.programs]
    for chosen in ("calls", "timing", "calls,timing"):
        reports, runs = [], []
        for limit in ("unlimited", "1200000"):
            reports.append(r.file(f"{chosen.replace(',', '+')}-{limit}.json"))
            agent = r.with_agent(f"{chosen},include=Warm*,{chosen.split(',')[-1]}.file={reports[-1]}")
            runs.append(r.run(limit, ["sh", "-c", f'ulimit -v {limit} && exec "$@"', "sh", *launch, agent, "Warm"]))
        counts = [{m["class"] + m["method"] + m["descriptor"]: (m["calls"], m["thrown"]) for m in expect.load(report)["methods"]}
                  for report in reports]
        different = [f"{name}: {calls}, with a limit {counts[1].get(name)}"
                     for name, calls in counts[0].items() if counts[1].get(name) != calls]
        yield chosen, (vm.compare(*runs, stderr=False) + different)[:3] + ([] if len(counts[0]) > 20 else ["nothing was counted"])


@program("address space stays that")
def locked(r):
    """What is reserved for counters is not writable before it is used: a program that locks its memory would get all of it."""
    def writable(name, *options):
        p = Waiting(r, "-Xmx64m", "-XX:+UseSerialGC", *options)
        with open(f"/proc/{p.pid}/status", encoding="ascii") as f:
            size = int(re.search(r"^VmData:\s+(\d+) kB", f.read(), re.M)[1]) / 1024
        return size, [f"{name}: {problem}" for problem in p.end()]

    plain, problems = writable("plain")
    for passes in ("calls", "timing", "calls,timing"):
        size, more = writable(passes, r.with_agent(f"{passes},include=Waiting,control=off,quiet=yes"))
        problems += more + ([f"{passes}: {size - plain:.0f} MB more than plain are writable"] if size - plain > 64 else [])
    yield "writable", problems


@program("no folder to write to")
def read_only(r):
    """The library in a read-only folder, no /tmp, a full file system."""
    plain = r.run("plain", [r.java] + r.hello())
    folder = r.file("readonly")
    os.makedirs(folder)
    copy = os.path.join(folder, "libinstr.so")
    shutil.copy(r.agent, copy)
    jar = os.path.join(os.path.dirname(r.agent), "instr-runtime.jar")
    if os.path.exists(jar):
        shutil.copy(jar, folder)
    os.chmod(copy, 0o444)
    os.chmod(folder, 0o555)
    try:
        for runtime in ("direct", "path"):
            every = f"{r.every_pass},coverage.file={r.file('jacoco.exec')}"
            other = r.run("run", [r.java, f"-agentpath:{copy}={every},runtime={runtime}"] + r.hello())
            yield f"read-only library folder, runtime={runtime}", vm.compare(plain, other, stderr=False)
    finally:
        os.chmod(folder, 0o755)
    other = r.run("run", [r.java, "-Djava.io.tmpdir=/nonexistent", r.with_agent("calls,timing,runtime=path")] + r.hello(),
                  env={"TMPDIR": "/nonexistent"})
    lines = [s for s in own_lines(other) if "/nonexistent/" in s]
    yield "TMPDIR does not exist", vm.compare(plain, other, stderr=False) + ([] if len(lines) == 1 else [f"not one line: {lines}"])


def as_seen(r, path):
    """The place to mount a file system so that the JVM has it at `path`, which exists: a JDK of tests/jdks runs in a
    root of its own, where the folders of this machine are mounted again, but later mounts are not."""
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    inside = os.path.join(r.java.split("/jdk-")[0], "root") + path
    return inside if os.path.exists(inside) and os.path.samefile(inside, path) else path


@program("file systems that fail")
def file_systems(r):
    """A full, a read-only and a missing /tmp, in a mount namespace of its own."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        raise Skip("needs the right to mount file systems (root)")
    copy = r.file("libinstr.so")
    if any(p.startswith("/tmp/") for p in (copy, r.java, r.built.programs)):
        raise Skip("what is tested lies below /tmp itself")
    shutil.copy(r.agent, copy)
    small = r.file("small")
    os.makedirs(small)
    seen = as_seen(r, small)
    mounts = {
        "full file system": f"mount -t tmpfs -o size=64k none {seen} && head -c 60000 /dev/zero >{seen}/filler; ",
        "read-only file system": f"mount -t tmpfs -o ro none {seen} && ",
    }
    modes = ["", "coverage.mmap=yes", "coverage.mmap=flush"] + ["alloc.mode=sampled"] * (r.jdk.version >= 11)  # not in older JDKs
    plain = r.run("plain", [r.java] + r.hello())
    for (name, mount), more in itertools.product(mounts.items(), modes):
        files = files_of(r) + ["alloc.stacks", "alloc.html"] * (more == "alloc.mode=sampled")
        options = ",".join([r.every_pass, "include=java.util.**", "coverage.counts=yes", *(f"{f}={small}/{f}" for f in files)]
                           + [more] * (more != ""))
        # A line for each file of coverage.mmap that is still there.
        command = mount + f'"$@"; status=$?; for f in {seen}/*.map; do test -e "$f" && echo "instr: left behind: $f" >&2; done; exit $status'
        other = r.run("run", ["unshare", "-m", "sh", "-c", command, "sh", r.java, r.with_agent(options)] + r.hello())
        problems = vm.compare(plain, other, stderr=False)
        lines = [s for s in own_lines(other) if small in s]
        problems += [s for s in lines if "left behind" in s]
        # What coverage.mmap lacks costs coverage alone.
        alone = more.startswith("coverage.mmap") and any("instr: coverage is not switched on: " in s for s in own_lines(other))
        if more.startswith("coverage.mmap") and not alone:
            problems.append(f"no line says that coverage is off: {own_lines(other)}")
        unnamed = [f for f in files if not (alone and f == "coverage.file") and not any(f"{small}/{f}" in s for s in lines)]
        if name.startswith("read-only") and unnamed:
            problems.append(f"no line names {unnamed}: {other.stderr[-300:]!r}")
        if not lines or len(lines) > len(files) + 1:  # and the counts of coverage
            problems.append(f"{len(lines)} lines for {len(files)} files: {lines}")
        yield f"{name}{', ' if more else ''}{more}", problems
    without = ["unshare", "-m", "sh", "-c", f'mount -t tmpfs -o ro,mode=0 none {as_seen(r, "/tmp")} && exec "$@"', "sh", r.java]
    plain = r.run("plain", without + r.hello())  # newer VMs print something themselves
    other = r.run("run", without + [f"-agentpath:{copy}=calls,timing,runtime=path"] + r.hello())
    yield "no /tmp", vm.compare(plain, other, stderr=False)


@program("code that would not verify")
def unverifiable(r):
    """A class that lacks stack stays refused: no pass may bring what it lacks. verify-dump= has what the pass made of it, and a line names the file."""
    folder, dumps = r.file("limited"), r.file("dumps")
    with open(os.path.join(r.built.programs, "Unverifiable$Limited.class"), "rb") as f:
        code = f.read()
    body = bytes.fromhex("0002 0001 00000004 1a0460ac")  # max_stack, max_locals, length; return i + 1
    assert code.count(body) == 1
    os.makedirs(folder)
    with open(os.path.join(folder, "Unverifiable$Limited.class"), "wb") as f:
        f.write(code.replace(body, b"\0\1" + body[2:]))

    def run(name, *options):
        return r.run(name, [r.java, *options, "-cp", folder + os.pathsep + r.built.programs, "Unverifiable"])

    plain = run("plain")
    result = run("dump", r.with_agent(f"calls,include=Unverifiable**,verify-dump={dumps}"))
    yield "the program", vm.compare(plain, result, stderr=False) + ([] if plain.stdout == "refused\n" else [plain.stdout])
    file = os.path.join(dumps, "Unverifiable$Limited.class")
    lines = [line for line in own_lines(result) if "Unverifiable$Limited" in line]
    yield "lines", [] if lines == [f"instr: Unverifiable$Limited: would not verify: written to {file}",
                                   "instr: Unverifiable$Limited.next(I)I: skipped: would not verify: operand stack passes max_stack 1 (at pc 5)"] else lines
    shown = subprocess.run([r.cli, "show", file], capture_output=True, text=True, check=False).stdout
    yield "the file", [] if shown.count("java/lang/InstrCalls.enter") >= 2 else [shown]


@program("the process ends without the JVM's shutdown")
def without_shutdown(r):
    """By exit() in C the results are written where a thread can enter the JVM for it. Otherwise a line says that they are not."""
    library = os.path.join(os.path.dirname(os.path.dirname(r.agent)), "tests", "libnative_exit.so")
    if not os.path.exists(library):
        raise Skip("libnative_exit.so is not built")
    for how, java in (("own", []), ("jvm", []), ("full", ["-Xmx24m", "-XX:+UseG1GC"])):
        launch = [*java, "-cp", r.built.programs, "NativeExit", how, library]
        plain = r.run(f"plain, {how}", [r.java, *launch])
        file, cover = r.file(f"{how}.json"), r.file(f"{how}.exec")
        options = f"calls,calls.file={file},coverage,coverage.file={cover},coverage.mmap=yes,include=NativeExit"
        result = r.run(how, [r.java, r.with_agent(options), *launch])
        yield f"{how}: the program", vm.compare(plain, result, stderr=False)
        lines = [line for line in own_lines(result) if "results are not written" in line]
        if not os.path.exists(file) or how == "jvm":
            yield f"{how}: a line", [] if how != "own" and len(lines) == 1 else [result.tail()]
            continue
        with open(file, encoding="utf-8") as text:
            yield f"{how}: the results", [] if '"method": "work", "descriptor": "(I)I", "calls": 25,' in text.read() else [file]
        maps = [name for name in os.listdir(r.folder) if name.startswith(f"{how}.exec.")]
        yield f"{how}: coverage", [] if os.path.exists(cover) and not maps else [f"{maps}"]


@program("a locale with a decimal comma")
def decimal_comma(r):
    """The JVM takes the locale of its environment: rules have the fractions that were written, and JSON and tables decimal points."""
    places = r.file("locales")
    os.makedirs(places)
    if not shutil.which("localedef"):
        raise Skip("no localedef")
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(places, "de_DE.UTF-8")],
                          capture_output=True, text=True, check=False)
    if made.returncode > 1:
        raise Skip("localedef makes no locale")
    p = Waiting(r, env={"LC_ALL": "de_DE.UTF-8", "LOCPATH": places})
    problems = []
    done = p.instr("rule", "Waiting.work(int i) exit /i * 1.5 > 7.5/ { @n = count(); @s = sum(i * 0.25) }", "--name", "r")
    problems += [done.stderr] if done.returncode else []
    p.round()
    tables = p.instr("rules", "--json").stdout
    try:
        found = {t["table"]: t["value"] for t in json.loads(tables)["tables"]}
    except (ValueError, KeyError, TypeError) as e:
        found = f"{e}: {tables}"
    yield "JSON", problems + ([] if found == {"n": 4, "s": 7.5} else [f"{found}"])
    shown = p.instr("rules").stdout
    yield "table", [] if "7.5" in shown else [shown]
    p.process.stdin.close()
    yield "the program", [] if p.process.wait(60) == 0 else ["it failed"]
