"""The passes as the tool lists them: a new pass is part of the tests by its row in the table of passes."""

import re
import subprocess


def read(instr):
    """The passes in their order, and the keys of the options of each: {"timing": ["file", "top"], ...}."""
    text = subprocess.run([instr, "help", "options"], capture_output=True, text=True, timeout=60, check=True).stdout
    names, _, options = text.partition("\nOptions:\n")
    return {name: re.findall(rf"^  {name}\.([\w-]+)=", options, re.M) for name in re.findall(r"^  (\w+)(?: |$)", names, re.M)}


def every(instr, last="timing"):
    """Those that can be switched on by their name alone. What follows the list may depend on which one is the last."""
    names = [name for name, keys in read(instr).items() if "methods" not in keys]
    return [name for name in names if name != last] + [last]


def without_tables(instr, names):
    """Options that switch off the tables of these passes."""
    keys = read(instr)
    return [f"{name}.top=0" for name in names if "top" in keys.get(name, [])]
