#!/usr/bin/env python3
"""bench/sweep.py: wall seconds of nine runs of the demo, as single commands and as one sweep, alternately.

Three learning rates by three seeds, with a warm cache of compiled programs. The sweep is measured without and with
successive halving. Prints the ratio of the single commands to the sweep (above 1, the sweep is faster), and the best
learning rate of both sweeps.
"""

import argparse
import json
import tempfile

from harness import MINILM, PORTATUNE, REVIEWS, TASK, json_line, report_seconds, run

RATES = ["1e-5", "3e-5", "1e-4"]
SEEDS = [42, 43, 44]
HALVING = ["--halving"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each side")
    parser.add_argument("--steps", type=int, default=300, help="steps of a run; the demo has 300")
    parser.add_argument("--eval-rows", type=int, help="validation rows of an evaluation; all by default")
    options = parser.parse_args()
    arguments = ["--model", MINILM, "--train", REVIEWS / "train.tsv", "--validation", REVIEWS / "validation.tsv"]
    arguments += [*TASK, "--max-steps", options.steps, "--eval-steps", options.steps // 6, "--eval-on-start=false"]
    if options.eval_rows:
        arguments += ["--max-eval-samples", options.eval_rows]
    with tempfile.TemporaryDirectory() as folder:
        single(arguments, folder, RATES[0], SEEDS[0])  # fills the cache
    singles, full, halved, winners = [], [], [], {}
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            singles.append(sum(single(arguments, folder, rate, seed) for rate in RATES for seed in SEEDS))
        for name, seconds, more in (("grid", full, []), ("halving", halved, HALVING)):
            with tempfile.TemporaryDirectory() as folder:
                printed, wall = sweep(arguments, folder, more)
                seconds.append(wall)
                winners[name] = json_line(printed)["rows"][0]
    report_seconds("sweep", full, singles)
    report_seconds("sweep_halving", halved, singles)
    for name, row in winners.items():
        print(f"{name:8} best: {json.dumps(row['settings'])}, {row['mean']:.4f} ± {row['deviation']:.4f}")


def single(arguments, folder, rate, seed):
    """Seconds of a single command."""
    output = f"{folder}/{rate}-{seed}"
    return run(PORTATUNE, "fit", *arguments, "--learning-rate", rate, "--seed", seed, "--output", output)[1]


def sweep(arguments, folder, more):
    """The output and the seconds of a sweep over all rates and seeds."""
    grid = ["--grid", "learning-rate=" + ",".join(RATES), "--seeds", len(SEEDS)]
    return run(PORTATUNE, "sweep", *arguments, *grid, *more, "--json", "--output", f"{folder}/sweep")


if __name__ == "__main__":
    main()
