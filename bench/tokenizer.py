#!/usr/bin/env python3
"""bench/tokenizer.py: Portatune's tokenizer and Python packages for the same work, in the first pass of a process.

    python3 bench/tokenizer.py [--text FILE ...] [--model FOLDER ...] [--what ids|offsets] [--threads 1] [--rounds 7]
Each FILE is a TSV file with a header and a column `text`, or a text file, whose lines are the texts; all of them are
read once. Each FOLDER has a tokenizer.json of any kind. The defaults are the demo's reviews and model (BERT's
WordPiece). Peers are `tokenizers` 0.23.3 and 1.0.0rc3, and for ids alone also nanotoken 0.1.0 (WordPiece) and
gigatoken 0.10.0 (BPE), installed into temporary environments. Each round starts the programs one after the other. The
ids of all must be identical. Build with: ninja portatune_tokenizer_bench.

The last lines for a FOLDER are `RATIO <FOLDER's name> <program> <value>`: how many times faster Portatune is, by the
best round of each. For one thread the time is CPU time, which other work on the machine affects less; for several,
wall time.
"""

import argparse
import csv
import filecmp
import json
import os
import pathlib
import statistics
import sys
import tempfile

from harness import MINILM, PEERS, REVIEWS, ROOT, install, run

BENCH = ROOT / "build" / "bench" / "portatune_tokenizer_bench"
TOKENIZERS = ["tokenizers==0.23.3", "tokenizers==1.0.0rc3"]
# These peers compute only ids, and only for these models.
FASTEST = {"nanotoken==0.1.0": "WordPiece", "gigatoken==0.10.0": "BPE"}


def main():
    options = parse_options()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        size = write_texts(options.text, scratch / "texts")
        packages = TOKENIZERS + ([*FASTEST] if options.what == "ids" else [])
        pythons = {package: install(scratch / package, package) for package in packages}
        for model in options.model:
            report(model.name, measure(model, pythons, options, scratch), size, options)


def measure(model, pythons, options, scratch):
    """{program: (seconds to load, seconds to encode) of each round}"""
    kind = write_tokenizer(model, scratch)
    programs = {"portatune": [BENCH, scratch]}
    for package, python in pythons.items():
        if FASTEST.get(package, kind) == kind:
            programs[package] = [python, PEERS / "tokenizer.py", scratch / "tokenizer.json"]
    times = {name: [] for name in programs}
    for _ in range(options.rounds):
        for name, command in programs.items():
            package = [] if name == "portatune" else [name.split("==")[0]]
            words = [scratch / "texts", scratch / f"{name}.ids", options.what, options.threads, *package]
            load, cpu, wall = map(float, run(*command, *words)[0].split())
            times[name].append((load, cpu if options.threads == 1 else wall))
    check_ids(scratch, programs)
    return times


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=pathlib.Path, nargs="+", default=[REVIEWS / "train.tsv"])
    parser.add_argument("--model", type=pathlib.Path, nargs="+", default=[MINILM])
    parser.add_argument("--what", choices=["ids", "offsets"], default="ids")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    return parser.parse_args()


def write_texts(files, path):
    """Writes the texts in the format of tokenizer_bench.cpp and returns their size in bytes."""
    size = 0
    with open(path, "wb") as file:
        for text in (text.encode() for source in files for text in texts_of(source)):
            file.write(len(text).to_bytes(4, "little") + text)
            size += len(text)
    return size


def texts_of(path):
    with open(path, encoding="utf-8-sig", newline="" if path.suffix == ".tsv" else None) as file:
        if path.suffix == ".tsv":
            return [row["text"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
        return [line for line in file.read().split("\n") if line.strip()]


def write_tokenizer(model, folder):
    """Writes tokenizer.json without truncation and padding, as Portatune leaves both to the caller; returns its type."""
    config = json.loads((model / "tokenizer.json").read_text(encoding="utf-8"))
    config["truncation"] = config["padding"] = None
    (folder / "tokenizer.json").write_text(json.dumps(config), encoding="utf-8")
    return config["model"]["type"]


def check_ids(scratch, programs):
    for name in programs:
        if not filecmp.cmp(scratch / "portatune.ids", scratch / f"{name}.ids", shallow=False):
            sys.exit(f"the ids of portatune and {name} differ")


def report(model, times, size, options):
    load = os.getloadavg()[0]
    print(f"{model}: {options.what} of {size / 1e6:.2f} MB, threads: {options.threads}, load average {load:.1f}, ids agree")
    print(f"{'':22}{'MB/s best':>10}{'median':>9}{'load ms best':>14}{'median':>9}")
    for name, rounds in times.items():
        load, encode = zip(*rounds)
        speed = [size / 1e6 / seconds for seconds in (min(encode), statistics.median(encode))]
        print(f"{name:22}{speed[0]:10.1f}{speed[1]:9.1f}{1e3 * min(load):14.1f}{1e3 * statistics.median(load):9.1f}")
    best = {name: min(encode for _, encode in rounds) for name, rounds in times.items()}
    for name in times:
        if name != "portatune":
            print(f"RATIO {model} {name} {best[name] / best['portatune']:.2f}", flush=True)


if __name__ == "__main__":
    main()
