"""Rules of several people in one JVM, and of their commands watch and top, each as (name, found, expected)."""

import contextlib
import re
import subprocess


@contextlib.contextmanager
def client(live, *words):
    """A command that goes on; its pass is on inside of the block."""
    before = set(live.enabled())
    child = subprocess.Popen([live.tool, words[0], str(live.child.pid), *words[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        live.wait_for("on", lambda: set(live.enabled()) - before)
        yield
    finally:
        child.kill()
        child.wait()
        live.wait_for("off", lambda: set(live.enabled()) == before)


def of_commands(live):
    """The rules that watch and top make are theirs alone: reports, tables and results of others are as without them."""
    commands = [("watch", "Live.order(Live$Order order, ..)", "--if", "order.total < 0"), ("top", "Live.order(Live$Order order, ..)", "--every", "10s")]
    live.instr("attach", "calls", "include=Live$Order")  # the agent is there before the first command
    live.instr("disable", "calls")
    for words in commands:
        name = f"{words[0]}-1"
        with client(live, *words):
            yield f"{name}: rules", live.instr("rules"), (1, "", f"instr: no rule is on in process {live.child.pid}\n")
            yield f"{name}: report", live.instr("report")[:2], (1, "")
            yield f"{name}: it is no rule of the user", live.instr("rule", "--drop", name)[0], 1
            yield f"{name}: no end is shown", re.search(name + " by .*ends in", live.instr("status")[1]), None
            live.instr("enable", "calls,include=Live$Order,max-overhead=off")
            live.instr("rule", "Live.touch entry { @ = count() }", "--name", "own")
            live.wait_for("rows", lambda live=live: live.tables().get("own"))
            for command, expected in (("rules", ["own"]), ("report", ["calls", "own"]), ("report --reset", ["calls", "own"]), ("report --all", ["calls", "own"])):
                status, out, err = live.instr(*command.split())
                yield f"{name}: {command}", (status, sorted(re.findall(r"^(?!instr)([\w-]+): ", out, re.M)), err), (0, expected, "")
            status, out, err = live.instr("revert")
            yield f"{name}: revert", (status, sorted(re.findall(r"^(?!instr)([\w-]+): ", out, re.M))), (0, ["calls", "own"])


def times(live):
    """A rule ends when the command says so, whatever the time of its owner's passes is."""
    live.instr("attach", "calls,include=Live$Order,max-overhead=off", "--for", "1h", "--as", "al")
    rule = "Live.order(..) entry { @ = count() }"
    for name, words, sentence, seconds in (
        ("shorter", (rule, "--name", "shorter"), "shorter ends in 600 s;", 600),
        ("longer", (rule, "--name", "longer", "--for", "2h"), "longer ends in 7200 s;", 7200),
        ("shorter", ("--extend", "3h", "shorter"), "", 10800),
    ):
        status, out, _ = live.instr("rule", *words, "--as", "al")
        yield f"times: {words}", (status, sentence in out, seconds - 100 < live.enabled()[name] <= seconds), (0, True, True)
    live.instr("enable", "calls", "--for", "200ms", "--as", "al")
    yield "times: passes end, rules do not", live.wait_for("on", lambda: sorted(live.enabled()) == ["longer", "shorter"]), True
    live.instr("enable", "calls,include=Live$Order,max-overhead=off", "--as", "al")
    yield "times: a time that is over is not that of another pass", live.enabled()["calls"], 0
    live.instr("set", "--for", "30m", "--as", "al")
    yield "times: set is for all", {1700 < left <= 1800 for left in live.enabled().values()}, {True}


ALL = [of_commands, times]
