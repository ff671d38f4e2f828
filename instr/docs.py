#!/usr/bin/env python3
"""Writes the lists of commands and options into the pages, from the tables of the command line tool.

    instr/docs.py [--check] INSTR

INSTR is the tool that was built. A list stands between two marks, `generated: NAME` and `end of generated`, each
within a comment of its page. --check changes nothing, names the pages that are out of date and exits with 1.
"""

import json
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ["README.md", "instr/COMMANDS.md", "instr/OPTIONS.md", "instr/instr.1"]
# What stands out in running text: options of commands and of the JVM, KEY=VALUE, and names of passes' options.
LITERAL = re.compile(r"(?<![\w-])(--?[a-zA-Z][\w:+-]*|[a-z-]+(?:\.[a-z-]+)?=(?:[\w.]*\w|\*+)|(?:max|batch)-[a-z]+)")


def sentence(text):
    return text[0].upper() + text[1:] + "."


# --- Markdown ---

def cell(text):
    return text.replace("|", "\\|")


def anchor(name):
    return name.replace(" ", "-")


def option_name(option):
    return option["name"] + ("=" + option["argument"] if option["argument"] else "")


def markdown_command_list(tables):
    yield "| command | what it does |"
    yield "|---|---|"
    for command in tables["commands"]:
        if " " not in command["name"]:
            yield f"| [`{command['name']}`](instr/COMMANDS.md#{anchor(command['name'])}) | {cell(command['help'])} |"


def markdown_commands(tables):
    for command in tables["commands"]:
        yield f"## {command['name']}"
        yield ""
        yield "    instr " + (command["name"] + " " + command["arguments"]).strip()
        yield ""
        yield sentence(command["help"])
        for paragraph in filter(None, command["details"].split("\n\n")):
            yield ""
            yield LITERAL.sub(r"`\1`", paragraph).replace("<", "&lt;")
        yield ""
        for example in command["examples"]:
            yield f"    {example['line']}  # {example['help']}"
        yield ""


def markdown_options(tables, wanted):
    yield "| option | what it does |"
    yield "|---|---|"
    for option in tables["options"]:
        if wanted(option):
            yield f"| `{cell(option_name(option))}` | {cell(option['help'])} |"


# --- the man page ---

def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def man_usage(text):
    """Names of arguments in italics, all else that is typed in bold."""
    parts = re.split(r"([A-Z]{1,}(?:[.=][A-Za-z]+)*|[a-z-][\w.-]*)", text)
    return "".join(f"\\f{'I' if part[0].isupper() else 'B'}{roff(part)}\\fP" if i % 2 else roff(part)
                   for i, part in enumerate(parts))


def man_text(text):
    parts = LITERAL.split(text)
    return "".join(f"\\fB{roff(part)}\\fP" if i % 2 else part.replace("\\", "\\e").replace("-", "\\-")
                   for i, part in enumerate(parts))


def man_commands(tables, of_coverage=False):
    for command in tables["commands"]:
        if command["name"].startswith("coverage ") != of_coverage:
            continue
        yield ".TP"
        yield f"\\fB{roff(command['name'])}\\fP {man_usage(command['arguments'])}".rstrip()
        yield man_text(sentence(command["help"]))
        for i, paragraph in enumerate(filter(None, command["details"].split("\n\n"))):
            if i:
                yield ".IP"
            for line in re.split(r"(?<=[.:;]) (?=[A-Z(\-])", paragraph):  # a sentence a line
                line = man_text(line)
                yield "\\&" + line if line[0] in ".'" else line
        for example in command["examples"]:
            yield ".IP"
            yield f"\\fB{roff(example['line'])}\\fP"
            yield ".br"
            yield roff(sentence(example["help"]).rstrip("?.") + ("?" if example["help"].endswith("?") else "."))


def man_options(tables):
    for option in tables["options"]:
        yield ".TP"
        yield f".BI {option['name']}= {option['argument']}" if option["argument"] else f".B {option['name']}"
        yield roff(option["help"])


SECTIONS = {
    "list of commands": markdown_command_list,
    "commands": markdown_commands,
    "passes": lambda tables: markdown_options(tables, lambda option: not option["argument"]),
    "general options": lambda tables: markdown_options(tables, lambda option: option["argument"] and "." not in option["name"]),
    "options of passes": lambda tables: markdown_options(tables, lambda option: "." in option["name"]),
    "man commands": man_commands,
    "man coverage": lambda tables: man_commands(tables, of_coverage=True),
    "man options": man_options,
}


def renewed(text, tables):
    """The page with each list written anew."""
    def section(match):
        return match["begin"] + "\n".join(SECTIONS[match["name"]](tables)).rstrip() + "\n" + match["end"]
    return re.sub(r'(?P<begin>^(?P<mark><!--|\.\\") generated: (?P<name>[\w ]+?)(?: -->)?\n).*?(?P<end>^(?P=mark) end of generated)', section,
                  text, flags=re.S | re.M)


def main():
    check = "--check" in sys.argv[1:2]
    if len(sys.argv) != 2 + check:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    tables = json.loads(subprocess.run([sys.argv[-1], "help", "--json"], check=True, capture_output=True, text=True).stdout)
    stale = []
    for page in PAGES:
        path = os.path.join(TOP, page)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        new = renewed(text, tables)
        if new == text:
            continue
        stale.append(page)
        if not check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
    for page in stale:
        print(f"{page}: out of date; run 'meson compile -C build docs'" if check else f"{page}: written")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
