#!/usr/bin/env python3
"""Measures the tables of docs/performance.md and writes them there.

    scripts/performance.py [--only peers,roofline,…] [--budget 20m] [--python PROGRAM]
                           [--build DIR]

Sections: machine, peers, roofline, dispatch, expressions; all by default. --budget bounds the peers
and, a quarter of it, the roofline. --python is the Python whose NumPy and Albucore are compared with.
Each section is replaced as soon as it is measured. Run it on a quiet machine.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/performance.md"


def output_of(*command, good=(0,)):
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if result.returncode not in good:
        sys.exit(f"{command[0]}: exit code {result.returncode}")
    return result.stdout


def machine(arguments):
    described = json.loads(output_of(arguments.build / "switchyard", "machine", "--json"))
    wanted = ("cpu", "system", "compiler", "limits", "state")
    lines = [f"Profile `{described['profile']}`.", "", "| Fact | Value |", "|---|---|"]
    for group in wanted:
        for name, value in described["facts"].get(group, {}).items():
            lines.append(f"| {group}: {name} | {value} |")
    return "\n".join(lines) + "\n"


def measured(arguments, command, budget, *options):
    return output_of(arguments.build / "switchyard", command, "--budget", budget, "--format",
                     "markdown", *options)


def peers(arguments):
    return measured(arguments, "peers", arguments.budget, "--python", arguments.python)


def quarter(budget):
    number, unit = re.fullmatch(r"(\d+)([smh]?)", budget).groups()
    return f"{max(1, int(number) * {'': 1, 's': 1, 'm': 60, 'h': 3600}[unit] // 4)}s"


def roofline(arguments):
    return measured(arguments, "roofline", quarter(arguments.budget))


def dispatch(arguments):
    counted = output_of(ROOT / "scripts/count_dispatch.sh",
                        arguments.build / "switchyard_dispatch_count", good=(0, 1))
    return f"```\n{counted}```\n"


def expressions(arguments):
    return output_of(arguments.build / "switchyard", "peers", "--expressions")


SECTIONS = {"machine": machine, "peers": peers, "roofline": roofline, "dispatch": dispatch,
            "expressions": expressions}


def put(name, text):
    begin, end = f"<!-- {name}: written by scripts/performance.py -->\n", f"<!-- /{name} -->\n"
    page = PAGE.read_text(encoding="utf-8")
    if begin not in page or end not in page:
        sys.exit(f"{PAGE.name}: the lines that enclose the section {name} are missing")
    wanted = begin + "\n" + text.strip("\n") + "\n\n" + end
    PAGE.write_text(re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: wanted, page,
                           flags=re.S), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default=",".join(SECTIONS), metavar="LIST")
    parser.add_argument("--budget", default="20m", metavar="TIME")
    parser.add_argument("--python", default="python3", metavar="PROGRAM")
    parser.add_argument("--build", default=ROOT / "build", metavar="DIR",
                        type=lambda text: pathlib.Path(text).resolve())
    arguments = parser.parse_args()
    if not re.fullmatch(r"\d+[smh]?", arguments.budget):
        parser.error(f"--budget {arguments.budget}: accepted are times like 90s, 5m, 1h")
    names = arguments.only.split(",")
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        parser.error(f"--only {unknown[0]}: accepted are {', '.join(SECTIONS)}")
    for name in names:
        put(name, SECTIONS[name](arguments))


if __name__ == "__main__":
    main()
