#!/usr/bin/env bash
# tools/docs.sh COMMAND FOLDER
#   Builds the documentation as a site into FOLDER: index.html is its start. COMMAND is portatune, whose help texts are
#   part of the site. A link to a missing page or heading is an error.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
packages=$("$root/tools/python_packages.sh" "$root/docs/requirements.txt" docs-tools)
PORTATUNE_COMMAND=$(realpath "$1") PYTHONPATH="$packages" python3 -m sphinx \
  --builder html --conf-dir "$root/docs" --jobs auto --quiet --fail-on-warning --keep-going \
  --doctree-dir "$2/.doctrees" "$root" "$2"
echo "site: $2/index.html"
