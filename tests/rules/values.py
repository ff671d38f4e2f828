"""What rules read and keep, each as rows of (name, found, expected): keys of tables, sizes, flat fields."""

import json
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def rows_of(setting, rule, program, *options, jvm=()):
    """Runs a program, with its arguments, and a rule; what it prints, and the rows."""
    file = os.path.join(setting.work, "values.json")
    command = [setting.tool, "run", "rule=" + rule, "name=values", "values.file=" + file, *options, "--", setting.java, *jvm, "-cp", setting.work, *program.split()]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120, cwd=setting.work)
    if done.returncode:
        return done.stdout + done.stderr, []
    with open(file, encoding="utf-8") as text:
        return done.stdout, json.load(text)["tables"]


def tables(setting, rule, program, jvm=()):
    """The same, but {key: count} for each table."""
    out, rows = rows_of(setting, rule, program, jvm=jvm)
    return out, {t: {row["key"]: row["count"] for row in rows if row["table"] == t} for t in {row["table"] for row in rows}}


def release_of(setting):
    version = subprocess.run([setting.java, "-version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=120).stderr
    release = re.search('version "(?:1[.])?([0-9]+)', version).group(1)
    return int(release)


def keys(setting):
    """Each part of a key is cut by itself, and a stack has all its frames. The texts of a table have a limit, too."""
    longest = "z" * 200
    out, found = tables(setting, "Keys.pair(String a, String b) entry { @one[a] = count(); @two[a, b] = count(); @three[b, a, a] = count() }", "Keys")
    yield "keys: a text is cut", found.get("one", out), {longest: 30}
    yield "keys: two parts", found.get("two"), {f"{longest}, b{i}": 10 for i in range(3)}
    yield "keys: three parts", found.get("three"), {f"b{i}, {longest}, {longest}": 10 for i in range(3)}
    out, found = tables(setting, "Keys.apart(String a, Object b) entry { @t[a, b] = count() }", "Keys")
    yield "keys: parts with commas stay apart", found.get("t", out), {'"a, b", c': 1, 'a, "b, c"': 2, '""a", b': 3}
    out, found = tables(setting, "Keys.number(Object n) entry { @t[n] = count() }", "Keys")
    yield "keys: a number has one key, whatever its type", found.get("t", out), {"1000": 3, "7": 3, "7.5": 1}
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


def flat(setting):
    """Fields without a reference, which would be read as one. Their values are those of the program."""
    release = release_of(setting)
    if release < 28:
        return
    preview = ["--enable-preview"]
    subprocess.run([setting.java + "c", "-g", *preview, "--release", str(release), "-d", setting.work, os.path.join(HERE, "Flat.java")],
                   stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=120)
    layout = subprocess.run([setting.java, *preview, "-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintFieldLayout", "-cp", setting.work, "Flat"],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=120).stdout.split("Layout of class ")
    yield "flat: fields", [one.count(" FLAT ") for one in layout if one.startswith("Flat$Shape@")], [5]
    out, found = tables(setting, "Flat.look(Base shape) entry /shape.edges > 0 && shape.none == null/ "
                        "{ @c[shape.corner.x, shape.corner.y, shape.edges] = count(); @n[shape.name, shape.none, shape.missing] = count(); "
                        "@s[shape.none + shape.edges * 2] = count(); @b[shape.brief + 0.5, shape.missing.x] = count() }", "Flat", jvm=preview)
    yield "flat: objects", found.get("c", out), {f"{i}, {-i}, {i}": 10000 for i in (1, 2, 3)}
    yield "flat: null", found.get("n"), {"shape, null, null": 30000}
    yield "flat: numbers", found.get("s"), {f"{i}.0": 10000 for i in (2, 4, 6)}
    yield "flat: other numbers", found.get("b"), {f"{i}.5, null": 10000 for i in (1, 2, 3)}


def full(setting):
    """The program does not see that there is no memory for a rule, also where that happens for the first time."""
    for places in ("exit { @ms[number, text] = hist(elapsed) }", "entry { @[text, thread, stack(3)] = count() }", "return { @sum[text] = sum(result) }"):
        out, found = tables(setting, "Full.look(int number, String text) " + places, "Full", jvm=["-Xmx16m", "-XX:+UseSerialGC", "-XX:-UseGCOverheadLimit"])
        yield f"full heap: {places}", (out, len(found)), ("0 of 65536: 20295\n", 1)


def lacking(setting):
    """Fields beside one whose type is missing, for which no loader is asked, and fields that reflection hides."""
    rule = "Lacking$Shop.order(Lacking$Order order) exit { @[order.country, order.items] = count(); @l[order.getClass().classLoader != null] = count() }"
    out, found = tables(setting, rule, "Lacking")
    yield "a missing class: other fields", (out, found), ("false\n", {"": {f"{c}, {n}": k for c, k in (("DE", 5), ("FR", 10)) for n in (0, 1)}, "l": {"true": 30}})
    yield "a missing class: its field", tables(setting, "Lacking$Shop.order(Lacking$Order order) exit { @m[order.missing] = count() }", "Lacking")[1], {"m": {None: 30}}


def percentiles(setting):
    """Of fractions and negative numbers, too."""
    for value, low, high in (("n", 0, 1), ("-n", -1, 0), ("n + 1", 1, 2), ("n * 5 - 2.5", -2.5, 2.5), ("1000 * n - 1000", -1000, 0)):
        out, rows = rows_of(setting, f"Numbers.fraction(double n) entry {{ @ = hist({value}) }}", "Numbers")
        row = rows[0] if rows else {}
        places = {name: round((row.get(name, -9) - low) / (high - low), 2) for name in ("p50", "p90", "p99")}
        yield f"percentiles of {value}", (out, row.get("count"), [0.37 <= places["p50"] <= 0.6, 0.8 <= places["p90"] <= 1, 0.87 <= places["p99"] <= 1] or places), ("", 1000, [True] * 3)
    for value, expected in (("n % 8", [3, 7, 7]), ("same % 8", [3, 7, 7]), ("-(n % 8)", [-4, 0, 0]), ("n / n", [1, 1, 1]), ("n % 3 - 1", [0, 1, 1])):
        _, rows = rows_of(setting, f"Numbers.whole(int n, Object same) entry {{ @ = hist({value}) }}", "Numbers")
        yield f"percentiles of {value}", [[row["p50"], row["p90"], row["p99"]] for row in rows], [expected]
    _, rows = rows_of(setting, "Numbers.far(double n) entry { @ = hist(n) }", "Numbers")
    yield "percentiles of what is far", [(row["count"], row["p50"]) for row in rows], [(10, 0)]


def waits(setting):
    """A rule that waits takes no permit from the program, leaves interrupts, and does not look at itself."""
    park = "java.util.concurrent.locks.LockSupport.park"
    rules = ["Delays$Mailbox.isFull() exit { delay 50ms }", park + "(..) entry { delay 5ms }", "Delays.delayed() entry { delay 60m }", park + "Nanos(..) entry { delay 1ms }"]
    for program in ["Delays"] + ["Delays virtual"] * (release_of(setting) >= 21):
        for rule in rules:
            out, _ = rows_of(setting, rule, program, "allow=delay")
            yield f"waits: {program}: {rule}", out, "wakes: ends\ntakes turns: ends ends\nis interrupted: ends true\nend\n"
    out, rows = rows_of(setting, park + "Nanos(long ns) entry { @[thread] = count() }", "Delays", "rule=" + rules[0], "rule=" + rules[3], "allow=delay")
    yield "waits: those of rules are not counted", (out[-4:], {row["key"]: row["count"] for row in rows}), ("end\n", {"main": 10})


def all_of(setting):
    yield from lacking(setting)
    yield from percentiles(setting)
    yield from waits(setting)
    yield from full(setting)
    yield from keys(setting)
    yield from sizes(setting)
    yield from flat(setting)
