#!/usr/bin/env python3
"""Makes C strings of files, so that a page needs no file beside the program.

    embed.py OUT.c FILE...

The file page.css becomes `const char instr_page_css[]`, which ends with a zero byte (page.h).
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
    out, files = sys.argv[1], sys.argv[2:]
    text = '// Made by instr/report/embed.py.\n\n#include "instr/report/page.h"\n\n' + "\n".join(map(array, files))
    with open(out, "w", encoding="ascii") as file:
        file.write(text)


main()
