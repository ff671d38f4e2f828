"""The VM around the agent: shared classes, other agents, late attach, instr run."""

import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import time

from . import expect, jdks, vm
from .programs import Skip, check, program
from .programs_attach import Waiting

NOTHING = "timing,include=no.such.package.**"


def shared_classes(log):
    with open(log, encoding="utf-8") as f:
        return sum("source: shared objects file" in line for line in f)


@program("shared classes", jdk=11)
def cds(r):
    """The VM's own archive stays in use: the same number of shared classes with an agent that matches nothing."""
    counts = {}
    for name, agent in {"plain": [], "dormant": [f"-agentpath:{r.agent}"], "nothing": [r.with_agent(NOTHING)],
                        "timing": [r.with_agent("timing")]}.items():
        log = r.file(name + ".log")
        r.run(name, [r.java, f"-Xlog:class+load:file={log}"] + agent + r.hello())
        counts[name] = shared_classes(log)
    if counts["plain"] < 100:
        raise Skip(f"{r.jdk} has no archive of shared classes")
    for name in ("dormant", "nothing", "timing"):
        yield name, [] if counts[name] >= counts["plain"] else [f"shared classes: {counts}"]


@program("the first class")
def first_class(r):
    """The class file hook waits until the program begins, wherever its first class comes from: nothing of it is lost."""
    case, expectations = r.expectations("Constructors")
    classes, main = os.pathsep.join((r.built.classes(17 if r.jdk.version >= 17 else 8), r.built.support)), "cases.Constructors"
    jar = r.file("program.jar")
    subprocess.run([r.jdk.tool("jar"), "cf", jar, "-C", classes.split(os.pathsep)[0], "cases", "-C", r.built.support, "support"], check=True,
                   capture_output=True)
    launches = {"class path": ["-cp", classes, main], "jar": ["-cp", jar, main],
                "boot class path": [f"-Xbootclasspath/a:{jar}", "-cp", r.file("none"), main]}
    if r.jdk.version >= 11:  # the release that the other agent is compiled for
        launches["agent before"] = [f"-javaagent:{r.reference_jar}={r.file('reference.json')}", "-cp", jar, main]
    if r.jdk.version >= 17:
        archive = r.file("program.jsa")
        made = r.run("archive", [r.java, f"-XX:ArchiveClassesAtExit={archive}", "-cp", jar, main], timeout=300)
        if made.status == 0 and os.path.exists(archive):
            launches["archive"] = [f"-XX:SharedArchiveFile={archive}", "-cp", jar, main]
    plain = r.run("plain", [r.java, "-cp", jar, main])
    for name, launch in launches.items():
        report, log = (r.file(f"{name.replace(' ', '-')}.{kind}") for kind in ("json", "log"))
        loaded = [f"-Xlog:class+load:file={log}"] if r.jdk.version >= 11 else []
        agent = r.with_agent(f"calls,include=cases.**:support.**,calls.file={report}")
        run = r.run(name.replace(" ", "-"), [r.java, *loaded, *((launch[0], agent) if name == "agent before" else (agent, launch[0])), *launch[1:]])
        problems = check(report, expectations, case)
        if name != "agent before":  # it writes a line of its own
            problems += vm.compare(plain, run)
        if name == "jar" and loaded:
            seen = int(re.search(r"([\d,]+) class(?:es)? seen", run.tail()).group(1).replace(",", ""))
            with open(log, encoding="utf-8") as lines:
                after = "".join(lines).partition("sun.launcher.LauncherHelper source")[2]
            shared = " source: shared objects file"
            all_shared, before = after.count(shared), after.partition(f"{main} source")[0].count(shared)
            if before > 50 and seen > all_shared - before // 2:  # else there is no archive
                problems.append(f"the hook saw {seen} classes; of {all_shared} from the JDK's archive {before} came before the program's first")
        yield name, problems


