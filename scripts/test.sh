#!/usr/bin/env bash
# Installs what is missing, builds Release into build/ and runs every test.
#
#   scripts/test.sh [CTEST ARGUMENT…]      for example: scripts/test.sh -R conformance
#
# The last lines are ctest's own summary, and the exit code is ctest's. Running no test at all
# is a failure.

# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

case ${1:-} in
-h | --help) usage && exit 0 ;;
esac

step "Installing what is missing"
scripts/install_dependencies.sh
scripts/fetch_third_party.sh

step "Building into build/"
build release

step "Running the tests"
# ctest hides what passing tests print. Lines that begin with "conformance: ", the number of cases
# by op, are brought out of its log and shown in front of its summary, which stays last.
show_counts() {
  awk -v log_file=build/Testing/Temporary/LastTest.log '
    /^[0-9]+% tests passed/ { summary = 1 }
    summary { held = held $0 "\n"; next }
    { print; fflush() }
    END {
      while ((getline line < log_file) > 0) if (line ~ /^conformance: /) print line
      printf "\n%s", held
    }'
}

ctest --preset release --no-tests=error -j"$jobs" "$@" | show_counts
