#!/usr/bin/env python3
"""Makes C strings of files, so that a page needs no file beside the program.

    embed.py OUT.c FILE... [--header HEADER]

The file page.css becomes `const char instr_page_css[]`, which ends with a zero byte. HEADER declares it; page.h if none is
given.
"""

import os
import sys


def array(path):
    with open(path, "rb") as file:
        data = file.read() + b"\0"
    name = "instr_" + os.path.basename(path).replace(".", "_")
    lines = [", ".join(str(byte) for byte in data[i : i + 24]) for i in range(0, len(data), 24)]
    return "const char %s[] = {\n    %s,\n};\n" % (name, ",\n    ".join(lines))


def main():
    out, files, header = sys.argv[1], sys.argv[2:], "instr/report/page.h"
    if "--header" in files[-2:]:
        header = files.pop()
        files.pop()
    text = f'// Made by instr/report/embed.py.\n\n#include "{header}"\n\n' + "\n".join(map(array, files))
    with open(out, "w", encoding="ascii") as file:
        file.write(text)


main()
