#!/usr/bin/env bash
# tools/python_packages.sh [--find] REQUIREMENTS NAME [PYTHON]
#   Installs the pinned packages of a file of requirements into $XDG_CACHE_HOME/portatune/NAME-HASH or
#   ~/.cache/portatune/NAME-HASH with the interpreter PYTHON (default: python3), unless they are there, and prints this
#   folder. With --find it installs nothing, and ends with exit code 1 if they are not there.
set -euo pipefail

find=no
if [[ $1 == --find ]]; then
  find=yes
  shift
fi
python=${3:-python3}
cache="${XDG_CACHE_HOME:-$HOME/.cache}/portatune"
python_version=$("$python" -c 'import sys; print(*sys.version_info[:2], sep=".")')
packages="$cache/$2-$( (cat "$1"; echo "$python_version") | sha256sum | cut -c1-12)"
if [[ ! -e $packages ]]; then
  if [[ $find == yes ]]; then exit 1; fi
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/$2-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  "$python" -m pip install --quiet --disable-pip-version-check --no-warn-conflicts --root-user-action ignore \
    --require-hashes --requirement "$1" --target "$work/packages" >&2
  mv -T "$work/packages" "$packages" || [[ -e $packages ]]  # another call may have been faster
fi
echo "$packages"
