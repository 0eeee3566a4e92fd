#!/usr/bin/env bash
# Compares the memory traffic that candidates declare with what valgrind's simulated cache counts.
#
#   scripts/check_traffic.sh [PROGRAM [OPS]]
#
#   PROGRAM   the built switchyard_traffic_count; default: build/switchyard_traffic_count
#   OPS       variants: comma-separated shell patterns, such as 'mean_std*'; default: all
#
# The exit code is 1 where a candidate moves more or less than it declares.

# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

case ${1:-} in
-h | --help) usage && exit 0 ;;
esac
program=$(absolute "${1:-$PWD/build/switchyard_traffic_count}")

# A last-level cache smaller than the arrays, so that a pass through an array always misses, yet not
# smaller than the blocks that candidates work on. Nothing is simulated but the calls themselves: the
# program switches it on for them.
under_callgrind "$program" --cache-sim=yes --simulate-wb=yes \
  --I1=16384,2,64 --D1=16384,2,64 --LL=262144,16,64 -- "${2:-*}"
