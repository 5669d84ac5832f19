#!/usr/bin/env python3
"""Portune's tokenizer beside `tokenizers` 0.23.3 and 1.0.0rc3: ids only, one thread, first pass of a process.

    python3 bench/tokenizer.py [--tsv FILE] [--model FOLDER ...] [--rounds 7] [--megabytes 1]
FILE is a TSV file with a header and a column `text`, each FOLDER has a tokenizer.json of any kind; by default the demo's
reviews and model, which is BERT's WordPiece. The texts are repeated until they have the size asked for. Build with: ninja portune_tokenizer_bench. Peers are installed into throw-away environments. Each round starts each program anew, in turn; times are those of
the processor, so that other work on the machine counts less. The ids of all programs must be identical.

The last lines for a FOLDER are `RATIO <FOLDER's name> <program> <value>`: how many times faster Portune is, by the best
round of each.
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

BENCH = ROOT / "build" / "bench" / "portune_tokenizer_bench"
VERSIONS = ["0.23.3", "1.0.0rc3"]


def main():
    options = parse_options()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        size = write_texts(options, scratch / "texts")
        peers = {version: install(scratch / version, f"tokenizers=={version}") for version in VERSIONS}
        for model in options.model:
            report(model.name, measure(model, peers, options.rounds, scratch), size)


def measure(model, peers, rounds, scratch):
    """{program: (seconds to load, seconds to encode) of each round}"""
    write_tokenizer(model, scratch)
    programs = {"portune": [BENCH, scratch]}
    for version, python in peers.items():
        programs[f"tokenizers-{version}"] = [python, PEERS / "tokenizer.py", scratch / "tokenizer.json"]
    times = {name: [] for name in programs}
    for _ in range(rounds):
        for name, command in programs.items():
            times[name].append(cpu_seconds(command, scratch, name))
    check_ids(scratch, programs)
    return times


def parse_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tsv", type=pathlib.Path, default=REVIEWS / "train.tsv")
    parser.add_argument("--model", type=pathlib.Path, nargs="+", default=[MINILM])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--megabytes", type=float, default=1.0)
    return parser.parse_args()


def write_texts(options, path):
    """Writes the texts in the format of tokenizer_bench.cpp and returns their size in bytes."""
    with open(options.tsv, encoding="utf-8", newline="") as file:
        texts = [row["text"].encode() for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    size = 0
    with open(path, "wb") as file:
        while size < 1e6 * options.megabytes:
            for text in texts:
                file.write(len(text).to_bytes(4, "little") + text)
                size += len(text)
    return size


def write_tokenizer(model, folder):
    """tokenizer.json without stored truncation and padding, which Portune leaves to the caller."""
    config = json.loads((model / "tokenizer.json").read_text(encoding="utf-8"))
    config["truncation"] = config["padding"] = None
    (folder / "tokenizer.json").write_text(json.dumps(config), encoding="utf-8")


def cpu_seconds(command, scratch, name):
    """Those to load the tokenizer and to encode."""
    printed, _ = run(*command, scratch / "texts", scratch / f"{name}.ids")
    return tuple(map(float, printed.split()))


def check_ids(scratch, programs):
    for name in programs:
        if not filecmp.cmp(scratch / "portune.ids", scratch / f"{name}.ids", shallow=False):
            sys.exit(f"the ids of portune and {name} differ")


def report(model, times, size):
    print(f"{model}: {size / 1e6:.2f} MB of text, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors, ids agree")
    print(f"{'':22}{'MB/s best':>10}{'median':>9}{'load ms best':>14}{'median':>9}")
    for name, rounds in times.items():
        load, encode = zip(*rounds)
        speed = [size / 1e6 / seconds for seconds in (min(encode), statistics.median(encode))]
        print(f"{name:22}{speed[0]:10.1f}{speed[1]:9.1f}{1e3 * min(load):14.1f}{1e3 * statistics.median(load):9.1f}")
    best = {name: min(encode for _, encode in rounds) for name, rounds in times.items()}
    for name in times:
        if name != "portune":
            print(f"RATIO {model} {name} {best[name] / best['portune']:.2f}")


if __name__ == "__main__":
    main()
