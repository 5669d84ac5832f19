#!/bin/sh
# fuzz/merge.sh FUZZER FOUND CORPUS SEEDS...
#   Copies to CORPUS the inputs of FOUND, of at most 4 kB, that cover code which neither CORPUS nor SEEDS cover.
set -eu
fuzzer=$1 found=$2 corpus=$3
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$corpus" "$work/known" "$work/small"

find "$@" -type f -exec cp --backup=numbered -t "$work/known" {} +
find "$found" -type f -size -4097c -exec cp -t "$work/small" {} +
ls "$work/known" > "$work/before"
if ! "$fuzzer" -set_cover_merge=1 -use_counters=0 "$work/known" "$work/small" > "$work/log" 2>&1; then
  tail "$work/log"
  exit 1
fi
ls "$work/known" | comm -13 "$work/before" - > "$work/new"
while read -r name; do
  cp "$work/known/$name" "$corpus/$(echo "$name" | cut -c 1-8)"
done < "$work/new"
echo "$(basename "$fuzzer"): $(wc -l < "$work/new") new inputs in $corpus"
