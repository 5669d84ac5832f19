#!/usr/bin/env bash
# tools/python_packages.sh REQUIREMENTS NAME
#   Installs the pinned packages of a file of requirements into $XDG_CACHE_HOME/portatune/NAME-HASH or
#   ~/.cache/portatune/NAME-HASH, unless they are there, and prints this folder.
set -euo pipefail

cache="${XDG_CACHE_HOME:-$HOME/.cache}/portatune"
packages="$cache/$2-$(sha256sum "$1" | cut -c1-12)"
if [[ ! -e $packages ]]; then
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/$2-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  python3 -m pip install --quiet --disable-pip-version-check --no-warn-conflicts --root-user-action ignore \
    --require-hashes --requirement "$1" --target "$work/packages" >&2
  mv -T "$work/packages" "$packages"
fi
echo "$packages"
