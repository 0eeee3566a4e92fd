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

# Pins and tables of the caller's environment would count other routes than the build's own.
unset SWITCHYARD_PIN SWITCHYARD_ROUTES SWITCHYARD_PROFILE SWITCHYARD_POOL
under_callgrind "$program" --
