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
# ctest hides what passing tests print; the number of conformance cells by op is worth seeing.
rm -rf build/conformance_cells
ctest --preset release --no-tests=error -j"$jobs" "$@" |
  python3 scripts/add_cell_counts.py build/conformance_cells
