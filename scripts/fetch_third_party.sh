#!/usr/bin/env bash
# Fetches the headers of NumKong and StringZilla into third_party/, which git ignores.
#
#   scripts/fetch_third_party.sh
#
# scripts/third_party.txt names the versions and the hashes that the downloads must have. Only
# the headers and the licence of each source package are kept. What is there already is left
# alone; an interrupted run is repaired by the next one.

# shellcheck source=scripts/common.sh
source "$(dirname "$0")/common.sh"

case ${1:-} in
'') ;;
-h | --help) usage && exit 0 ;;
*) die "unknown argument: $1 (see --help)" ;;
esac

# Debian's own interpreter: the packages that pip needs are installed for that one.
python=/usr/bin/python3
[ -x "$python" ] || python=python3

mkdir -p third_party
exec 9>third_party/.lock
flock 9
rm -rf third_party/.staging.* # left by an interrupted run: nobody else holds the lock

# fetch NAME VERSION REQUIREMENT: puts a complete third_party/NAME in place by one rename.
fetch() {
  local name=$1 version=$2 requirement=$3 staging
  staging=$(mktemp -d third_party/.staging.XXXXXX)
  printf '%s\n' "$requirement" >"$staging/requirement.txt"

  # Without build isolation pip reads the package's metadata with Debian's setuptools, and
  # downloads nothing but what the hash vouches for.
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-build-isolation \
    --no-binary "$name" --require-hashes --requirement "$staging/requirement.txt" \
    --dest "$staging/download"

  mkdir "$staging/$name"
  tar --extract --gzip --file "$staging/download/$name-$version.tar.gz" --no-same-owner --touch \
    --strip-components=1 --directory "$staging/$name" \
    "$name-$version/include" "$name-$version/LICENSE"
  mv "$staging/requirement.txt" "$staging/$name/.fetched"
  chmod 755 "$staging/$name"

  rm -rf "third_party/$name"
  mv "$staging/$name" "third_party/$name"
  rm -rf "$staging"
}

while read -r requirement; do
  case $requirement in '' | '#'*) continue ;; esac
  [[ $requirement =~ ^([a-z0-9_]+)==([0-9.]+)\ --hash=sha256:[0-9a-f]{64}$ ]] ||
    die "scripts/third_party.txt: not NAME==VERSION --hash=sha256:…: $requirement"
  name=${BASH_REMATCH[1]} version=${BASH_REMATCH[2]}
  if [ -d "third_party/$name/include" ] &&
    [ "$(cat "third_party/$name/.fetched" 2>/dev/null)" = "$requirement" ]; then
    echo "third_party/$name: $version is there"
  else
    fetch "$name" "$version" "$requirement"
    echo "third_party/$name: fetched $version"
  fi
done <scripts/third_party.txt
