#!/usr/bin/env bash
# tools/wheel.sh FOLDER [PYTHON]
#   Builds the wheel into FOLDER with the interpreter PYTHON (default: python3): see docs/install.md. The packages that
#   build it come from python/build-requirements.txt and are kept in $XDG_CACHE_HOME/portatune or ~/.cache/portatune.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/portatune"
python=${2:-python3}
packages=$("$root/tools/python_packages.sh" "$root/python/build-requirements.txt" wheel-tools "$python")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export PYTHONPATH="$packages" PATH="$packages/bin:$PATH"

# These names of the compilers are those that CMake chooses by itself, so that ccache shares objects with `make build`.
CC=cc CXX=c++ "$python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
  --config-settings=cmake.define.PORTATUNE_DEPS="$cache/deps" --wheel-dir "$work/built" "$root"

# The wheel gets copies of the Debian libraries that the command and its plug-ins are linked with. MPI is the user's, and
# Arrow comes from the package pyarrow.
mkdir -p "$1"
"$python" -m auditwheel repair --wheel-dir "$1" --exclude 'libmpi.so.*' --exclude 'libarrow*' --exclude 'libparquet*' \
  "$work"/built/*.whl
