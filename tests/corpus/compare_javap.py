#!/usr/bin/env python3
"""Compares the printed form of class files with that of javap.

    compare_javap.py --show "PROGRAM ARGS" [--javap JAVAP] [--sample N] [--seed N] [--diff N] PATH...

PROGRAM gets the path of a class file and prints it. From the directories PATH, N class files (300) are chosen
by the seed. Both texts are split into lines, white space is normalized, and each kind of line is compared in
order: constant pool, instructions, exception tables, line numbers, variables, frames, flags, declarations,
everything else. Exit status 1 when a constant pool, instruction or declaration line differs.
"""
import argparse
import collections
import difflib
import os
import random
import re
import shlex
import subprocess
import sys

KINDS = [
    ("instructions", re.compile(r"\d+: [a-z][a-z0-9_]*( |$)|(-?\d+|default): -?\d+$")),
    ("exceptions", re.compile(r"\d+ \d+ \d+ (Class |any$)")),
    ("line numbers", re.compile(r"line \d+: \d+$")),
    ("variables", re.compile(r"\d+ \d+ \d+ \S+ \S+$")),
    ("frames", re.compile(r"frame_type = |offset_delta = |(locals|stack) = \[|StackMapTable")),
    ("flags", re.compile(r"flags: ")),
]
ALL = ["constant pool"] + [kind for kind, _ in KINDS] + ["declarations", "everything else"]
MUST_AGREE = ["constant pool", "instructions", "declarations"]

# Characters that would disturb a terminal: we escape them, javap does not.
UNSAFE = re.compile("[\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff]")


def normalise(line):
    line = UNSAFE.sub(lambda m: "\\u%04x" % ord(m[0]), line)
    # javap prints unpaired surrogates as question marks.
    line = re.sub(r"\\ud[89a-f][0-9a-f]{2}", "?", line)
    # javap 25 does not know the names of these two tags.
    line = re.sub(r"^(\s*#\d+ = )(Module|Package) ", r"\1Unknown ", line)
    # Nor does it know the operands of these.
    line = re.sub(r"^(\s*\d+: (?:jsr|jsr_w|ret|ret_w))\s+\d+$", r"\1", line)
    return re.sub(r"[ \t]+", " ", line).strip(" \t\r")


def classify(text):
    """The lines of one class by kind."""
    kinds = collections.defaultdict(list)
    lines = text.split("\n")
    in_pool = False
    started = False
    for i, raw in enumerate(lines):
        line = normalise(raw)
        if not started and i + 1 < len(lines) and normalise(lines[i + 1]).startswith("minor version"):
            started = True
            kinds["declarations"].append(line)
            continue
        if not started or not line:
            continue
        if line == "Constant pool:":
            in_pool = True
        elif raw.startswith("{"):
            in_pool = False
        elif in_pool:
            kinds["constant pool"].append(line)
        elif i + 1 < len(lines) and lines[i + 1].strip().startswith("descriptor: "):
            kinds["declarations"].append(line)
        else:
            kind = next((k for k, pattern in KINDS if pattern.match(line)), "everything else")
            kinds[kind].append(line)
    return kinds


def run_javap(javap, paths):
    """The output for each path; javap prints them one after another."""
    command = [javap, "-J-Dstdout.encoding=UTF-8", "-J-Dfile.encoding=UTF-8", "-v", "-p", "-c"]
    done = subprocess.run(command + paths, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = done.stdout.decode("utf-8", "replace")
    parts = re.split(r"^Classfile (?:jar:file:)?(/.*)\n", text, flags=re.M)
    texts = dict(zip(parts[1::2], parts[2::2]))
    if len(paths) > 1 and len(texts) < len(paths):  # javap stops at the first class that it cannot read
        texts = {path: text for one in paths for path, text in run_javap(javap, [one]).items()}
    return {path: text for path, text in texts.items() if not re.search(r"^Error: ", text, flags=re.M)}


def show(command, path):
    done = subprocess.run(shlex.split(command) + [path], stdout=subprocess.PIPE)
    return done.stdout.decode("utf-8", "replace"), done.returncode


def compare(ours, theirs, totals, differences):
    for kind in ALL:
        a, b = theirs[kind], ours[kind]
        totals[kind][1] += max(len(a), len(b))
        if a == b:
            totals[kind][0] += len(a)
            continue
        matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
        same = sum(block.size for block in matcher.get_matching_blocks())
        totals[kind][0] += same
        for tag, a0, a1, b0, b1 in matcher.get_opcodes():
            if tag != "equal":
                differences.append((kind, a[a0:a1][:3], b[b0:b1][:3]))


def find_classes(paths):
    found = []
    for path in paths:
        for folder, _, names in os.walk(path):
            found += [os.path.join(folder, n) for n in names if n.endswith(".class")]
    return sorted(os.path.abspath(f) for f in found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--show", required=True)
    parser.add_argument("--javap", default="javap")
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--diff", type=int, default=0, help="differences to print per kind")
    parser.add_argument("path", nargs="+")
    options = parser.parse_args()

    classes = find_classes(options.path)
    if len(classes) > options.sample:
        classes = sorted(random.Random(options.seed).sample(classes, options.sample))
    totals = {kind: [0, 0] for kind in ALL}
    differences = []
    identical = compared = 0
    for start in range(0, len(classes), 100):
        batch = classes[start:start + 100]
        texts = run_javap(options.javap, batch)
        for path in batch:
            if path not in texts:
                print(f"javap has nothing to say about {path}")
                continue
            ours, status = show(options.show, path)
            if status:
                print(f"{path}: exit status {status}")
            before = len(differences)
            compare(classify(ours), classify(texts[path]), totals, differences)
            compared += 1
            identical += len(differences) == before
    shown = collections.Counter()
    for kind, theirs, ours in differences:
        shown[kind] += 1
        if shown[kind] <= options.diff:
            print(f"[{kind}]\n  javap: " + "\n         ".join(theirs) + "\n  ours:  " + "\n         ".join(ours))
    print(f"{compared} classes compared, {identical} identical in all lines")
    for kind in ALL:
        same, total = totals[kind]
        share = 100.0 * same / total if total else 100.0
        print(f"  {kind:16} {same:9} of {total:9} lines identical ({share:.3f} %)")
    return any(totals[kind][0] != totals[kind][1] for kind in MUST_AGREE) or compared == 0


sys.exit(main())