@program("classes of an archive", jdk=17)
def archive_verified(r):
    """No class is lost that the verifier takes from an archive of the program while the hook waits: it is loaded, and linked later."""
    jar, archive = r.file("program.jar"), r.file("program.jsa")
    names = ["Verified" + name + ".class" for name in ("", "$Shape", "$Circle", "$Square")]
    subprocess.run([r.jdk.tool("jar"), "cf", jar, *(word for name in names for word in ("-C", r.built.programs, name))], check=True, capture_output=True)
    launch = ["-cp", jar, "Verified"]
    made = r.run("archive", [r.java, f"-XX:ArchiveClassesAtExit={archive}", *launch], timeout=300)
    if made.status != 0 or not os.path.exists(archive):
        raise Skip(f"{r.jdk} makes no archive: {made.tail()[-200:]}")
    expected = {"all": {"Verified.main", "Verified.pick", *(f"Verified${name}.<init>" for name in ("Shape", "Circle", "Square"))},
                "one": {"Verified$Square.<init>"}}
    for name, scope in {"all": "Verified*", "one": "Verified$Square"}.items():
        report = r.file(f"{name}.json")
        run = r.run(name, [r.java, f"-XX:SharedArchiveFile={archive}", r.with_agent(f"calls,include={scope},calls.file={report}"), *launch])
        with open(report, encoding="utf-8") as file:
            found = {f"{m['class']}.{m['method']}" for m in json.load(file)["methods"]}
        yield name, vm.compare(made, run) + ([] if found == expected[name] else [f"found {sorted(found)}"])


@program("AOT cache", jdk=25)
def aot(r):
    """An AOT cache stays in use, and application classes from it are instrumented all the same."""
    case, expectations = r.expectations("Constructors")
    # the cache takes classes from jars only
    jar = r.file("program.jar")
    subprocess.run([r.jdk.tool("jar"), "--create", "--file", jar, "-C", r.built.classes(17), "cases", "-C",
                    r.built.support, "support"], check=True, capture_output=True)
    launch = ["-cp", jar, "cases.Constructors"]
    cache = r.file("program.aot")
    made = r.run("create", [r.java, f"-XX:AOTCacheOutput={cache}"] + launch, timeout=300)
    if made.status != 0 or not os.path.exists(cache):
        raise Skip(f"{r.jdk} makes no AOT cache: {made.tail()[-200:]}")
    plain = r.run("plain", [r.java, f"-XX:AOTCache={cache}", f"-Xlog:class+load:file={r.file('plain.log')}"] + launch)
    expected = shared_classes(r.file("plain.log"))
    yield "plain", [] if expected > 300 else [f"{expected} shared classes only"]
    report = r.file("timing.json")
    for name, agent in {"dormant": f"-agentpath:{r.agent}", "nothing": r.with_agent(NOTHING),
                        "timing": r.with_agent(f"timing,timing.file={report}")}.items():
        log = r.file(name + ".log")
        other = r.run(name, [r.java, f"-XX:AOTCache={cache}", "-XX:AOTMode=on", f"-Xlog:class+load:file={log}", agent]
                      + launch)
        problems = vm.compare(plain, other)
        if shared_classes(log) < expected:
            problems.append(f"{shared_classes(log)} shared classes, {expected} without the agent")
        if name == "timing":
            problems += check(report, expectations, case)
        yield name, problems


@program("AOT cache recorded", quick=False, jdk=25)
def aot_recorded(r):
    """Classes of the program are changed, but no classes of the JDK: otherwise the JVM drops its cache or crashes."""
    case, expectations = r.expectations("Constructors")
    jar = r.file("program.jar")
    subprocess.run([r.jdk.tool("jar"), "--create", "--file", jar, "-C", r.built.classes(17), "cases", "-C",
                    r.built.support, "support"], check=True, capture_output=True)
    launch = ["-cp", jar, "cases.Constructors"]
    made = r.run("plain", [r.java, f"-XX:AOTCacheOutput={r.file('plain.aot')}"] + launch, timeout=300)
    if made.status != 0:
        raise Skip(f"{r.jdk} makes no AOT cache: {made.tail()[-200:]}")
    plain = r.run("alone", [r.java] + launch)
    for name, scope in {"exceptions of threads": "", "everything": ",include=**"}.items():
        report, cache = r.file(f"{name}.json"), r.file(f"{name}.aot")
        passes = f"{every_pass(r)},quiet=yes,timing.file={report}{scope}"
        other = r.run(name, [r.java, f"-XX:AOTCacheOutput={cache}", r.with_agent(passes)] + launch, timeout=300)
        problems = [] if other.status == 0 and not other.crash else [f"exit status {other.status}: {other.tail()}"]
        if not set(plain.stdout.splitlines()) <= set(other.stdout.splitlines()):  # lines of the JVM are among them
            problems.append(f"the program printed {other.stdout[:200]!r}")
        if not os.path.exists(cache):
            problems.append("no cache was made")
        yield name, problems + check(report, expectations, case)


