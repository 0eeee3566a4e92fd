#!/usr/bin/env python3
"""Checks what `switchyard` prints, and that docs/command-line.md describes it.

    scripts/check_command_line.py build/switchyard

Every command's help fits 80 columns, and the command has a section of its own in the page, which
names each of its options and no other. Commands that take no time are run: what they print fits 80
columns and has no control character, on a terminal or not, --json is JSON with the fields that the
page names, and errors are one line on stderr with the exit code 2.
"""

import json
import os
import pathlib
import pty
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "command-line.md"
COLUMNS = 80

# Commands without --json, and commands that are too slow or change files; the latter's JSON is
# tested where they are.
EXPLAIN = ["explain", "multiply_add/scalar", "--dtype", "u8", "--shape", "480x640x3"]
QUICK = [["validate", "evidence/profiles"], ["diff", "evidence/profiles", "evidence/profiles"],
         ["ops"], ["routes"], ["routes", "--op", "multiply_add"], ["machine"], EXPLAIN,
         [*EXPLAIN, "--threads", "2", "--exactness", "bitwise"],
         ["explain", "mean/global", "--dtype", "u8", "--shape", "1080x1920x3"],
         ["explain", "normalize_per_image/image_per_channel", "--dtype", "f32", "--shape",
          "7x31x33x5", "--layout", "planar", "--out", "fresh"]]
TEXT_ONLY = [["bench", "--full", "--dry-run"], ["bench", "--stale", "--dry-run"]]
# Markdown, whose tables are as wide as they are.
MARKDOWN = [["handoff", "vflip"]]
WRONG = [["handoff", "nonsense"], ["handoff", "vflip", "--against", "no_such_revision"],
         ["validate", "/nonsense"], ["diff", "/nonsense"], ["diff", "a", "b", "c"],
         ["nonsense"], ["ops", "--nonsense"], ["routes", "--op", "nonsense"],
         ["explain", "nonsense", "--dtype", "u8", "--shape", "2x2x3"],
         ["explain", "vflip", "--dtype", "u9", "--shape", "2x2x3"],
         ["explain", "vflip", "--dtype", "u8", "--shape", "2by2"],
         ["explain", "vflip", "--dtype", "u8", "--shape", "99999x99999x99999"],
         ["explain", "vflip", "--dtype", "u8", "--shape", "2x2x3", "--layout", "nonsense"],
         ["explain", "vflip", "--dtype", "u8", "--shape", "2x2x3", "--threads", "0"],
         ["explain", "vflip", "--dtype", "u8", "--shape", "2x2x3", "--params", "nonsense"],
         ["explain", "vflip", "--dtype", "u8", "--shape", "2x2x3", "--profile", "nonsense"],
         ["explain", "vflip", "--dtype", "u8", "--shape", "2x2x3", "--evidence", "/nonsense"],
         ["explain", "rot90", "--dtype", "u8", "--shape", "2x2x3", "--out", "inplace"],
         ["stability", "/nonsense", "/nonsense"], ["completion", "nonsense"]]

faults = []


def fault(arguments, what):
    faults.append(f"switchyard {' '.join(arguments)}: {what}")


def run(program, arguments):
    return subprocess.run([program, *arguments], cwd=ROOT, capture_output=True, text=True,
                          check=False)


def check_text(arguments, text):
    for line in text.splitlines():
        # A path or another long word has a line of its own, whole.
        if len(line) > COLUMNS and len(line.split()) > 1:
            fault(arguments, f"{len(line)} columns: {line}")
        if any(ord(c) < 32 for c in line):
            fault(arguments, f"a control character: {line!r}")


def on_terminal(program, arguments):
    """Output on a terminal, with colours unwanted or not forbidden."""
    texts = []
    for no_color in (None, "1"):
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        environment["TERM"] = "xterm-256color"
        if no_color:
            environment["NO_COLOR"] = no_color
        master, slave = pty.openpty()
        with subprocess.Popen([program, *arguments], cwd=ROOT, stdout=slave,
                              stderr=subprocess.DEVNULL, env=environment):
            os.close(slave)
            data = b""
            try:
                while chunk := os.read(master, 1 << 16):
                    data += chunk
            except OSError: # the other end is closed
                pass
        os.close(master)
        texts.append(data.decode().replace("\r\n", "\n"))
    return texts


def sections():
    """The page's sections by command."""
    parts = re.split(r"^## `?([a-z]+)`?$", PAGE.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def commands(program):
    listing = run(program, ["--help"]).stdout.partition("Subcommands:")[2]
    return re.findall(r"^  ([a-z]\S*)", listing, flags=re.MULTILINE)


def check_help(program, command, section):
    arguments = [command, "--help"]
    text = run(program, arguments).stdout
    check_text(arguments, text)
    if section is None:
        fault(arguments, f"{PAGE.name} has no section \"## {command}\"")
        return
    options = set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, flags=re.MULTILINE)) - {"--help"}
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", section)) - {"--help"}
    for option in sorted(options - named):
        fault(arguments, f"{PAGE.name} does not name {option}")
    for option in sorted(named - options):
        fault(arguments, f"{PAGE.name} names {option}, which it does not have")
    if "Exit" not in section:
        fault(arguments, f"{PAGE.name} does not say its exit codes")


def check_run(program, arguments, section, has_json):
    result = run(program, arguments)
    if result.returncode != 0:
        fault(arguments, f"exit code {result.returncode}: {result.stderr.strip()}")
        return
    if arguments not in MARKDOWN:
        check_text(arguments, result.stdout)
    if has_json:
        arguments = [*arguments, "--json"]
        for name in json.loads(run(program, arguments).stdout):
            if f"`{name}`" not in section:
                fault(arguments, f"{PAGE.name} does not name the field {name}")


def check_error(program, arguments):
    result = run(program, arguments)
    lines = result.stderr.splitlines()
    if result.returncode != 2 or result.stdout or len(lines) != 1 or \
            not lines[0].startswith("switchyard: "):
        fault(arguments, f"exit code {result.returncode}, stdout {result.stdout!r}, "
                         f"stderr {result.stderr!r}")


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    known = commands(program)
    documented = sections()
    check_text(["--help"], run(program, ["--help"]).stdout)
    for command in known:
        check_help(program, command, documented.get(command))
    for command in sorted(set(documented) - set(known)):
        fault([command], f"has a section in {PAGE.name}, but is no command")
    for arguments in QUICK + MARKDOWN:
        check_run(program, arguments, documented.get(arguments[0], ""), True)
    for arguments in TEXT_ONLY:
        check_run(program, arguments, "", False)
    for arguments in (["ops"], EXPLAIN, ["routes", "--op", "vflip"]):
        for text in on_terminal(program, arguments):
            check_text(arguments, text)
    for arguments in WRONG:
        check_error(program, arguments)
    for line in faults:
        print(line, file=sys.stderr)
    print(f"{len(known)} commands, {len(faults)} faults")
    return 1 if faults or not known else 0


if __name__ == "__main__":
    sys.exit(main())
