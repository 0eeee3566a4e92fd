#!/usr/bin/env python3
"""Checks evidence against the JSON Schemas of evidence/schema.

    scripts/check_schema.py [PATH…]        files, profiles or folders of them; default: the
                                           committed profiles
    scripts/check_schema.py --self-test PROGRAM
                                           breaks files in many ways and checks that whatever the
                                           schemas refuse, `PROGRAM validate` refuses, too

Prints file, JSON pointer and fault, one line each; the exit code is 1 if there is any. `switchyard
validate` checks the same and more; this shows that the published schemas say what the program does.
"""

import argparse
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROFILES = ROOT / "evidence" / "profiles"


def validators():
    made = {}
    for name in ("variant", "machine", "incumbents"):
        schema = json.loads((ROOT / f"evidence/schema/{name}.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        made[name] = jsonschema.Draft202012Validator(schema)
    return made


def kind_of(file):
    return file.stem if file.name in ("machine.json", "incumbents.json") else "variant"


def files_of(path):
    if path.is_file():
        return [path]
    return sorted(file for file in path.rglob("*.json")
                  if not any(part.startswith(".") for part in file.relative_to(path).parts))


def faults_of(document, validator):
    for error in validator.iter_errors(document):
        yield "".join(f"/{part}" for part in error.absolute_path), error.message[:200]


def check(paths):
    validator_of = validators()
    faults = files = 0
    for path in paths:
        if not path.exists():
            sys.exit(f"check_schema.py: {path}: no such file or folder")
        for file in files_of(path):
            files += 1
            try:
                document = json.loads(file.read_text(encoding="utf-8"))
            except ValueError as error:
                print(f"{file}: {error}")
                faults += 1
                continue
            for pointer, what in faults_of(document, validator_of[kind_of(file)]):
                print(f"{file}: {pointer}: {what}")
                faults += 1
    print(f"{files} files fit their schemas" if faults == 0 else f"{faults} faults")
    return 1 if faults or files == 0 else 0


# ---- what the schemas refuse, the program refuses -----------------------------------------------

VALUES = (None, True, -1, 0, 0.5, 10**12, "", "X Y", "\u0000", [], {}, [1], "hot", 1e308)


def places(value, at=()):
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(
        value, list) else ()
    for key, child in items:
        yield from places(child, at + (key,))


def broken(document, place, choice):
    """The document with one place removed, replaced or, as an object, extended."""
    result = copy.deepcopy(document)
    if not place:
        return VALUES[choice.randrange(len(VALUES))]
    holder = result
    for key in place[:-1]:
        holder = holder[key]
    deed = choice.randrange(4)
    if deed == 0:
        del holder[place[-1]]
    elif deed == 1 and isinstance(holder[place[-1]], dict):
        holder[place[-1]]["surplus"] = 1
    else:
        holder[place[-1]] = VALUES[choice.randrange(len(VALUES))]
    return result


def small(document):
    """Few rows of each status, and the contexts that they name."""
    kept, seen = [], {}
    for row in document.get("rows", []):
        if seen.setdefault(row["status"], 0) < 2:
            seen[row["status"]] += 1
            kept.append(row)
    if "rows" in document:
        names = {row["context"] for row in kept}
        document = dict(document, rows=kept, contexts={
            name: context for name, context in document["contexts"].items() if name in names})
    if "routes" in document:
        document = dict(document, routes=document["routes"][:3])
    return document


def self_test(program):
    choice = random.Random(5)
    validator_of = validators()
    profile = sorted(path for path in PROFILES.iterdir() if path.is_dir())[0]
    refused = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        expected = []
        for source in ("hflip.json", "mean/global.json", "machine.json", "incumbents.json"):
            kind = kind_of(pathlib.Path(source))
            document = small(json.loads((profile / source).read_text()))
            everywhere = list(places(document))
            for number in range(150):
                bad = broken(document, choice.choice(everywhere), choice)
                if not any(faults_of(bad, validator_of[kind])):
                    continue
                file = folder / f"{kind}-{refused}" / source
                file.parent.mkdir(parents=True)
                file.write_text(json.dumps(bad))
                expected.append(file)
                refused += 1
        ran = subprocess.run([program, "validate", "--json", *map(str, expected)],
                             capture_output=True, text=True, check=False)
        told = {fault["file"] for fault in json.loads(ran.stdout)["faults"]}
        missed = [file for file in expected if str(file) not in told]
        for file in missed:
            print(f"{file.name}: the schema refuses it, validate does not: {file.read_text()[:300]}")
    print(f"{refused} broken files, {len(missed)} that the program takes")
    return 1 if missed or refused < 100 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=pathlib.Path, metavar="PATH")
    parser.add_argument("--self-test", metavar="PROGRAM")
    options = parser.parse_args()
    if options.self_test:
        return self_test(options.self_test)
    return check(options.paths or [PROFILES])


if __name__ == "__main__":
    sys.exit(main())