def every_pass(r):
    return f"{r.every_pass},exceptions.top=0,coverage.file={r.file('jacoco.exec')}"


@program("another agent", quick=False, jdk=11)
def another(r):
    """A Java agent that rewrites the same classes, before and after ours: both count correctly."""
    for name in ("Constructors", "Exceptions", "Exits", "Language", "FramesAndLocals", "OldClasses", "BeforeSuper"):
        case, expectations = r.expectations(name)
        if not case:
            continue
        launch = r.built.launch(case)
        plain = r.run(name, [r.java] + launch)
        for order, passes in itertools.product(("first", "last"), ("timing", every_pass(r))):
            ours, theirs = r.file(f"{name}.{order}.json"), r.file(f"{name}.{order}.reference.json")
            agents = [r.with_agent(f"{passes},timing.file={ours}"), f"-javaagent:{r.reference_jar}={theirs}"]
            if order == "last":
                agents.reverse()
            other = r.run(f"{name}-{order}-{len(passes)}", [r.java] + r.verify + agents + launch)
            expected = r"(?m)^instr: coverage: (.* another agent had changed them; .*|.*: its id is \w+, its class file's is \w+)\n"
            other.stderr = re.sub(expected, "", other.stderr)
            problems = vm.compare(plain, other, may_skip=case.skipped) + check(ours, expectations, case)
            try:
                problems += expect.check(expect.load(theirs), expectations, case.main, reference=True)
            except (OSError, ValueError) as e:
                problems.append(str(e))
            yield f"{name}, {order}, {passes.partition(',coverage.file')[0]}", problems


@program("boot classes without their frames", quick=False)
def frames_lost(r):
    """JDKs before 21 retransform classes that they do not verify, and that are not in CDS, without stack map frames."""
    case, expectations = r.expectations("Language" if r.jdk.version >= 17 else "Exceptions")
    launch = ["-Xshare:off"] + r.built.launch(case)
    plain = r.run("plain", [r.java] + launch)
    yield "plain", [] if plain.status == 0 else [plain.tail()]
    for passes in ("timing", every_pass(r)):
        for verify in ([], r.verify):  # if boot classes are verified they have their frames
            report, stats = r.file("timing.json"), r.file("stats.json")
            options = f"{passes},timing.file={report},include=**,huge=yes,stats={stats}"
            other = r.run("agent", [r.java] + verify + [r.with_agent(options)] + launch)
            problems = vm.compare(plain, other, may_skip=True) + check(report, expectations, case)
            try:
                account = expect.load(stats)
                if account["classes_refused"] or account["methods_skipped"] or account["classes_changed"] < 300:
                    problems.append(f"{account['classes_changed']} changed, skipped: {account['skipped'][:3]}")
            except (OSError, ValueError) as e:
                problems.append(str(e))
            yield f"{passes.partition(',coverage.file')[0]}{', verified' if verify else ''}", problems


@program("retransformed and redefined by another agent", jdk=11)
def again(r):
    """A Java agent retransforms and redefines classes while they are instrumented; every call is counted."""
    launch = ["-cp", r.built.programs, "Again"]
    plain = r.run("plain", [r.java] + launch)
    # steps: the numbers below 100, except multiples of ten, summed, in each of four rounds
    expected = {"round": (4, 0), "<init>": (400, 40), "work": (360, 0), "step": (4 * (4950 - 450), 0)}
    for order in ("first", "last"):
        for passes in ("calls", "timing"):
            report = r.file(f"{order}-{passes}.json")
            agents = [r.with_agent(f"{passes},{passes}.file={report},include=Again*"),
                      f"-javaagent:{r.reference_jar}={r.file('reference.json')}"]
            other = r.run("run", [r.java] + r.verify + (agents if order == "first" else agents[::-1]) + launch)
            problems = vm.compare(plain, other)
            try:
                rows = {x["method"]: (x["calls"], x["thrown"]) for x in expect.load(report)["methods"]}
                problems += [f"{m}: {rows.get(m)}, expected {n}" for m, n in expected.items() if rows.get(m) != n]
            except (OSError, ValueError) as e:
                problems.append(str(e))
            yield f"{order}, {passes}", problems


