#!/usr/bin/env bash
# Counts the instructions that routed calls take beyond their candidates' own, and those of a view of
# a cv::Mat, in valgrind's callgrind. Prints a table of Markdown.
#
#   scripts/count_dispatch.sh [PROGRAM [ROUTED UNCHECKED VIEW]]
#
#   PROGRAM   the built switchyard_dispatch_count; default: build/switchyard_dispatch_count
#   ROUTED UNCHECKED VIEW
#             the most that a routed call, one of unchecked:: and a view may take
#
# The exit code is 1 where something takes more.

# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

case ${1:-} in
-h | --help) usage && exit 0 ;;
esac
program=$(absolute "${1:-$PWD/build/switchyard_dispatch_count}")
command -v valgrind >/dev/null || die "needs valgrind: scripts/install_dependencies.sh"
[ -x "$program" ] || die "$program: not built"

dumps=$(mktemp --directory)
trap 'rm -rf "$dumps"' EXIT

status=0
valgrind --tool=callgrind --callgrind-out-file="$dumps/out" --log-file="$dumps/log" \
  --instr-atstart=no "$program" "$dumps/out" "${@:2}" || status=$?
if [ "$status" -gt 1 ]; then
  cat "$dumps/log" >&2
fi
exit "$status"
