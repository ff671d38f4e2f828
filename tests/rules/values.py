"""What rules read and keep, each as rows of (name, found, expected): keys of tables, sizes."""

import json
import os
import re
import subprocess


def tables(setting, rule, program, jvm=()):
    """Runs a program with a rule; what it prints, and {key: count} for each table."""
    file = os.path.join(setting.work, "values.json")
    command = [setting.tool, "run", "rule=" + rule, "name=values", "values.file=" + file, "--", setting.java, *jvm, "-cp", setting.work, program]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        return done.stderr, {}
    with open(file, encoding="utf-8") as text:
        rows = json.load(text)["tables"]
    return done.stdout, {t: {row["key"]: row["count"] for row in rows if row["table"] == t} for t in {row["table"] for row in rows}}


def keys(setting):
    """Each part of a key is cut by itself, and a stack has all its frames. The texts of a table have a limit, too."""
    longest = "z" * 200
    out, found = tables(setting, "Keys.pair(String a, String b) entry { @one[a] = count(); @two[a, b] = count(); @three[b, a, a] = count() }", "Keys")
    yield "keys: a text is cut", found.get("one", out), {longest: 30}
    yield "keys: two parts", found.get("two"), {f"{longest}, b{i}": 10 for i in range(3)}
    yield "keys: three parts", found.get("three"), {f"b{i}, {longest}, {longest}": 10 for i in range(3)}
    out, found = tables(setting, "Keys.end() entry { @s[stack(20)] = count(); @p[stack(20), thread] = count() }", "Keys")
    stacks = found.get("s", {})
    yield "keys: stacks", (len(stacks), sum(stacks.values()), {key.count(" < ") for key in stacks}), (990, 990, {19})
    yield "keys: a stack and a text", found.get("p"), {key + ", main": n for key, n in stacks.items()}
    out, found = tables(setting, "Keys.named() entry { @s[stack(3)] = count() }", "Keys")
    frames = [re.sub(":[0-9]+$", "", frame) for key in found.get("s", [out]) for frame in key.split(" < ")]
    yield "keys: each frame is cut", frames, ["Keys.named", "Keys." + "b" * 195, "Keys.main"]
    out, found = tables(setting, "Keys.far() entry { @s[stack(100)] = count() }", "Keys")
    stacks = found.get("s", {})
    yield ("keys: a table is full of long texts", (sum(stacks.values()), len(stacks) < 900, "..." in stacks, 4000000 < sum(map(len, stacks)) < 4050000),
           (990, True, True, True))


def sizes(setting):
    """Those of the JDK's collections and maps, while another thread has their locks."""
    out, found = tables(setting, "Locked.look(Object all, String name) entry { @size[name, all.size()] = count(); @empty[name, all.isEmpty()] = count() }", "Locked")
    expected = dict(line.split(" ") for line in out.splitlines())
    yield "sizes: there are many", len(expected) > 90, True
    yield "sizes: none is waited for", [name for name, size in expected.items() if size == "waits"], []
    yield "sizes: they are right", set(found.get("size", [])) ^ {f"{name}, {size}" for name, size in expected.items()}, set()
    empty = {"0": "true", "null": "null"}
    yield "sizes: empty ones", set(found.get("empty", [])) ^ {f"{name}, {empty.get(size, 'false')}" for name, size in expected.items()}, set()


def all_of(setting):
    yield from keys(setting)
    yield from sizes(setting)
