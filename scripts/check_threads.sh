#!/usr/bin/env bash
# Looks for data races: builds the tests of threads, of the pool and of routing under
# ThreadSanitizer, in build-tsan/ and without optional backends, whose threads it can't follow, and
# runs them.
#
#   scripts/check_threads.sh

# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

case ${1:-} in
'') ;;
-h | --help) usage && exit 0 ;;
*) die "unknown argument: $1 (see --help)" ;;
esac

tests=(workers_test pool_test repeated_calls_test router_test)

step "Building into build-tsan/"
build tsan --target "${tests[@]}" public_reports_test

step "Running the tests"
cd build-tsan # a report of a race makes a program's exit code 66
for test in "${tests[@]}"; do
  "./$test"
done
./public_reports_test "THR-*"
