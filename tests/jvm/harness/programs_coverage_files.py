"""The files of the pass coverage: several JVMs and one file, SIGQUIT, files that cannot be written; after an attach,
and beside an agent that retransforms classes."""

import os
import re
import signal
import subprocess
import time

from . import expect, vm
from .programs import Skip, program
from .programs_attach import Waiting, attached
from .programs_coverage import covered, execfile, load
from .programs_failures import as_seen


@program("coverage, several JVMs and one file", quick=False)
def several(r):
    """JVMs wait for each other: one session for each, and no class is lost; with %p each has its own file."""
    whole = load(covered(r, "alone", "nothing")[0])[1]
    for name, file, expected in (("one file", "all.exec", 1), ("a file each", "%p.exec", 6)):
        os.mkdir(r.file(name))
        path = r.file(name, file)
        agent = r.with_agent(f"coverage,coverage.file={path},quiet=yes")
        running = [subprocess.Popen([r.java, agent, "-cp", r.built.programs, "Covered", "nothing"], stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True) for _ in range(6)]
        problems = [f"{p.pid}: {p.returncode}, {out}" for p, out in ((p, p.communicate(timeout=120)[0]) for p in running)
                    if p.returncode or out]
        files = sorted(os.listdir(r.file(name)))
        found = [load(r.file(name, f)) for f in files]
        if len(files) != expected or sum(len(sessions) for sessions, _ in found) != 6:
            problems.append(f"{files}: {[sessions for sessions, _ in found]}")
        yield name, problems + [f"{classes}, not {whole}" for _, classes in found if classes != whole]


@program("coverage, written on SIGQUIT", quick=False)
def on_request(r):
    """The file is written while the program runs, and appended to at its end."""
    path = r.file("quit.exec")
    p = Waiting(r, r.with_agent(f"coverage,coverage.file={path},quiet=yes,control=off"))
    os.kill(p.pid, signal.SIGQUIT)
    for _ in range(300):
        if os.path.exists(path) and os.path.getsize(path) > 100:
            break
        time.sleep(0.1)
    early = load(path) if os.path.exists(path) else ([], {})
    p.process.stdin.write("\n")
    p.process.stdin.close()
    printed = p.process.stdout.read()  # the JVM's stacks are in it
    status = p.process.wait(timeout=60)
    late = load(path)
    problems = [] if status == 0 and "round 2084\nend\n" in printed else [f"{status}, {printed[-300:]}"]
    if len(early[0]) != 1 or len(late[0]) != 2:
        problems.append(f"sessions: {early[0]}, {late[0]}")
    if not 0 < early[1].get("Waiting", ("", ""))[1].count("1") < late[1]["Waiting"][1].count("1"):
        problems.append(f"{early[1]}, {late[1]}")
    yield "quit", problems


@program("coverage, files that cannot be written", quick=False)
def unwritable(r):
    """One line names the file and the reason, and one more at the start if it shows by then; the program is unaffected, and existing
    content stays."""
    os.mkdir(r.file("folder"))
    with open(r.file("text.exec"), "w", encoding="utf-8") as file:
        file.write("no exec file\n")
    plain = r.run("plain", [r.java, "-cp", r.built.programs, "Covered", "nothing"])
    for path, reason in ((r.file("folder"), "Is a directory"), ("/dev/full", "No space left on device"),
                         ("/proc/none/x.exec", "No such file or directory"), (r.file("text.exec", "x.exec"), "Not a directory"),
                         (r.file("text.exec"), "not JaCoCo execution data; nothing was appended")):
        done = r.run("run", [r.java, r.with_agent(f"coverage,coverage.file={path},quiet=yes"), "-cp", r.built.programs, "Covered",
                             "nothing"])
        lines = [line for line in done.stderr.splitlines() if line not in plain.stderr.splitlines()]
        early = reason in ("Is a directory", "Not a directory") or path.endswith("text.exec")  # shows when the program starts
        if early and lines and re.fullmatch(re.escape(f"instr: option 'coverage.file': {path}: ") + r"(byte \d+: )?" + re.escape(reason.split(";")[0])
                                            + "; the program runs, and the file is tried again at its end", lines[0]):
            del lines[0]
            early = False
        good = len(lines) == 1 and lines[0].startswith(f"instr: {path}: ") and lines[0].endswith(reason) and not early
        yield os.path.basename(path), ([] if good else [f"{lines}, not {path}: ... {reason}"]) + (
            [] if (done.status, done.stdout) == (plain.status, plain.stdout) else [done.tail()])
    with open(r.file("text.exec"), encoding="utf-8") as file:
        yield "what was there", [] if file.read() == "no exec file\n" else ["was changed"]
    done = r.run("default", ["sh", "-c", 'mkdir jacoco.exec && exec "$@"', "sh", r.java, r.with_agent("coverage,quiet=yes"), "-cp", r.built.programs,
                             "Covered", "nothing"])
    lines = [line for line in done.stderr.splitlines() if line not in plain.stderr.splitlines()]
    yield "the file that is not named", [] if lines == [
        "instr: option 'coverage.file': jacoco.exec: Is a directory; the program runs, and the file is tried again at its end",
        "instr: jacoco.exec: Is a directory"] else lines or ["nothing is said"]


