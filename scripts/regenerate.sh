#!/usr/bin/env bash
# Tunes this machine: measures every candidate, writes the evidence, compiles the routes that
# follow from it, and shows them at work on a photograph.
#
#   scripts/regenerate.sh [--ops GLOB] [--full] [--threads LIST] [--budget TIME] [--image FILE]
#                         [--stale] [--resume] [--shard I/N]
#
#   --ops GLOB       only the variants that match, for example 'multiply_add/*'
#   --full           the whole benchmark matrix instead of the quick one
#   --threads LIST   thread budgets to measure, for example 1,2
#   --budget TIME    stop measuring after about this long, for example 90s; default: 2m, with
#                    --full or --stale none. A longer one measures more shapes of each op
#   --stale          measure again what no longer holds, and no more
#   --resume         go on with the campaign that was interrupted
#   --shard I/N      measure the I-th of N parts; `switchyard merge` puts them together
#   --image FILE     the picture for the example program instead of a downloaded photograph
#
# The evidence goes to evidence/profiles/<this machine's profile>/, the pictures to
# build/photo_output/. Review the evidence with git diff, and commit it.

# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

image=
bench=()
while [ $# -gt 0 ]; do
  case $1 in
  --full | --stale | --resume) bench+=("$1") ;;
  --ops | --threads | --budget | --shard | --image)
    [ $# -ge 2 ] || die "$1 needs a value (see --help)"
    if [ "$1" = --image ]; then image=$2; else bench+=("$1" "$2"); fi
    shift
    ;;
  -h | --help) usage && exit 0 ;;
  *) die "unknown argument: $1 (see --help)" ;;
  esac
  shift
done
if [ -n "$image" ]; then
  image=$(absolute "$image")
  [ -r "$image" ] || die "--image: cannot read $image"
fi

programs=(switchyard_cli switchyard_tablegen switchyard_benchmark photo)

step "Installing what is missing"
scripts/install_dependencies.sh
scripts/fetch_third_party.sh
[ -n "$image" ] || image=$(scripts/fetch_photo.sh)

step "Building into build/"
build release --target "${programs[@]}"

step "Measuring this machine"
build/switchyard bench --evidence evidence/profiles "${bench[@]}"

# The evidence files are inputs of the generated table, so building again is enough.
step "Compiling the new routes"
build release --target "${programs[@]}"

step "Applying routed ops to $image"
mkdir -p build/photo_output
build/photo "$image" build/photo_output

step "Done. Evidence: evidence/profiles/. Pictures: build/photo_output/"
git status --short evidence/profiles 2>/dev/null || true
