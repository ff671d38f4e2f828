"""Bad input: damaged classes, files that cannot be written, options that do not exist."""

import glob
import json
import os
import re

from . import vm
from .programs import program


def more(r, passes):
    """Options without unexpected files and without tables that contain names of errors."""
    return (f",coverage.file={r.file('jacoco.exec')}" if "coverage" in passes else "") \
        + (",exceptions.top=0" if "exceptions" in passes else "")


@program("damaged classes")
def damaged(r):
    """Thousands of damaged class files: the VM accepts and rejects the same ones, with the same errors while reading them.

    Errors of the verifier may differ, because it may verify different code.
    """
    generated = os.path.join(r.built.generated, "cases")
    files = [os.path.join(generated, n + ".class") for n in
             ("DelegateBranches", "UninitializedTypes", "FrameForms", "SwitchPaddings", "LoadedConstants",
              "Subroutines49", "FiftyFramed", "ArrayCode", "WholeMethod")]
    for name in ("Language", "Reflection") if r.jdk.version >= 17 else ("Nested", "Threads", "Instructions"):
        files += sorted(glob.glob(os.path.join(r.classes(), "cases", name + "*.class")))
    rounds = 100 if r.quick else 400
    args = r.verify + ["-cp", r.built.programs, "Mutants", str(rounds)] + files
    plain = r.run("plain", [r.java] + args)
    if plain.status != 0 or plain.stdout.count("\n") < rounds * len(files):
        yield "plain", [plain.tail()]
    lists = [r.every_pass] if r.quick else ["calls", "timing", "coverage", "alloc,exceptions,natives", r.every_pass]
    for passes in lists:
        other = r.run(passes, [r.java, r.with_agent(passes + more(r, passes))] + args)
        if died_behind_the_end(other):
            other = r.run(passes, [r.java, r.with_agent(passes + more(r, passes))] + args)
        changed = [f"{a!r} became {b.partition(' ')[2]!r}" for a, b in zip(outcomes(plain), outcomes(other))
                   if a != b and not ("link: " in a and "link: " in b)]
        problems = [f"{len(changed)} outcomes: " + "; ".join(changed[:3])] if changed else []
        if plain.status != other.status or other.crash or plain.stdout.count("\n") != other.stdout.count("\n"):
            problems.append(f"exit status {other.status}: {other.tail()}")
        yield passes, problems


def died_behind_the_end(result):
    """Has HotSpot's own parser died? In a truncated class file it takes two bytes behind the code where it has looked for one, and after that
    finds each length small enough. What lies in memory behind the file decides what comes of it, mostly nothing, so the run is repeated once."""
    return result.crash and re.search(r"^# V .*ClassFileParser::", result.stdout, re.M)


# Both are about two bytes behind the end: no index of the constant pool, or by chance one of a text that is no name.
BEHIND_THE_END = re.compile(r"Illegal constant pool index \d+ for \w+ name in class file|Illegal \w+ name \".*\" in class(?: file)?")


def outcomes(result):
    """The lines, without what the VM reads behind the end of a truncated file."""
    return [re.sub(r"index \d+", "index", BEHIND_THE_END.sub("index behind the end in class", s)) if ".cut" in s else s
            for s in result.stdout.splitlines()]


@program("class path with bad files", quick=False)
def class_path(r):
    """Empty, truncated, foreign and huge class files, and a file that is not a jar: exactly the same errors."""
    folder = vm.fresh(r.file("path"))

    def put(name, data):
        with open(os.path.join(folder, name + ".class"), "wb") as f:
            f.write(data)

    with open(os.path.join(r.built.programs, "Hello.class"), "rb") as f:
        good = f.read()
    put("Hello", good)
    put("Empty", b"")
    put("OneByte", b"\xca")
    put("MagicOnly", good[:4])
    put("CutInPool", good[:60])
    put("CutInCode", good[:-40])
    put("Trailing", good + b"\0")
    put("BadMagic", b"\xca\xfe\xba\xbf" + good[4:])
    put("OtherName", good)
    put("TooNew", good[:4] + b"\0\0\x03\xe8" + good[8:])
    put("Preview", good[:4] + b"\xff\xff\0\x37" + good[8:])
    put("Zeroes", b"\0" * 100)
    put("Text", b"class Text {}\n" * 50)
    put("BadTag", good[:10] + b"\x63" + good[11:])
    put("Junk100M", b"\xca\xfe\xba\xbe" + b"\x5a" * (100 << 20))
    # a valid class with an unknown attribute of 100 MB: the last two bytes are attributes_count, then SourceFile
    huge = bytearray(good)
    at = huge.rindex(b"\0\1\0", 0, len(huge) - 8)
    if int.from_bytes(huge[at:at + 2], "big") == 1 and len(huge) - at == 10:
        name = huge[at + 2:at + 4]
        put("Huge100M", bytes(huge[:at]) + b"\0\2" + bytes(huge[at + 2:]) + bytes(name)
            + (100 << 20).to_bytes(4, "big") + b"\0" * (100 << 20))
    with open(r.file("none.jar"), "wb") as f:
        f.write(b"this is no jar\n" * 100)
    names = sorted(os.path.basename(f)[:-6] for f in glob.glob(os.path.join(folder, "*.class")))
    args = ["-cp", os.pathsep.join([r.file("none.jar"), folder, r.built.programs]), "LoadNamed"] + names
    plain = r.run("plain", [r.java] + args)
    if "end" not in plain.stdout:
        yield "plain", [plain.tail()]
    for passes in ("calls", "timing", r.every_pass):
        other = r.run(passes, [r.java, r.with_agent(passes + more(r, passes))] + args)
        yield passes, vm.compare(plain, other, may_skip=True)