@program("coverage, folders that are missing")
def missing_folders(r):
    """They are made, also for the files that tests and mappings have beside the first one."""
    whole = load(covered(r, "whole", "nothing")[0])[1]
    for name, options in (("alone", ""), ("per-test", ",coverage.per-test=Covered#test*"), ("mmap", ",coverage.mmap=yes"),
                          ("flush", ",coverage.mmap=flush")):
        path, done = covered(r, f"{name}/of/many", "nothing", options)
        found = load(path)[1] if os.path.exists(path) else {}
        yield name, [] if found == whole and done.status == 0 else [f"{sorted(found)}: {done.tail()}"]


@program("coverage after an attach", quick=False)
def after_attach(r):
    """Loaded classes have the same ids and numbers of probes as from the start, and bits from then on; they
    are as before after a detach."""
    first = r.file("first.exec")
    p = Waiting(r, r.with_agent(f"coverage,coverage.file={first},quiet=yes"))
    ended = p.end()
    key, whole = load(first)[1]["Waiting"]
    yield "from the start", ended
    path = r.file("attached.exec")
    p = Waiting(r)
    problems = [attached(p.instr("attach", "coverage", f"coverage.file={path}", "include=Waiting"), "active")]
    status = p.instr("status")
    if status.returncode or "coverage" not in status.stdout:
        problems.append(f"status: {status}")

    def dump():
        done = subprocess.run([r.cli, "coverage", "dump", str(p.pid)], capture_output=True, text=True, timeout=60)
        return load(path)[1].get("Waiting") if done.returncode == 0 else done
    before = dump()
    if before is not None:  # the program waits for input in main: nothing was covered since
        problems.append(f"covered before the first round: {before}")
    p.round()
    now = dump()
    if not isinstance(now, tuple) or now[0] != key or not 0 < now[1].count("1") < whole.count("1") or any(
            a > b for a, b in zip(now[1], whole)):
        problems.append(f"one round covers {now}; all that is covered from the start: {key} {whole}")
    gone = p.instr("detach")
    if gone.returncode:
        problems.append(f"detach: {gone}")
    p.round()
    p.process.stdin.close()
    rest, status = p.process.stdout.read(), p.process.wait(timeout=60)
    yield "attached", [x for x in problems if x] + ([] if (status, rest) == (0, "end\n") else [f"{status}, {rest}"])
    sessions, classes = load(path)
    yield "reported at the end", [] if len(sessions) >= 2 and classes["Waiting"] == now else [f"{sessions}, {classes}, {now}"]


@program("coverage.mmap, while the JVM runs", quick=False)
def other_mapping(r):
    """The place of the probes is fixed when the pass is first switched on; a request for another place is refused."""
    for first, second in (("no", "yes"), ("no", "flush"), ("yes", "no"), ("flush", "yes"), ("yes", "flush")):
        path = r.file(f"{first}-{second}.exec")
        p = Waiting(r)
        ask = ["coverage", f"coverage.file={path}", "include=Waiting"]
        problems = [attached(p.instr("attach", *ask, f"coverage.mmap={first}"), "active")]
        p.instr("disable", "coverage")
        other = p.instr("enable", *ask, f"coverage.mmap={second}")
        if other.returncode != 1 or "coverage.mmap: cannot change after the pass was first switched on in a JVM" not in other.stderr:
            problems.append(f"another: {other}")
        again = p.instr("enable", *ask, f"coverage.mmap={first}")
        problems.append("" if again.returncode == 0 else f"the same again: {again}")
        ended = p.end(problems)
        bits = load(path)[1].get("Waiting", ("", ""))[1] if os.path.exists(path) else ""
        maps = [f for f in os.listdir(r.folder) if f.endswith(".map")]
        yield f"{first}, {second}", ended + ([] if bits.count("1") > 2 and not maps else [f"covered: {bits}; left behind: {maps}"])


