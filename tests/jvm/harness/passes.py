"""The passes as the tool lists them: a row in the table of passes makes a new pass part of the tests."""

import re
import subprocess


def read(instr):
    """The passes in their order, and the keys of the options of each: {"timing": ["file", "top"], ...}."""
    text = subprocess.run([instr, "help", "options"], capture_output=True, text=True, timeout=60, check=True).stdout
    names, _, options = text.partition("\nOptions:\n")
    return {name: re.findall(rf"^  {name}\.([\w-]+)=", options, re.M) for name in re.findall(r"^  (\w+)(?: |$)", names, re.M)}


def every(instr, last="timing"):
    """The passes that need no options. Tests that append to the list may depend on which one is the last."""
    names = [name for name, keys in read(instr).items() if "methods" not in keys]
    return [name for name in names if name != last] + [last]


def without_tables(instr, names):
    """Options that disable the tables of these passes."""
    keys = read(instr)
    return [f"{name}.top=0" for name in names if "top" in keys.get(name, [])]
