#!/usr/bin/env python3
"""bench/models.py: seconds per training step of many architectures, Portatune and torch alternately.

A step is forward, backward, clipping and AdamW on 8 rows of 128 tokens (pairs of texts: 128 and 64), with dropout. The
models have random weights of real sizes (peers/make_train_case.py). Needs the target portatune_train_case_bench. A
model that transformers or Portatune lacks ends the benchmark with its error.
"""

import argparse
import pathlib
import statistics
import tempfile

from harness import CACHE, PEERS, ROOT, json_line, peer_python, report_load, run

COMMAND = ROOT / "build" / "bench" / "portatune_train_case_bench"
CASES = CACHE / "bench" / "cases"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", default=["t5-small", "bart-base", "gemma3-270m"],
                        help="names of peers/make_train_case.py")
    parser.add_argument("--dtypes", nargs="+", default=["float32", "bfloat16"])
    parser.add_argument("--rounds", type=int, default=2, help="turns of each side")
    parser.add_argument("--steps", type=int, default=4, help="timed steps in a turn")
    parser.add_argument("--prepare", action="store_true", help="only make the cases and compile the steps")
    options = parser.parse_args()
    python = peer_python()
    ratios = {dtype: [] for dtype in options.dtypes}
    print(f"{'model':14}{'dtype':10}{'portatune min / median, s':>28}{'peer min / median, s':>26}{'ratio':>8}")
    for name in options.models:
        make(name, python)
        for dtype in options.dtypes:
            if options.prepare:
                run(COMMAND, CASES / name, dtype, 1)
            else:
                ratios[dtype].append(compare(name, python, dtype, options))
    for dtype, values in ratios.items():
        if values:
            print(f"RATIO models_{dtype}_median {statistics.median(values):.3f}   lowest {min(values):.3f}")
    report_load()


def make(name, python):
    if (CASES / name / "case.json").exists():
        return
    CASES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CASES) as folder:
        made = pathlib.Path(folder) / name
        run(python, PEERS / "make_train_case.py", name, made)
        made.rename(CASES / name)


def compare(name, python, dtype, options):
    """Prints a row of the table; returns the ratio of the minima."""
    sides = {"portatune": [COMMAND], "peer": [python, PEERS / "train_case.py"]}
    seconds = {side: [] for side in sides}
    for _ in range(options.rounds):
        for side, command in sides.items():
            seconds[side] += json_line(run(*command, CASES / name, dtype, options.steps)[0])["step_seconds"]
    ours, theirs = (f"{min(of_side):.3f} / {statistics.median(of_side):.3f}" for of_side in seconds.values())
    ratio = min(seconds["peer"]) / min(seconds["portatune"])
    print(f"{name:14}{dtype:10}{ours:>28}{theirs:>26}{ratio:8.2f}", flush=True)
    return ratio


if __name__ == "__main__":
    main()