@program("coverage.mmap, after a detach", quick=False)
def detached(r):
    """The coverage is in the file, and the mapping is removed when the JVM ends."""
    for mode in ("yes", "flush"):
        path = r.file(mode + ".exec")
        p = Waiting(r)
        problems = [attached(p.instr("attach", "coverage", f"coverage.file={path}", f"coverage.mmap={mode}", "include=Waiting"),
                             "active")]
        p.round()
        gone = p.instr("detach")
        p.round()
        p.process.stdin.close()
        rest, status = p.process.stdout.read(), p.process.wait(timeout=60)
        ended = [x for x in problems if x] + ([] if (gone.returncode, status, rest) == (0, 0, "end\n") else [f"{gone}, {status}, {rest}"])
        bits = load(path)[1].get("Waiting", ("", ""))[1] if os.path.exists(path) else ""
        maps = [f for f in os.listdir(r.folder) if f.endswith(".map")]
        yield mode, ended + ([] if bits.count("1") > 2 and not maps else [f"covered: {bits}; left behind: {maps}"])


@program("coverage of retransformed classes", quick=False, jdk=11)
def again(r):
    """Classes that an agent retransforms and redefines keep their probes, and code covered afterwards counts."""
    launch = ["-cp", r.built.programs, "Again"]
    plain = r.run("plain", [r.java, *launch])
    for order in ("first", "last"):
        path = r.file(order + ".exec")
        agents = [r.with_agent(f"coverage,coverage.file={path},include=Again*"),
                  f"-javaagent:{r.reference_jar}={r.file('reference.json')}"]
        done = r.run(order, [r.java, *r.verify, *(agents if order == "first" else agents[::-1]), *launch])
        problems = vm.compare(plain, done)
        with open(path, "rb") as file:
            names = [name for name, _ in execfile.parse(file.read())[1].values()]
        # When Part is redefined with its file, it may not have the other agent's change.
        if sorted(set(names)) != ["Again", "Again$Part"] or names.count("Again") != 1 or names.count("Again$Part") > 2:
            problems.append(f"classes {names}")
        bits = load(path)[1]["Again"][1]
        if bits.count("1") < len(bits) / 2:
            problems.append(f"Again: {bits}")
        yield order, problems


def full_disk(r, name, options, *words, below=()):
    """Runs FullDisk, with its files in a folder whose disk is full for a while; returns the folder as well."""
    folder = r.file(name)
    os.makedirs(folder, exist_ok=True)
    env = {} if below else {"LD_PRELOAD": os.path.join(os.path.dirname(os.path.dirname(r.agent)), "tests", "libfull_disk.so"),
                            "FULL_DISK": folder}
    agent = r.with_agent(f"coverage,coverage.file={folder}/o.exec,include=FullDisk$Copy,quiet=yes{options}")
    return folder, r.run(name + " run", [*below, r.java, "-XX:+UseSerialGC", agent, "-cp", r.built.programs, "FullDisk", folder, *words], env=env)


def copies(path):
    """How many classes FullDisk$Copy a file has."""
    with open(path, "rb") as file:
        return sum(name == "FullDisk$Copy" for name, _ in execfile.parse(file.read())[1].values())


@program("coverage.mmap, a disk that is full for a while")
def full_for_a_while(r):
    """Classes that find no room have no probes; as soon as there is room again, others do."""
    for mode in ("yes", "flush"):
        folder, done = full_disk(r, mode, f",coverage.mmap={mode}", "2000", "400")
        found = copies(folder + "/o.exec") if done.status == 0 else 0
        # An array has probes for 512 of these classes.
        yield mode, [] if (done.status, done.stdout, found) == (0, "full\nend\n", 912) else [f"{found} classes: {done.tail()}"]


@program("coverage.mmap, killed after the disk was full")
def killed_after_full(r):
    """Classes that were loaded meanwhile are recovered: they are written with the next class, or with the next flush."""
    for mode, more in (("yes", 1), ("flush", 0)):
        folder, done = full_disk(r, mode, f",coverage.mmap={mode}", "100", str(more), "kill")
        maps = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".map")]
        reported = r.run("recover", [r.cli, "coverage", "recover", *maps])
        found = copies(folder + "/o.exec") if reported.status == 0 else 0
        yield mode, [] if (done.status, found) == (-9, 101 + more) else [f"{found} classes: {done.tail()} {reported.tail()}"]


