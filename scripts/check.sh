#!/usr/bin/env bash
# Everything that is checked besides the tests: formatting, clang-tidy, shell scripts, layers.
#
#   scripts/check.sh
#
# All checks run, also after one has failed; the exit code is 1 if any has.

# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

case ${1:-} in
'') ;;
-h | --help) usage && exit 0 ;;
*) die "unknown argument: $1 (see --help)" ;;
esac

failed=()
# check NAME COMMAND…: runs it and remembers a failure.
check() {
  local name=$1
  shift
  step "$name"
  "$@" || failed+=("$name")
}

shell_scripts() {
  local file status=0
  for file in scripts/*.sh .ci/run; do
    bash -n "$file" || status=1
  done
  if command -v shellcheck >/dev/null; then
    shellcheck --external-sources scripts/*.sh .ci/run || status=1
  else
    echo "shellcheck is not installed: syntax checked only"
  fi
  return $status
}

layers() {
  python3 scripts/check_layers.py --self-test && python3 scripts/check_layers.py
}

check "Formatting" scripts/format.sh --check
check "Layers" layers
check "Shell scripts" shell_scripts
check "clang-tidy" scripts/tidy.sh

if [ ${#failed[@]} -gt 0 ]; then
  printf '\nfailed: %s\n' "${failed[@]}"
  exit 1
fi
step "All checks passed"
