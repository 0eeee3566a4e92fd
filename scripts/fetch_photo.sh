#!/usr/bin/env bash
# Fetches a photograph to work on and prints its path.
#
#   scripts/fetch_photo.sh
#
# The 640 × 427 photograph china.jpg is part of Debian's package python3-sklearn, which is
# downloaded and unpacked, but not installed, so that none of its dependencies come along.

# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

case ${1:-} in
'') ;;
-h | --help) usage && exit 0 ;;
*) die "unknown argument: $1 (see --help)" ;;
esac

photo=build/photo_data/china.jpg
if [ -s "$photo" ]; then
  echo "$photo"
  exit 0
fi

mkdir -p build/photo_data
staging=$(mktemp -d build/photo_data/.staging.XXXXXX)
trap 'rm -rf "$staging"' EXIT

# apt would hand the download to its user _apt, who may not write here.
download() {
  (cd "$staging" && apt-get -o APT::Sandbox::User=root --quiet download python3-sklearn >&2)
}
if ! download; then
  as_root apt-get update --quiet >&2 # the package lists may be missing or out of date
  download
fi
dpkg-deb --extract "$staging"/python3-sklearn_*.deb "$staging/root"
mv "$staging/root/usr/lib/python3/dist-packages/sklearn/datasets/images/china.jpg" "$photo"
echo "$photo"