@program("coverage.mmap, a file system that is full for a while")
def full_tmpfs(r):
    """The same where reading a hole of a file takes space: the JVM does not end with SIGBUS."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        raise Skip("needs the right to mount file systems (root)")
    folder = r.file("small")
    os.makedirs(folder)
    seen = as_seen(r, folder)
    keep = f'mount -t tmpfs -o size=400k none {seen} && "$@"; status=$?; cp {seen}/o.exec {as_seen(r, r.folder)}; exit $status'
    for mode in ("yes", "flush"):
        _, done = full_disk(r, "small", f",coverage.mmap={mode}", "700", "400", below=["unshare", "-m", "sh", "-c", keep, "sh"])
        found = copies(r.file("o.exec")) if done.status == 0 else 0
        yield mode, [] if (done.status, done.stdout, found) == (0, "full\nend\n", 912) else [f"{found} classes: {done.tail()}"]


@program("a results file that is mounted by itself")
def mounted_file(r):
    """It cannot be replaced, as a file of a container's host cannot: it is overwritten."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        raise Skip("needs the right to mount file systems (root)")
    path = r.file("mounted")
    with open(path, "wb"):
        seen = as_seen(r, path)
    below = ["unshare", "-m", "sh", "-c", f'mount --bind {seen} {seen} && exec "$@"', "sh"]
    for name, options, start in (("coverage", "coverage,coverage.append=no,coverage.file=", b"\1\xc0\xc0"), ("calls", "calls,calls.file=", b"{\n")):
        with open(path, "wb") as file:
            file.write(b"old" * 10000)
        done = r.run(name, [*below, r.java, r.with_agent(f"{options}{path},include=Covered,quiet=yes"), "-cp", r.built.programs, "Covered", "nothing"])
        with open(path, "rb") as file:
            content = file.read()
        yield name, [] if done.status == 0 and content.startswith(start) and b"oldold" not in content else [f"{content[:20]}: {done.tail()}"]
    small = r.file("small")
    os.makedirs(small, exist_ok=True)
    below[4] = f'mount -t tmpfs -o size=4k small {as_seen(r, small)} && : > {as_seen(r, small)}/f && mount --bind {as_seen(r, small)}/f {seen} && exec "$@"'
    done = r.run("full", [*below, r.java, r.with_agent(f"calls,calls.file={path},include=java.util.**,quiet=yes"), "-cp", r.built.programs, "Covered", "nothing"])
    named = re.search(r"mounted: No space left on device; all of it is in (\S+\.tmp)$", done.stderr, re.M)
    rows = expect.load(named.group(1))["methods"] if named else []
    yield "full", [] if done.status == 0 and len(rows) > 20 else [f"{len(rows)} rows: {done.tail()}"]


@program("coverage.mmap=flush, the clock is set back")
def clock_set_back(r):
    """The thread goes on copying: a JVM that is killed loses the last moment, not an hour."""
    path = r.file("o.exec")
    env = {"LD_PRELOAD": os.path.join(os.path.dirname(os.path.dirname(r.agent)), "tests", "liblate_clock.so")}
    done = r.run("killed", [r.java, r.with_agent(f"coverage,coverage.file={path},coverage.mmap=flush,quiet=yes"), "-cp", r.built.programs,
                            "Covered", "kill late"], env=env)
    maps = [r.file(name) for name in os.listdir(r.folder) if name.endswith(".map")]
    reported = r.run("recover", [r.cli, "coverage", "recover", *maps])
    found = load(path)[1] if reported.status == 0 else {}
    yield "killed", [] if done.status == -9 and found.get("Covered", ("", ""))[1].count("1") > 2 else [f"{found}: {done.tail()} {reported.tail()}"]


def per_test(r, path):
    """The command of Sessions, whose tests go to FILE-tests.exec."""
    agent = r.with_agent(f"coverage,coverage.file={path},include=FullDisk$Copy:Sessions,coverage.per-test=Sessions#test,coverage.session=all,quiet=yes")
    return [r.java, "-XX:+UseSerialGC", agent, "-cp", r.built.programs, "Sessions"]


def sessions_of(path):
    with open(path, "rb") as file:
        return [session[0] for session in execfile.parse(file.read())[0]]


