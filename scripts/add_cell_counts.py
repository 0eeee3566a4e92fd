#!/usr/bin/env python3
"""Passes ctest's output on, with the number of conformance cells by op in front of its summary.

    ctest … | scripts/add_cell_counts.py FOLDER

The conformance tests write one report a variant into FOLDER, with lines such as
"lut/shared fused u8: AVX2 120 cells (8 refused) SSE4 120 cells (8 refused)".
"""

import collections
import pathlib
import re
import sys


def count_cells(folder):
    """Cells passed, by op, summed over variants, candidates, dtypes and SIMD targets."""
    counts = collections.Counter()
    for report in sorted(pathlib.Path(folder).glob("*.txt")):
        for line in report.read_text(encoding="utf-8").splitlines():
            if "refused" not in line:
                continue  # the report's own total
            op = re.split(r"[/ ]", line, maxsplit=1)[0]
            counts[op] += sum(map(int, re.findall(r"(\d+) cells", line)))
    return counts


def main():
    summary = []
    for line in sys.stdin:
        if summary or re.match(r"\d+% tests passed", line):
            summary.append(line)
        else:
            print(line, end="", flush=True)
    for op, cells in sorted(count_cells(sys.argv[1]).items()):
        print(f"conformance: {op:<14} {cells:>9} cells passed")
    print("\n" + "".join(summary), end="")


if __name__ == "__main__":
    main()