@program("frames stripped by another agent", quick=False, jdk=11)
def stripped(r):
    """A Java agent passes on classes of version 50 without any frame, which the old verifier accepts."""
    for name in ("FramesAndLocals", "BeforeSuper", "OldClasses", "Instructions", "FarBranches"):
        case, expectations = r.expectations(name)
        if not case:
            continue
        strip = [f"-javaagent:{r.built.stripping}"]
        plain = r.run(name, [r.java] + strip + r.built.launch(case))
        for passes in ("calls", "timing") + (("stress",) if r.stress else ()):
            report = r.file(f"{name}.{passes}.json")
            for order in ("first", "last"):
                if passes == "stress":
                    agents = strip + [f"-agentpath:{r.stress}=stress,quiet=yes,huge=yes"]
                else:
                    agents = strip + [r.with_agent(f"{passes},{passes}.file={report}")]
                other = r.run(f"{name}-{passes}-{order}", [r.java] + r.verify + (agents if order == "last" else agents[::-1])
                              + r.built.launch(case))
                problems = vm.compare(plain, other, may_skip=case.skipped)
                if passes != "stress":
                    problems += check(report, expectations, case)
                yield f"{name}, {passes}, {order}", problems + ([] if plain.status == 0 else [plain.tail()])


@program("an agent that loads classes while one is read")
def loads_while_read(r):
    """Classes that its transformer loads during `instr dump --original` are instrumented."""
    p = Waiting(r, r.with_agent("calls,include=Waiting:Hello,quiet=yes"), f"-javaagent:{r.built.loading}=Waiting,Hello")
    done = [p.instr("dump", "Waiting", "--original", "-o", r.file("Waiting.class"))]
    done.append(p.instr("status", "--json"))
    changed = json.loads(done[1].stdout)["classes_now"] if done[1].returncode == 0 else None
    yield "dump", p.end([] if done[0].returncode == 0 and changed == 2 else [f"{changed} classes: {done}"])


