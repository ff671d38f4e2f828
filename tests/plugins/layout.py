"""The layout of each api number: headers that plug-ins were built with stay in api/, beside the one that is installed."""

import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
HEADERS = os.path.join(HERE, "api")


def read(path):
    """Returns the members of each structure with their types, and the numbers that have names."""
    with open(path, encoding="utf-8") as f:
        text = " ".join(re.sub(r"//.*", "", f.read()).split())
    structures = {name: dict(members(body)) for name, body in re.findall(r"struct (\w+) \{(.*?)\};", text)}
    names = [part.split("=")[0].strip() for body in re.findall(r"enum (?:\w+ )?\{(.*?)\}", text) for part in body.split(",")]
    return structures, names + ["INSTR_PLUGIN_API"]


def members(body):
    """Each member with what declares it, without the names of parameters."""
    for declaration in body.split(";"):
        function = re.fullmatch(r"\s*(.*)\(\*(\w+)\)(\(.*\))\s*", declaration)
        if function:
            yield function[2], function[1] + re.sub(r"\b\w+(?=[,)])", "", function[3])
        elif declaration.strip():
            kind, first, more = re.fullmatch(r"\s*(.*?)(\*?\w+)((?:, \*?\w+)*)\s*", declaration).groups()
            for name in (first + more).split(", "):
                yield name.lstrip("*"), kind + "*" * name.count("*")


def measure(include, structures, names, work):
    """Compiles a program with the header: sizes of structures, offsets and sizes of their members, the numbers."""
    lines = [f'printf("struct {s} %zu\\n", sizeof(struct {s}));' for s in structures]
    lines += [f'printf("{s}.{m} %zu %zu\\n", offsetof(struct {s}, {m}), sizeof(((struct {s} *)0)->{m}));' for s, found in structures.items() for m in found]
    lines += [f'printf("{name} %d\\n", (int)({name}));' for name in names]
    source, program = f"{work}/layout.c", f"{work}/layout"
    with open(source, "w", encoding="utf-8") as f:
        f.write("#include <instr/plugin.h>\n#include <stdio.h>\nint main(void) {\n" + "\n".join(lines) + "\nreturn 0;\n}\n")
    built = subprocess.run(["cc", "-std=c11", "-I" + include, source, "-o", program], capture_output=True, text=True, check=False)
    if built.returncode != 0:
        return {"cc": built.stderr}
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return {name: value for name, _, value in (line.rpartition(" ") if line.startswith("struct") else line.partition(" ") for line in printed.splitlines())}


def differences(header, include, work):
    """What is not in `include` as it was in the header of api/. The structures that a plug-in or the host fills may have grown."""
    structures, names = read(f"{HEADERS}/{header}/instr/plugin.h")
    today, _ = read(f"{include}/instr/plugin.h")
    before = measure(f"{HEADERS}/{header}", structures, names, work)
    after = measure(include, structures, names, work)
    if "cc" in after:
        return [after["cc"]]
    wrong = [name for name, value in before.items() if after[name] != value and not (name.startswith("struct") and int(after[name]) > int(value))]
    return wrong + [f"{s}.{m}: {kind}" for s, found in structures.items() for m, kind in found.items() if today[s].get(m) != kind]
