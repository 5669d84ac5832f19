#!/usr/bin/env python3
"""bench/tokenizer_train.py: Portatune and `tokenizers` 0.23.3 train the same tokenizers on the lines of a text.

    python3 bench/tokenizer_train.py --text FILE [--vocab-size 30000] [--threads 2] [--rounds 5]
Each round starts `portatune tokenizer train` and the peer one after the other, each on `--threads` cores. The time
is that of the whole process, the memory its largest resident size. The merges of bpe must be identical; those of
wordpiece depend on a hash table of the peer, and unigram prunes a few other pieces.
"""

import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

from harness import PEERS, PORTATUNE, peer_python, report_seconds

TYPES = ["wordpiece", "bpe", "unigram"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=pathlib.Path, required=True)
    parser.add_argument("--vocab-size", type=int, default=30000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.threads])
    for kind in TYPES:
        with tempfile.TemporaryDirectory() as folder:
            compare(kind, options, pathlib.Path(folder))


def compare(kind, options, scratch):
    ours, theirs = scratch / "portatune", scratch / "peer.json"
    words = [PORTATUNE, "tokenizer", "train", options.text, "--type", kind, "-q", "--output", ours]
    peer = [peer_python(), PEERS / "tokenizer_train.py", options.text, kind, options.vocab_size, theirs]
    figures = {"portatune": [], "peer": []}
    for _ in range(options.rounds):
        shutil.rmtree(ours, ignore_errors=True)
        figures["portatune"].append(measure(words + ["--vocab-size", options.vocab_size]))
        figures["peer"].append(measure(peer))
    check(kind, ours / "tokenizer.json", theirs)
    for side, measured in figures.items():
        print(f"  {side:8} largest resident size {max(size for _, size in measured) / 1e6:.0f} MB")
    report_seconds(f"tokenizer_train_{kind}", *([seconds for seconds, _ in measured] for measured in figures.values()))


def measure(command):
    """(seconds, largest resident bytes) of a process."""
    begin = time.perf_counter()
    child = os.posix_spawn(str(command[0]), [str(word) for word in command], dict(os.environ))
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))} failed")
    return time.perf_counter() - begin, usage.ru_maxrss * 1024


def check(kind, ours, theirs):
    models = [json.loads(file.read_text())["model"] for file in (ours, theirs)]
    if kind == "bpe" and models[0] != models[1]:
        sys.exit("bpe: the models differ")
    tokens, of_peer = ({entry if isinstance(entry, str) else entry[0] for entry in model["vocab"]} for model in models)
    print(f"{kind}: {len(tokens & of_peer)} of {len(tokens)} tokens are those of the peer, which has {len(of_peer)}")


if __name__ == "__main__":
    main()
