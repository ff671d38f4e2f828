"""What can fail around the agent: its memory, the disk, the folders; and the program that goes on all the same."""

import os
import shutil
import subprocess

from . import vm
from .programs import Skip, program


def own_lines(result):
    return [s for s in result.stderr.splitlines() if s.startswith("instr: ")]


def went_on(plain, other):
    """The program ran as it does plain; or the VM did not start, and one line says that there was no memory."""
    refused = other.status == 1 and "rror occurred during initialization of VM" in other.stdout + other.stderr
    if refused and not other.crash and any("out of memory" in s for s in own_lines(other)):
        return []
    return vm.compare(plain, other, stderr=False)


@program("out of memory in the agent")
def no_memory(r):
    """The agent's n-th allocation fails, or all from the n-th on: the program does the same, whatever n is."""
    library = os.path.join(os.path.dirname(os.path.dirname(r.agent)), "tests", "libfailing_malloc.so")
    if not os.path.exists(library):
        raise Skip("libfailing_malloc.so is not built")
    case, _ = r.expectations("Exceptions")
    launch = r.built.launch(case)
    report = r.file("report.json")
    agent = r.with_agent(f"calls,timing,verbose=yes,timing.file={report},stats={r.file('stats.json')}")
    counter = r.file("count")
    plain = r.run("plain", [r.java] + launch)

    def go(n, once):
        env = {"LD_PRELOAD": library, "FAIL_COUNT": counter}
        env.update({} if n is None else {"FAIL_AT": str(n)})
        env.update({"FAIL_ONCE": "1"} if once else {})
        return r.run("run", [r.java, agent] + launch, env=env)

    whole = go(None, False)
    with open(counter, encoding="ascii") as f:
        count = int(f.read())
    yield "counted", vm.compare(plain, whole) + ([] if count > 15 else [f"only {count} allocations"])
    # All of the first, where most is set up; then some of the rest.
    numbers = list(range(0, min(count, 12 if r.quick else 60)))
    numbers += list(range(numbers[-1] + 1, count, max(1, count // (8 if r.quick else 40))))
    for once in (True, False):
        problems, told = [], 0
        for n in numbers:
            other = go(n, once)
            problems += [f"allocation {n}: {p}" for p in went_on(plain, other)]
            told += any("memory" in s for s in own_lines(other))
        if told < len(numbers) // 2:
            problems.append(f"only {told} of {len(numbers)} runs say that there was no memory")
        yield "one fails" if once else "all fail from there on", problems


@program("no folder to write to")
def read_only(r):
    """The library in a folder that cannot be written to, no /tmp, a full file system."""
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
            other = r.run("run", [r.java, f"-agentpath:{copy}=calls,timing,runtime={runtime}"] + r.hello())
            yield f"read-only library folder, runtime={runtime}", vm.compare(plain, other, stderr=False)
    finally:
        os.chmod(folder, 0o755)
    other = r.run("run", [r.java, "-Djava.io.tmpdir=/nonexistent", r.with_agent("calls,timing,runtime=path")] + r.hello(),
                  env={"TMPDIR": "/nonexistent"})
    lines = [s for s in own_lines(other) if "/nonexistent/" in s]
    yield "TMPDIR does not exist", vm.compare(plain, other, stderr=False) + ([] if len(lines) == 1 else [f"not one line: {lines}"])


@program("file systems that fail")
def file_systems(r):
    """Full, read-only, and no /tmp: in a mount namespace of its own."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        raise Skip("needs the right to mount file systems (root)")
    copy = r.file("libinstr.so")
    if any(p.startswith("/tmp/") for p in (copy, r.java, r.built.programs)):
        raise Skip("what is tested lies below /tmp itself")
    shutil.copy(r.agent, copy)
    small = r.file("small")
    os.makedirs(small)
    mounts = {
        "full file system": (f"mount -t tmpfs -o size=64k none {small} && head -c 60000 /dev/zero >{small}/filler; ", small),
        "read-only file system": (f"mount -t tmpfs -o ro none {small} && ", small),
    }
    plain = r.run("plain", [r.java] + r.hello())
    for name, (mount, folder) in mounts.items():
        options = f"calls,timing,timing.file={folder}/t.json,calls.file={folder}/c.json,stats={folder}/s.json,include=java.util.**"
        command = mount + 'exec "$@"'
        other = r.run("run", ["unshare", "-m", "sh", "-c", command, "sh", r.java, r.with_agent(options)] + r.hello())
        problems = vm.compare(plain, other, stderr=False)
        lines = [s for s in own_lines(other) if folder in s]
        if not lines:
            problems.append(f"no line names the file: {other.stderr[-300:]!r}")
        if len(lines) > 3:
            problems.append(f"{len(lines)} lines for three files")
        yield name, problems
    other = r.run("run", ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o ro,mode=0 none /tmp && exec "$@"', "sh", r.java,
                          f"-agentpath:{copy}=calls,timing,runtime=path"] + r.hello())
    yield "no /tmp", vm.compare(plain, other, stderr=False)
