#!/usr/bin/env python3
"""Compares two results of the timing pass: which methods have become slower?

    instr run timing timing.file=before.json -- java -jar acme.jar
    instr run timing timing.file=after.json -- java -jar acme.jar
    instr/examples/compare.py before.json after.json
"""

import json
import sys

ROWS = 20


def read(path):
    """Self time in nanoseconds per call and the number of calls, by method."""
    with open(path, encoding="utf-8") as file:
        methods = json.load(file)["methods"]
    return {(m["class"], m["method"], m["descriptor"]): (m["self_ns"] / m["calls"], m["calls"])
            for m in methods if m["calls"]}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    before, after = read(sys.argv[1]), read(sys.argv[2])
    lost = sorted(((after[m][0] - before[m][0]) * after[m][1], m) for m in after if m in before)
    print(f"{'lost, ms':>10}  {'before, ns':>11}  {'after, ns':>11}  method")
    for nanoseconds, method in lost[:-ROWS - 1:-1]:
        print(f"{nanoseconds / 1e6:10.2f}  {before[method][0]:11.0f}  {after[method][0]:11.0f}  "
              f"{method[0]}.{method[1]}{method[2]}")
    print(f"{len(after.keys() - before.keys())} methods are new, {len(before.keys() - after.keys())} no longer called")


main()