@program("coverage of each test, several JVMs and one file")
def tests_of_several(r):
    """Sessions are not mixed."""
    path = r.file("all.exec")
    running = [subprocess.Popen([*per_test(r, path), "1000", "100"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
               for _ in range(4)]
    problems = [f"{p.returncode}, {out}" for p, out in ((p, p.communicate(timeout=120)[0]) for p in running) if p.returncode or out]
    listed = r.run("list", [r.cli, "coverage", "tests", r.file("all-tests.exec")])
    if listed.status:
        problems.append(listed.tail())
    found = sessions_of(r.file("all-tests.exec")) if not problems else []
    yield "one file", problems or ([] if (found.count("Sessions.test"), found.count("all")) == (400, 4) else [f"{len(found)} sessions"])


@program("coverage of each test, after a writer was killed")
def tests_after_a_kill(r):
    """A block that is not complete is removed before more is appended."""
    path, tests = r.file("o.exec"), r.file("o-tests.exec")
    r.run("first", [*per_test(r, path), "10", "2"])
    os.truncate(tests, os.path.getsize(tests) - 1)
    done = r.run("second", [*per_test(r, path), "10", "2"])
    found = sessions_of(tests)
    yield "torn", [] if found == ["Sessions.test", "Sessions.test", "all"] * 2 else [f"{found}: {done.tail()}"]


@program("coverage of each test, a disk that is full for a while")
def tests_without_room(r):
    """Sessions before and afterwards can be read, and one line names the file."""
    folder, done = full_disk(r, "full", ",coverage.per-test=FullDisk$Copy#run", "10", "5")
    found = sessions_of(folder + "/o-tests.exec")
    lines = [line for line in done.stderr.splitlines() if line.startswith("instr: ")]
    said = f"instr: {folder}/o-tests.exec: No space left on device (what tests covered)"
    yield "full", [] if found.count("FullDisk$Copy.run") == 6 and lines == [said] else [f"{found}: {done.tail()}"]


@program("coverage of each test, the JVM ends in a test")
def tests_at_the_end(r):
    """A test that calls System.exit has a session, too."""
    path = r.file("o.exec")
    done = r.run("run", [*per_test(r, path), "10", "1", "exit"])
    tests = r.file("o-tests.exec")
    found, count = sessions_of(tests), copies(tests)
    yield "exit", [] if (done.status, found, count) == (0, ["Sessions.test", "all"], 10) else [f"{found}, {count} classes: {done.tail()}"]


@program("coverage of each test, switched off")
def tests_switched_off(r):
    """Coverage that is switched on again without tests writes nothing to their file."""
    path = r.file("o.exec")
    p = Waiting(r)
    ask = ["coverage", f"coverage.file={path}", "include=Waiting"]
    problems = [attached(p.instr("attach", *ask, "coverage.per-test=Waiting#round"), "active")]
    p.round()
    for words in (["disable", "coverage"], ["enable", *ask]):
        done = p.instr(*words)
        problems.append("" if done.returncode == 0 else f"{words}: {done}")
    found = sessions_of(r.file("o-tests.exec"))
    p.round()
    p.process.stdin.close()
    rest, status = p.process.stdout.read(), p.process.wait(timeout=60)
    problems.append("" if (status, rest) == (0, "end\n") else f"{status}, {rest}")
    late = sessions_of(r.file("o-tests.exec"))
    if found.count("Waiting.round") != 1 or late != found:
        problems.append(f"{found} became {late}")
    yield "off", [x for x in problems if x]


@program("coverage.mmap, a file of the same process id")
def same_process_id(r):
    """A JVM leaves the file of another one alone, as in containers, where the process id is often the same."""
    for mode in ("yes", "flush"):
        path = r.file(mode + ".exec")
        # The JVM has the id of the shell.
        command = ["sh", "-c", f'echo another >{path}.$$.map && exec "$@"', "sh", r.java,
                   r.with_agent(f"coverage,coverage.file={path},coverage.mmap={mode}"), "-cp", r.built.programs, "Covered"]
        done = r.run("ends", [*command, "nothing"])
        maps = [name for name in os.listdir(r.folder) if name.startswith(mode) and name.endswith(".map")]
        problems = [] if done.status == 0 and len(maps) == 1 else [f"ends: {maps}, {done.tail()}"]
        whole = load(path)[1]["Covered"][0]
        os.remove(path)
        done = r.run("killed", [*command, "kill late"])
        second = [name for name in os.listdir(r.folder) if name.endswith("-2.map")]
        reported = r.run("recover", [r.cli, "coverage", "recover", *(r.file(name) for name in second)])
        if done.status != -9 or len(second) != 1 or reported.status or load(path)[1]["Covered"][0] != whole:
            problems.append(f"killed: {done.status}, {second}, {reported.tail()}")
        for name in [name for name in os.listdir(r.folder) if name.endswith(".map")]:
            with open(r.file(name), "rb") as file:
                if not name.endswith("-2.map") and file.read(10) != b"another\n":
                    problems.append(f"{name} was changed")
            os.remove(r.file(name))
        yield mode, problems
