# Sourced by the scripts beside it, never run. It goes to the repository's root.
# shellcheck shell=bash

set -euo pipefail
script=$(realpath "$0")
invoked_from=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# With paths taken relative to the clone, one cache serves every build folder.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1

jobs=$(nproc)

# step TEXT…: a heading with the seconds since the script began.
step() {
  printf '\n==> [%4d s] %s\n' "$SECONDS" "$*"
}

# die TEXT…: bad usage or a missing requirement.
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 2
}

# usage: the comment block at the top of the calling script is its help text.
usage() {
  sed -n '2,/^$/{s/^# \{0,1\}//p}' "$script"
}

# as_root COMMAND…: runs it as root, directly or through sudo.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "needs root, and sudo is not installed, for: $*"
  fi
}

# absolute FILE: the path as the user meant it, in the folder where the script was started.
absolute() {
  case $1 in
  /*) printf '%s\n' "$1" ;;
  *) printf '%s\n' "$invoked_from/$1" ;;
  esac
}

# build PRESET [BUILD ARGUMENT…]: configures the preset's folder and builds in it.
build() {
  local preset=$1
  shift
  cmake --preset "$preset"
  cmake --build --preset "$preset" --parallel "$jobs" "$@"
}

# under_callgrind PROGRAM OPTION… -- ARGUMENT…: runs a program that counts itself: it switches
# callgrind on where it wants, gets the name of the files that callgrind writes, then the arguments.
# Returns its exit code.
under_callgrind() {
  local program=$1 options=() dumps status=0
  shift
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  command -v valgrind >/dev/null || die "needs valgrind: scripts/install_dependencies.sh"
  [ -x "$program" ] || die "$program: not built"
  dumps=$(mktemp --directory)
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$dumps'" EXIT
  valgrind --tool=callgrind --callgrind-out-file="$dumps/out" --log-file="$dumps/log" \
    --instr-atstart=no "${options[@]}" "$program" "$dumps/out" "$@" || status=$?
  if [ "$status" -gt 1 ]; then
    cat "$dumps/log" >&2
  fi
  return "$status"
}
