#!/usr/bin/env bash
# Formats every C++ file of the repository in place.
#
#   scripts/format.sh [--check]
#
#   --check   change nothing; list what is not formatted and exit 1

# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

mode=(-i)
case ${1:-} in
'') ;;
--check) mode=(--dry-run -Werror) ;;
-h | --help) usage && exit 0 ;;
*) die "unknown argument: $1 (see --help)" ;;
esac

# Files that are new and not yet added count too.
mapfile -t files < <(git ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp' | sort -u)
[ ${#files[@]} -gt 0 ] || die "found no C++ file"
clang-format "${mode[@]}" --style=file "${files[@]}"
echo "clang-format: ${#files[@]} files"
