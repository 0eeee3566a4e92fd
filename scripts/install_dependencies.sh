#!/usr/bin/env bash
# Installs the Debian packages that the build and the tests need, only those that are missing.
#
#   scripts/install_dependencies.sh [--with-lint]
#
#   --with-lint   also what scripts/check.sh, the clang build, the sanitizers and the test of the
#                 report's page in a browser need
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

while [ $# -gt 0 ]; do
  case $1 in
  --with-lint) packages+=("${lint_packages[@]}") ;;
  -h | --help) usage && exit 0 ;;
  *) die "unknown argument: $1 (see --help)" ;;
  esac
  shift
done

command -v dpkg-query >/dev/null || die "this is no Debian; install the like of: ${packages[*]}"

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done

if [ ${#missing[@]} -eq 0 ]; then
  echo "all ${#packages[@]} packages are installed"
  exit 0
fi

echo "installing ${#missing[@]} of ${#packages[@]} packages: ${missing[*]}"
as_root apt-get update --quiet
as_root env DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends \
  "${missing[@]}"
