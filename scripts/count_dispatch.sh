#!/usr/bin/env bash
# Counts the instructions that a routed call executes beyond the direct call of its candidate.
#
#   scripts/count_dispatch.sh [PROGRAM]
#
#   PROGRAM   the built switchyard_dispatch_count; default: build/switchyard_dispatch_count
#
# The counts repeat exactly. The exit code is 1 where one exceeds its bound.

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

# Pins and tables of the caller's environment would count other routes than the build's own.
status=0
env -u SWITCHYARD_PIN -u SWITCHYARD_ROUTES -u SWITCHYARD_PROFILE -u SWITCHYARD_POOL \
  valgrind --tool=callgrind --callgrind-out-file="$dumps/out" --log-file="$dumps/log" \
  --instr-atstart=no "$program" "$dumps/out" || status=$?
if [ "$status" -gt 1 ]; then
  cat "$dumps/log" >&2
fi
exit "$status"
