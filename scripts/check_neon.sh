#!/usr/bin/env bash
# Proves our own kernels on 64-bit Arm: cross-compiles tests that compute with them for NEON, in
# build-neon/ and without optional backends, and runs them under qemu-user.
#
#   scripts/check_neon.sh [CTEST ARGUMENT…]      for example: scripts/check_neon.sh -R matmul
#
# Installs nothing: scripts/install_dependencies.sh --with-neon gets what is missing. Running no
# test at all is a failure.

# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

case ${1:-} in
-h | --help) usage && exit 0 ;;
esac

# Every kernel, every function's special cases, committed results, and the control register.
tests=(conformance_test functions_test golden_test pointwise_test router_test)

for tool in aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v "$tool" >/dev/null ||
    die "$tool is missing: run scripts/install_dependencies.sh --with-neon"
done
for library in hwy fmt; do
  [ -e "/usr/lib/aarch64-linux-gnu/lib$library.so" ] ||
    die "lib$library for arm64 is missing: run scripts/install_dependencies.sh --with-neon"
done

step "Building for NEON into build-neon/"
build neon --target "${tests[@]}"

step "Running the tests under qemu-user"
labels=$(IFS='|' && printf '^(%s)$' "${tests[*]}")
ctest --preset neon --no-tests=error -j"$jobs" --label-regex "$labels" "$@"
