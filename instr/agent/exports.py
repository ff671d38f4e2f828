#!/usr/bin/env python3
"""Writes the version script of libinstr.so: it exports the entry points of JVM TI and what the headers declare.

exports.py OUTPUT HEADER...
"""

import re
import sys


def outermost(text):
    """The text without comments, preprocessor lines, strings, and everything between braces."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", " ", text, flags=re.M)
    text = re.sub(r"\bCF_(BEGIN|END)_DECLS\b", " ", text)
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text)
    depth, kept = 0, []
    for part in re.split(r"([{}])", text):
        depth += (part == "{") - (part == "}")
        if depth == 0:
            kept.append(";" if part == "}" else part)  # what follows a body is another statement
    return "".join(kept)


def names(header):
    """The functions and variables that a header declares for other files."""
    with open(header, encoding="utf-8") as f:
        statements = outermost(f.read()).split(";")
    for statement in statements:
        words = re.sub(r"__attribute__\s*\(\(.*?\)\)\)?", " ", statement, flags=re.S).strip()
        if not words or re.match(r"(static|typedef|_Static_assert)\b", words):
            continue
        function = re.match(r"[\w\s*]*?\b(\w+)\s*\(", words)
        variable = re.match(r"extern\b[\w\s*]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*$", words)
        if function or variable:
            yield (function or variable)[1]


def main():
    exported = sorted({name for header in sys.argv[2:] for name in names(header)})
    with open(sys.argv[1], "w", encoding="ascii") as f:
        f.write("{\n  global:\n    Agent_OnLoad*; Agent_OnAttach*; Agent_OnUnload*;\n")
        f.writelines(f"    {name};\n" for name in exported)
        f.write("  local: *;\n};\n")


main()
