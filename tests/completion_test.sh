#!/bin/bash
# Drives bash's own completion with the script that the program prints.
#
#   tests/completion_test.sh SWITCHYARD
set -euo pipefail

program=$1
# shellcheck disable=SC1090 # written by the program under test
source <("$program" completion bash)
checks=0

fail() {
  echo "completion: $*" >&2
  exit 1
}

# What bash would offer after these words, the last of which is being typed.
offered() {
  COMP_WORDS=(switchyard "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _switchyard
  printf '%s\n' "${COMPREPLY[@]+"${COMPREPLY[@]}"}"
}

# offers WORD… -- EXPECTED…: all of these are among what is offered.
# refuses WORD… -- EXPECTED…: none is.
compare() {
  local how=$1 line=() got word
  shift
  while [[ $1 != -- ]]; do
    line+=("$1")
    shift
  done
  shift
  got=$(offered "${line[@]}")
  for word in "$@"; do
    if grep -qxF -e "$word" <<<"$got"; then
      [[ $how == offers ]] || fail "${line[*]}: offers $word"
    else
      [[ $how == refuses ]] || fail "${line[*]}: lacks $word; offers: ${got//$'\n'/ }"
    fi
    checks=$((checks + 1))
  done
}

[[ $(complete -p switchyard) == *"-F _switchyard switchyard" ]] || fail "nothing is registered"

# Every command, and every long option that its help prints.
mapfile -t commands < <("$program" --help | awk 'listed && /^  [^ ]/ {print $1} /^Subcommands:/ {listed=1}')
((${#commands[@]} > 5)) || fail "the help lists no commands"
compare offers '' -- "${commands[@]}"
for command in "${commands[@]}"; do
  mapfile -t options < <("$program" "$command" --help | grep -oE '^  (-h,)?--[a-z-]+' |
    sed 's/.*--/--/')
  ((${#options[@]} > 0)) || fail "$command: the help lists no options"
  compare offers "$command" - -- "${options[@]}"
done

compare offers ex -- explain
compare refuses ex -- ops
# Names of the registry.
compare offers explain '' -- multiply_add/scalar vflip
compare offers explain multiply_add/v -- multiply_add/vector
compare refuses explain multiply_add/v -- multiply_add/scalar
compare offers routes --op mul -- multiply multiply/array
# Dtypes are those of the variant, wherever it stands; also after the sign that bash splits at.
compare offers explain vflip --dtype '' -- u8 u16 f32
compare refuses explain vflip --dtype '' -- f64
compare offers explain --threads 2 matmul --dtype f -- f32 f64
compare offers explain vflip --dtype = '' -- u16
compare offers explain vflip --dtype '=' -- u16
compare offers explain vflip --dtype = u8 --out '' -- into fresh inplace
compare offers explain vflip --layout '' -- contiguous planar
# Candidates of an op are those of all its variants.
compare offers run multiply_add --candidate '' -- fused lut loop
compare refuses run vflip --candidate '' -- lut
# What is no word is a file.
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
touch "$folder/picture.png"
compare offers run vflip "$folder/pic" -- "$folder/picture.png"
compare offers tablegen --evidence "$folder/pic" -- "$folder/picture.png"
compare refuses explain '' -- "$folder/picture.png"

echo "completion: $checks checks"
