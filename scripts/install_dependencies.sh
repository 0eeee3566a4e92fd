#!/usr/bin/env bash
# Installs the Debian packages that the build and the tests need, only those that are missing.
#
#   scripts/install_dependencies.sh [--with-lint] [--with-neon]
#
#   --with-lint   also what scripts/check.sh, the clang build, the sanitizers and the test of the
#                 report's page in a browser need
#   --with-neon   also what scripts/check_neon.sh needs: a compiler for arm64, libraries for it
#                 beside this machine's own, and qemu-user
#
# Works as root or through sudo; asks no questions.

# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

# python3-pip, -setuptools and -wheel unpack the header-only libraries' source packages.
packages=(
  g++ cmake ninja-build ccache git pkg-config ca-certificates
  libtorch-dev libopencv-dev nlohmann-json3-dev libbenchmark-dev catch2 librapidcheck-dev libfmt-dev
  libhwy-dev libcli11-dev libstb-dev libjs-chart.js valgrind
  python3 python3-pip python3-setuptools python3-wheel python3-jsonschema python3-yaml
)
lint_packages=(clang clang-tidy clang-format libclang-rt-14-dev shellcheck chromium)

neon_packages=(
  g++-aarch64-linux-gnu qemu-user
  libhwy-dev:arm64 libfmt-dev:arm64 libstb-dev:arm64 libbenchmark-dev:arm64 librapidcheck-dev:arm64
)
with_neon=false

while [ $# -gt 0 ]; do
  case $1 in
  --with-lint) packages+=("${lint_packages[@]}") ;;
  --with-neon) with_neon=true && packages+=("${neon_packages[@]}") ;;
  -h | --help) usage && exit 0 ;;
  *) die "unknown argument: $1 (see --help)" ;;
  esac
  shift
done

command -v dpkg-query >/dev/null || die "this is no Debian; install the like of: ${packages[*]}"

# Another architecture's package of the same name does not count.
own=$(dpkg --print-architecture)
missing=()
for package in "${packages[@]}"; do
  architecture=$own
  case $package in *:*) architecture=${package#*:} ;; esac
  dpkg-query --show --showformat='${db:Status-Status} ${Architecture}\n' "$package" 2>/dev/null |
    grep --quiet --line-regexp --extended-regexp "installed ($architecture|all)" ||
    missing+=("$package")
done

if [ ${#missing[@]} -eq 0 ]; then
  echo "all ${#packages[@]} packages are installed"
  exit 0
fi

echo "installing ${#missing[@]} of ${#packages[@]} packages: ${missing[*]}"
if $with_neon && [ "$own" != arm64 ]; then
  as_root dpkg --add-architecture arm64
fi
as_root apt-get update --quiet
as_root env DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends \
  "${missing[@]}"
