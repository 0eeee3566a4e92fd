#!/usr/bin/env bash
# Runs clang-tidy with the checks in .clang-tidy; any warning is a failure.
#
#   scripts/tidy.sh [FILE…]      without files: every source file but the slow ones
#
# Files of OpenCV and ATen, known by their names and includes, and the tests are left out: the
# headers of those libraries and of Catch take clang-tidy longer than all of ours. Needs
# third_party/; configures build/ where that has not been done.

# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

case ${1:-} in
-h | --help) usage && exit 0 ;;
-*) die "unknown argument: $1 (see --help)" ;;
esac

slow='#include [<"](opencv2/|ATen/|c10/|torch/|switchyard/(opencv|aten)\.hpp)'
if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t all < <(git ls-files --cached --others --exclude-standard -- '*.cpp' |
    grep --invert-match --extended-regexp '^tests/|(^|/)(opencv|aten)[^/]*$' | sort -u)
  [ ${#all[@]} -gt 0 ] || die "found no C++ file"
  mapfile -t files < <(grep --extended-regexp --files-without-match "$slow" "${all[@]}")
fi
[ -f build/compile_commands.json ] || cmake --preset release >/dev/null

# clang-tidy counts the warnings that it hides, file by file, on stderr: noise.
printf '%s\0' "${files[@]}" |
  xargs --null --max-args=1 --max-procs="$jobs" clang-tidy -p build --quiet \
    2> >(grep -v 'warnings\? generated\.$' >&2)
echo "clang-tidy: ${#files[@]} files"
