#!/usr/bin/env python3
"""Writes the table of ops in README.md from what the program says of itself.

    scripts/op_table.py [--check] [PROGRAM]      default: build/switchyard

With --check nothing is written, and the exit code is 1 where the table is not current. The table
lists candidates of every backend, built or not, so that it is the same for every build.
"""

import json
import pathlib
import re
import subprocess
import sys

README = pathlib.Path(__file__).resolve().parent.parent / "README.md"
BEGIN = "<!-- ops: written by scripts/op_table.py -->\n"
END = "<!-- /ops -->\n"


def unique(items):
    """The items in order of their first appearance."""
    return list(dict.fromkeys(items))


def row_of(op):
    """One op as a line of the table."""
    name = op["op"]
    variants = [v["variant"].partition("/")[2] for v in op["variants"]]
    candidates = [c for v in op["variants"] for c in v["candidates"]]
    dtypes = unique(d for c in candidates for d in c["exactness"])
    ids = unique(c["id"] for c in candidates if set(c["exactness"].values()) != {"unsupported"})
    columns = (
        f"`{name}`",
        ", ".join(filter(None, variants)) or "–",
        ", ".join(d.replace("_", "·") for d in dtypes),
        ", ".join(sorted(ids, key=lambda i: i == "loop")),
    )
    return "| " + " | ".join(columns) + " |"


def table(program):
    ops = json.loads(subprocess.run([program, "ops", "--json"], check=True, stdout=subprocess.PIPE).stdout)["ops"]
    lines = ["| Op | Variants | Dtypes | Candidates |", "|---|---|---|---|"]
    return "\n".join(lines + [row_of(op) for op in ops]) + "\n"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    wanted = BEGIN + "\n" + table(arguments[0] if arguments else "build/switchyard") + "\n" + END
    readme = README.read_text(encoding="utf-8")
    current = re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: wanted, readme, flags=re.S)
    if BEGIN not in readme:
        sys.exit(f"{README.name}: the lines that enclose the table of ops are missing")
    if "--check" not in sys.argv[1:]:
        README.write_text(current, encoding="utf-8")
    elif current != readme:
        sys.exit(f"{README.name}: the table of ops is not current: run scripts/op_table.py")


if __name__ == "__main__":
    main()
