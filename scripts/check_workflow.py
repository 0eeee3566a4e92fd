#!/usr/bin/env python3
"""Checks that the workflow in docs/ci parses and runs only what exists.

    scripts/check_workflow.py PROGRAM      PROGRAM: the switchyard of a build

Every `run` is sound shell; the scripts that it names exist and take its options; so do the
subcommands of `PROGRAM` and the options that scripts/check_evidence.sh gives them. CMake presets
and targets exist. actionlint, where it is installed, checks the rest.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKFLOW = ROOT / "docs" / "ci" / "evidence.yml"


def succeeds(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, **options)


def script_faults(text):
    for script in sorted(set(re.findall(r"\bscripts/[\w.]+", text))):
        path = ROOT / script
        if not path.is_file() or not path.stat().st_mode & 0o100:
            yield f"{script}: is no program"
    for script, options in re.findall(r"(scripts/[\w.]+)((?: +\"?[-$\w.]+\"?)+)", text):
        known = (ROOT / script).read_text() if (ROOT / script).is_file() else ""
        for option in re.findall(r"--[\w-]+", options):
            if option not in known:
                yield f"{script}: does not take {option}"


def cmake_faults(text):
    presets = json.loads((ROOT / "CMakePresets.json").read_text())
    names = {preset["name"] for preset in presets["configurePresets"]}
    for preset in re.findall(r"--preset (\S+)", text):
        if preset not in names:
            yield f"cmake: there is no preset {preset}"
    targets = (ROOT / "CMakeLists.txt").read_text()
    for target in re.findall(r"--target (\S+)", text):
        if f"add_executable({target}" not in targets:
            yield f"cmake: there is no target {target}"


def program_faults(program, text):
    calls = re.findall(r'"\$program" (\w+)((?:[^|&;\n]|\\\n)*)', text)
    if not calls:
        yield "scripts/check_evidence.sh: runs no subcommand"
    for name, rest in calls:
        help_text = succeeds(program, name, "--help")
        if help_text.returncode != 0:
            yield f"{name}: is no subcommand"
            continue
        for option in re.findall(r"--[\w-]+", rest):
            if option not in help_text.stdout:
                yield f"{name}: does not take {option}"


def faults(program):
    document = yaml.safe_load(WORKFLOW.read_text())
    runs = []
    for name, job in document["jobs"].items():
        for number, step in enumerate(job["steps"]):
            if ("run" in step) == ("uses" in step):
                yield f"{name}: step {number} has to have either run or uses"
            if "uses" in step and not re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"]):
                yield f"{name}: {step['uses']}: is no action of a version"
            if "run" in step:
                runs.append(step["run"])
    if len(runs) < 3:
        yield "hardly anything is run"
    for run in runs:
        if "${{" in run:
            yield "an expression in shell can be anybody's text: pass it through env"
        checked = succeeds("bash", "-n", input=run)
        if checked.returncode != 0:
            yield checked.stderr.strip()
    text = "\n".join(runs)
    yield from script_faults(text)
    yield from cmake_faults(text)
    yield from program_faults(program, (ROOT / "scripts" / "check_evidence.sh").read_text())
    if shutil.which("actionlint"):
        linted = succeeds("actionlint", str(WORKFLOW))
        if linted.returncode != 0:
            yield linted.stdout.strip()


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip())
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    found = list(faults(str(pathlib.Path(sys.argv[1]).resolve())))
    for line in found:
        print(f"{WORKFLOW.relative_to(ROOT)}: {line}")
    print(f"{len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
