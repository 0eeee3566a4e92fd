#!/usr/bin/env bash
# Checks the committed evidence as a hosted CI does, with the program in build/.
#
#   scripts/check_evidence.sh [--against REV] [--markdown FILE]
#
#   --against REV     also say what changes since this revision; a regression fails
#   --markdown FILE   write that as Markdown to FILE instead of the terminal
#
# The files are sound and fit their schemas; the table that follows from them has the same bytes
# from another folder and in another locale; the routes in force, incumbents.json, are those that
# follow from the evidence. The exit code is 1 if a check failed.

# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

profiles=evidence/profiles
program=build/switchyard
against=
markdown=
while [ $# -gt 0 ]; do
  case $1 in
  --against) against=${2:?--against needs a revision} && shift ;;
  --markdown) markdown=$(absolute "${2:?--markdown needs a file}") && shift ;;
  -h | --help) usage && exit 0 ;;
  *) die "unknown argument: $1 (see --help)" ;;
  esac
  shift
done
[ -x "$program" ] || die "$program is missing: cmake --preset release && cmake --build --preset release"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

step "Files"
"$program" validate "$profiles" || exit $? # unsound files have no table
scripts/check_schema.py "$profiles" || failed=1

step "Table"
cp -r "$profiles" "$scratch/profiles"
"$program" tablegen --evidence "$profiles" --out "$scratch/routes.cpp" 2>"$scratch/warnings"
LC_ALL=C.UTF-8 TZ=Asia/Tokyo "$program" tablegen --evidence "$scratch/profiles" \
  --out "$scratch/again.cpp" 2>/dev/null
if cmp "$scratch/routes.cpp" "$scratch/again.cpp"; then
  echo "$(grep -c ^warning: "$scratch/warnings") warnings, $(wc -c <"$scratch/routes.cpp") bytes, the same twice"
else
  failed=1
fi

step "Routes in force"
"$program" tablegen --evidence "$scratch/profiles" --keep-incumbents 2>/dev/null
if diff -r --exclude='.*' "$profiles" "$scratch/profiles" >"$scratch/changes"; then
  echo "incumbents.json has the routes that follow from the evidence"
else
  head -n 20 "$scratch/changes"
  echo "incumbents.json differs; repair: $program tablegen --evidence $profiles --keep-incumbents"
  failed=1
fi

if [ -n "$against" ]; then
  step "Changes since $against"
  if [ -n "$markdown" ]; then
    "$program" diff "$against" "$profiles" --format markdown >"$markdown" || failed=1
    head -n 1 "$markdown"
  else
    "$program" diff "$against" "$profiles" || failed=1
  fi
fi
exit $failed