@program("the JVM ends while a pass is switched on")
def ends_while_enabled(r):
    """The command stops after the next batch of classes, and does not undo anything."""
    mark = r.file("mark")
    p = Waiting(r, r.with_agent("batch=1"), f"-javaagent:{r.built.loading}={mark}")
    for _ in range(200):
        if p.instr("status").returncode == 0:
            break
    with subprocess.Popen([r.cli, "watch", str(p.pid), "java.util.*.*(..)"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        for _ in range(400):
            if os.path.exists(mark):
                break
            time.sleep(0.02)
        problems = p.end([] if os.path.exists(mark) else ["no class of the runtime was seen"])
    changed = re.search(r"^instr: \d+ classes seen, (\d+) changed; ", p.stderr, re.M)
    # There is no such line where no class was changed at all.
    yield "end", problems + ([] if "watch of java.util" in p.stderr and (not changed or int(changed[1]) <= 2) else [p.stderr])


@program("with the flight recorder", quick=False, jdk=11)
def recorder(r):
    """JFR retransforms classes of its own while everything is instrumented."""
    case, expectations = r.expectations("Exceptions")
    launch = r.built.launch(case)
    jfr = ["-Xlog:disable", "-Xlog:all=error:stderr", "-XX:StartFlightRecording:filename=recording.jfr,settings=profile"]
    plain = r.run("plain", [r.java] + jfr + launch)
    if plain.status != 0:
        raise Skip(f"{r.jdk} has no flight recorder")
    for scope in ("", ",include=**"):
        report = r.file("timing.json")
        other = r.run("agent" + scope[:4], [r.java] + jfr + [r.with_agent(f"timing,timing.file={report}{scope}")]
                      + launch)
        yield scope or "default", vm.compare(plain, other, may_skip=True) + check(report, expectations, case)


@program("runtime=path")
def runtime_path(r):
    """The alternative delivery of the runtime."""
    for name in ("Constructors", "Exceptions", "Language", "NamedModule", "Threads"):
        case, expectations = r.expectations(name)
        if not case:
            continue
        launch = r.built.launch(case)
        plain = r.run(name, [r.java] + launch)
        report = r.file(name + ".json")
        other = r.run(name + "-agent", [r.java] + r.verify
                      + [r.with_agent(f"timing,timing.file={report},runtime=path")] + launch)
        yield name, vm.compare(plain, other) + check(report, expectations, case)


@program("options of the VM", quick=False)
def vm_options(r):
    """Collectors, interpreter only, compiler only, no compressed pointers, small stacks, no CDS."""
    case, expectations = r.expectations("Language" if r.jdk.version >= 17 else "Exceptions")
    launch = r.built.launch(case)
    plain = r.run("plain", [r.java] + launch)
    for options in (["-Xint"], ["-Xcomp"], ["-XX:TieredStopAtLevel=1"], ["-XX:+UseSerialGC"], ["-XX:+UseParallelGC"],
                    ["-XX:+UseZGC"], ["-XX:-UseCompressedOops"], ["-Xshare:off"], ["-Xcheck:jni"],
                    ["-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyBeforeGC", "-XX:+VerifyAfterGC", "-Xmx32m"]):
        report = r.file("timing.json")
        if os.path.exists(report):
            os.remove(report)
        bare = r.run("bare", [r.java] + options + launch)
        if bare.status != 0:
            continue  # unknown to this VM
        other = r.run("agent", [r.java] + options + [r.with_agent(f"calls,timing,timing.file={report}")] + launch)
        problems = vm.compare(bare, other) + check(report, expectations, case)
        if options == ["-Xcheck:jni"]:
            problems += [f"-Xcheck:jni: {s!r}" for s in other.stdout.splitlines() + other.stderr.splitlines()
                         if ("WARNING" in s or "FATAL" in s) and s not in bare.stdout + bare.stderr]
        yield " ".join(options), problems
    yield "plain", [] if plain.status == 0 else [plain.tail()]


class Attached:
    """A program that waits for lines, and jcmd to load the agent into it."""

    def __init__(self, r, *java, main="Waiting"):
        self.r = r
        self.errors = open(r.file("stderr"), "w+b")
        self.process = subprocess.Popen([r.java, *java, "-cp", r.built.programs, main], cwd=r.folder,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.output = [self.process.stdout.readline()]

    def _command(self, options):
        return [self.r.jdk.tool("jcmd"), str(self.process.pid), "JVMTI.agent_load", self.r.agent, f'"{options}"']

    def load(self, options):
        return subprocess.run(self._command(options), capture_output=True, text=True, timeout=60)

    def start(self, options):
        return subprocess.Popen(self._command(options), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def round(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.output.append(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.output.append(self.process.stdout.read())
        status = self.process.wait(timeout=60)
        self.errors.seek(0)
        return status, "".join(self.output), self.errors.read().decode("utf-8", "replace")


@program("late attach", jdk=9, needs=["jcmd"])  # JDK 8 has no JVMTI.agent_load
def attach(r):
    """Loaded into a running VM: loaded classes are counted from then on; with invalid options nothing changes."""
    expected = "ready 1042\nround 2084\nround 3126\nround 4168\nend\n"
    program = Attached(r)
    program.round()
    report = r.file("timing.json")
    loaded = program.load(f"calls,timing,timing.file={report}")
    program.round()
    program.round()
    status, stdout, stderr = program.end()
    problems = [] if status == 0 and stdout == expected else [f"status {status}, stdout {stdout!r}, {stderr[-300:]!r}"]
    try:
        rows = {x["method"]: (x["calls"], x["thrown"]) for x in expect.load(report)["methods"]}
        if rows.get("work") != (20, 2) or rows.get("round") != (2, 0):
            problems.append(f"work and round: {rows}, expected (20, 2) and (2, 0)")
    except (OSError, ValueError) as e:
        problems.append(f"{e}: jcmd: {loaded.stdout[-300:]!r} {stderr[-300:]!r}")
    yield "good", problems

    program = Attached(r)
    loaded = program.load("timming")
    for _ in range(3):
        program.round()
    status, stdout, stderr = program.end()
    problems = [] if status == 0 and stdout == expected else [f"status {status}, stdout {stdout!r}, {stderr[-300:]!r}"]
    if "timing" not in stderr + loaded.stdout + loaded.stderr:
        problems.append(f"nothing names the nearest option: {stderr!r}, {loaded.stdout!r}")
    yield "mistyped", problems

    program = Attached(r)
    program.load("timing")
    program.load("timing")
    for _ in range(3):
        program.round()
    status, stdout, stderr = program.end()
    yield "twice", [] if status == 0 and stdout == expected else [f"status {status}, {stdout!r}, {stderr[-300:]!r}"]


@program("retransformed while linking", quick=False, needs=["jcmd"])
def linking(r):
    """Loaded into a VM while its large classes are being linked by their first calls."""
    for round_ in range(3):
        program = Attached(r, main="Linking")
        loading = program.start(f"calls,include=Large*,calls.file={r.file('calls.json')}")
        time.sleep(0.1 * round_)
        program.round()
        loading.wait(timeout=60)
        status, stdout, stderr = program.end()
        yield f"{round_}", [] if (status, stdout) == (0, "ready\ngood\n") else [f"status {status}, {stdout!r}, {stderr[-300:]!r}"]


@program("instr run")
def instr_run(r):
    """Exit status, signals, existing options, spaces in paths, several VMs."""
    if not os.path.exists(r.cli):
        raise Skip(f"{r.cli} is not there")
    spaced = vm.fresh(r.file("a folder with spaces"))
    for path in (r.cli, r.agent):
        shutil.copy2(path, spaced)
    cli = os.path.join(spaced, os.path.basename(r.cli))
    program = [r.java, "-Dgiven=x y"] + r.hello()
    plain = r.run("plain", program)

    report = os.path.join(spaced, "calls.json")
    direct = r.run("direct", [cli, "run", f"calls,calls.file={report}", "--"] + program)
    yield "a java launcher", vm.compare(plain, direct) + counted(report)

    report = os.path.join(spaced, "by script.json")
    script = f'"$0" -cp "{r.built.programs}" Hello world'
    plain = r.run("script-plain", ["sh", "-c", script, r.java], env={"JAVA_TOOL_OPTIONS": "-Dgiven=kept"})
    other = r.run("script", [cli, "run", f"timing,timing.file={report}", "--", "sh", "-c", script, r.java],
                  env={"JAVA_TOOL_OPTIONS": "-Dgiven=kept"})
    yield "a script, options kept", vm.compare(plain, other, stderr=False) + counted(report)

    other = r.run("two", [cli, "run", "timing,timing.file=" + os.path.join(spaced, "out %p.json"), "--", "sh", "-c",
                          script + "; " + script, r.java])
    files = [f for f in os.listdir(spaced) if re.fullmatch(r"out \d+\.json", f)]
    problems = [] if other.status == 0 and len(files) == 2 else [f"status {other.status}, files {files}, {other.tail()}"]
    for f in files:
        problems += counted(os.path.join(spaced, f))
    yield "two VMs and %p", problems

    for status in (0, 1, 42, 255):
        result = r.run("status", [cli, "run", "calls", "--", r.java, f"-Dstatus={status}"] + r.hello())
        yield f"exit status {status}", [] if result.status == status else [f"became {result.status}"]
    missing = r.run("missing", [cli, "run", "calls", "--", "/nonexistent/program"])
    yield "no such program", [] if missing.status == 127 and "/nonexistent/program" in missing.stderr \
        else [f"status {missing.status}: {missing.tail()}"]
    typo = r.run("typo", [cli, "run", "timming", "--"] + program)
    yield "mistyped option", [] if typo.status not in (0, None) and "hello" not in typo.stdout \
        and "timing" in typo.stderr else [f"status {typo.status}: {typo.tail()}"]

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        report = r.file("signal.json")
        process = subprocess.Popen([cli, "run", f"calls,calls.file={report}", "--", r.java, "-cp", r.built.programs,
                                    "Waiting"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True, start_new_session=True,
                                   preexec_fn=default_signals)
        first = process.stdout.readline()
        process.send_signal(number)
        try:
            status = process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            status = None
        process.stdin.close()
        problems = [] if status in (128 + number, -number) and first.startswith("ready") else [f"status {status}"]
        deadline = time.monotonic() + 10
        while not os.path.exists(report) and time.monotonic() < deadline:
            time.sleep(0.05)
        yield f"signal {number.name}", problems + counted(report, "work", 10)
        os.remove(report) if os.path.exists(report) else None


def default_signals():
    """For a child process: resets signals that were ignored when the tests started, for example in the background."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def counted(report, method="main", calls=1):
    try:
        rows = {x["method"]: x["calls"] for x in expect.load(report)["methods"]}
        return [] if rows.get(method) == calls else [f"{os.path.basename(report)}: {rows}, expected {calls} of {method}"]
    except (OSError, ValueError) as e:
        return [f"{os.path.basename(report)}: {e}"]


@program("instr check, show, report")
def cli_reads(r):
    """The CLI on the classes and reports of the cases."""
    if not os.path.exists(r.cli):
        raise Skip(f"{r.cli} is not there")
    if r.jdk.version != max(j.version for j in jdks.find()):
        raise Skip("once is enough, with the newest JDK")
    folders = [r.built.classes(n) for n in (8, 17, 21, 25)] + [r.built.modules, r.built.programs]
    check_all = r.run("check", [r.cli, "check", "--passes", "all", os.path.join(r.built.generated, "cases")]
                      + [f for f in folders if os.path.isdir(f)])
    yield "check", [] if check_all.status == 0 else [f"status {check_all.status}: {check_all.stdout[-500:]} "
                                                     f"{check_all.tail()}"]
    generated = os.path.join(r.built.generated, "cases")
    problems = []
    for name in sorted(os.listdir(generated)):
        shown = r.run("show", [r.cli, "show", os.path.join(generated, name)])
        if shown.status != 0 or len(shown.stdout) < 200 or shown.stderr:
            problems.append(f"show {name}: status {shown.status}: {shown.tail()[-200:]}")
    yield "show", problems
    garbage = r.file("Garbage.class")
    with open(garbage, "wb") as f:
        f.write(b"\xca\xfe\xba\xbe\0\0\0\x34\xff")
    for command in (["show"], ["check"]):
        bad = r.run("bad", [r.cli] + command + [garbage])
        yield command[0] + " garbage", [] if bad.status == 1 and len(bad.stderr.splitlines() + bad.stdout.splitlines()) \
            < 12 and "Garbage.class" in bad.stdout + bad.stderr else [f"status {bad.status}: {bad.tail()}"]
    report = r.file("timing.json")
    r.run("make", [r.java, r.with_agent(f"timing,timing.file={report}")] + r.hello())
    text = r.run("report", [r.cli, "report", report])
    yield "report", [] if text.status == 0 and "main" in text.stdout else [f"status {text.status}: {text.tail()}"]
    page = r.file("page.html")
    html = r.run("html", [r.cli, "report", report, "--html", page])
    content = open(page, encoding="utf-8").read() if os.path.exists(page) else ""
    yield "report --html", [] if html.status == 0 and "<table" in content and "Hello" in content \
        and not re.search(r"https?://(?!www\.w3\.org)|src=|href=", content) else [f"status {html.status}: {html.tail()}, {len(content)} characters"]
    stats = r.file("stats.json")
    r.run("stats", [r.java, r.with_agent(f"timing,stats={stats}")] + r.hello())
    try:
        with open(stats, encoding="utf-8") as f:
            yield "stats", [] if json.load(f)["classes_changed"] >= 1 else ["no class changed"]
    except (OSError, ValueError, KeyError) as e:
        yield "stats", [f"{type(e).__name__}: {e}"]