@program("output that cannot be written")
def unwritable(r):
    """The program ends as without the agent; one line names the file when it starts, if that shows by then, and one when it ends."""
    plain = r.run("plain", [r.java] + r.hello())
    os.makedirs(r.file("folder"))
    for name, path in {"no such folder": "/nonexistent/folder/x.json", "a folder": r.file("folder"),
                       "full disk": "/dev/full"}.items():
        for option in ("timing.file", "calls.file", "stats"):
            passes = "calls" if option == "calls.file" else "timing"
            other = r.run("run", [r.java, r.with_agent(f"{passes},{option}={path}")] + r.hello())
            problems = vm.compare(plain, other, stderr=False)
            lines = [s for s in other.stderr.splitlines() if s.startswith("instr:") and path in s]
            starts = [s.startswith(f"instr: option '{option}': {path}: ") for s in lines]
            if starts != ([False] if name == "full disk" else [True, False]):
                problems.append(f"lines that name {path}: {other.stderr[-400:]!r}")
            yield f"{name}, {option}", problems
    # stderr has no reader, or is full: the program does the same
    for name, redirect in {"stderr full": "2>/dev/full", "stderr closed": "2>&-", "stdin closed": "<&-"}.items():
        args = [r.java, r.with_agent("calls,timing")] + r.hello()
        other = r.run("run", ["sh", "-c", f'exec "$@" {redirect}', "sh"] + args)
        yield name, vm.compare(plain, other, stderr=False)


@program("output to a named pipe", quick=False)
def pipes(r):
    """A late reader gets everything; without a reader, or with one that stalls, the JVM ends all the same."""
    plain = r.run("plain", [r.java] + r.hello())
    pipe = r.file("pipe")
    os.mkfifo(pipe)
    readers = {"nobody": (":", "no process reads it"), "late": ("(sleep 2; exec cat)", None),
               "stalled": ("sleep 30", "its reader has stopped reading")}
    for name, (reader, reason) in readers.items():
        args = [r.java, r.with_agent(f"calls,include=**,quiet=yes,calls.file={pipe}")] + r.hello()
        script = f'{{ {reader}; }} <"$PIPE" >"$PIPE.{name}" & ' if name != "nobody" else ""
        other = r.run(name, ["sh", "-c", script + '"$@"; status=$?; [ -z "$!" ] || { [ -z "$STALLED" ] || kill $!; wait $!; }; '
                                                  'exit $status', "sh"] + args,
                      env={"PIPE": pipe, "STALLED": "yes" if name == "stalled" else ""})
        problems = vm.compare(plain, other, stderr=False)
        reported = [s for s in other.stderr.splitlines() if s.startswith(f"instr: {pipe}: ")]
        if reported != ([f"instr: {pipe}: {reason}"] if reason else []):
            problems.append(f"reported: {other.stderr[-300:]!r}")
        if name == "late":
            with open(f"{pipe}.late", encoding="utf-8") as f:
                if not any(m["method"] == "main" for m in json.load(f)["methods"]):
                    problems.append("main is not in what was read")
        yield name, problems


TYPOS = {
    "timming": "timing",
    "call": "calls",
    "calls,calls.fil=x.json": "calls.file",
    "timing,timing.tpo=5": "timing.top",
    "timing,timing.top=abc": "timing.top",
    "timing,timing.top=-1": "timing.top",
    "timing,includ=com.acme.**": "include",
    "timing,exlude=a.*": "exclude",
    "timing,huge=maybe": "yes",
    "timing,runtime=pth": "path",
    "timing,include=": "include",
    "timing,file=x": ".file",
    "timing,TIMING.FILE=x": "timing.file",
    "timing,stat=x": "stats",
    "timing=yes": "timing",
    "=timing": "timing",
    "config=/nonexistent/instr.options": "/nonexistent/instr.options",
}


@program("mistyped options")
def typos(r):
    """The VM does not start; one line names the nearest valid option."""
    for text, nearest in TYPOS.items():
        result = r.run("run", [r.java, r.with_agent(text)] + r.hello())
        problems = []
        if result.status != 1:
            problems.append(f"exit status {result.status}")
        if "hello" in result.stdout:
            problems.append("the program ran")
        lines = [s for s in (result.stderr + result.stdout).splitlines() if s.startswith("instr:")]
        if len(lines) != 1 or nearest not in lines[0]:
            problems.append(f"expected one line with {nearest!r}: {lines}")
        yield text, problems


@program("option file")
def option_file(r):
    """config= reads the same options, one per line, and its errors are reported with file and line."""
    good = r.file("good.options")
    with open(good, "w", encoding="utf-8") as f:
        f.write("# passes\ncalls\n\n  timing\ninclude=Hello\n# end\ncalls.file=" + r.file("calls.json") + "\n")
    plain = r.run("plain", [r.java] + r.hello())
    other = r.run("good", [r.java, r.with_agent("config=" + good)] + r.hello())
    problems = vm.compare(plain, other)
    if not os.path.exists(r.file("calls.json")):
        problems.append("calls.json was not written")
    yield "good", problems
    bad = r.file("bad.options")
    with open(bad, "w", encoding="utf-8") as f:
        f.write("timing\n\nincldue=Hello\n")
    result = r.run("bad", [r.java, r.with_agent("config=" + bad)] + r.hello())
    line = next((s for s in result.stderr.splitlines() if s.startswith("instr:")), "")
    yield "bad", [] if result.status == 1 and "include" in line and re.search(r"bad\.options\D+3\b", line) \
        else [f"status {result.status}: {line!r}"]
