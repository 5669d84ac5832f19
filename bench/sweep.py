#!/usr/bin/env python3
"""bench/sweep.py: wall seconds of nine runs of the demo or of CoLA, as single commands and as one sweep, alternately.

Three learning rates by three seeds, with a warm cache of compiled programs. The sweep is measured without and with
successive halving. Prints the ratio of the single commands to the sweep (above 1, the sweep is faster), and the best
learning rate of both sweeps.
"""

import argparse
import json
import pathlib
import tempfile

from harness import MINILM, PORTATUNE, REVIEWS, TASK, json_line, report_seconds, run

RATES = ["1e-5", "3e-5", "1e-4"]
SEEDS = [42, 43, 44]
# Of three configurations one continues after a third of the run, in which it has one seed.
HALVING = ["--halving"]


SIDES = ["single", "grid", "halving"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each side")
    parser.add_argument("--steps", type=int, default=300, help="steps of a run; the demo has 300")
    parser.add_argument("--eval-rows", type=int, help="validation rows of an evaluation; all by default")
    parser.add_argument("--cola", type=pathlib.Path,
                        help="folder of CoLA's files as in bench/glue.py, in place of the reviews")
    parser.add_argument("--metric", default="loss", help="score that decides about the best model")
    parser.add_argument("--sides", nargs="+", choices=SIDES, default=SIDES)
    options = parser.parse_args()
    arguments = ["--model", MINILM, *data_of(options), "--max-steps", options.steps, "--eval-steps", options.steps // 6]
    arguments += ["--eval-on-start=false", "--metric-for-best-model", options.metric]
    if options.eval_rows:
        arguments += ["--max-eval-samples", options.eval_rows]
    with tempfile.TemporaryDirectory() as folder:
        single(arguments, folder, RATES[0], SEEDS[0])  # fills the cache
    seconds, winners = {side: [] for side in options.sides}, {}
    for _ in range(options.rounds):
        for side in options.sides:
            with tempfile.TemporaryDirectory() as folder:
                if side == "single":
                    wall = sum(single(arguments, folder, rate, seed) for rate in RATES for seed in SEEDS)
                else:
                    printed, wall = sweep(arguments, folder, HALVING if side == "halving" else [])
                    winners[side] = json_line(printed)["rows"][0]
                seconds[side].append(wall)
                print(f"{side:8} {wall:.1f} s", flush=True)
    for side in ("grid", "halving"):
        if {"single", side} <= set(options.sides):
            report_seconds(f"sweep_{side}", seconds[side], seconds["single"])
    for name, row in winners.items():
        print(f"{name:8} best: {json.dumps(row['settings'])}, {row['mean']:.4f} ± {row['deviation']:.4f}")


def data_of(options):
    if options.cola:
        files = ["--train", options.cola / "in_domain_train.tsv"]
        files += ["--validation", options.cola / "in_domain_dev.tsv", options.cola / "out_of_domain_dev.tsv"]
        return ["--recipe", "glue/cola", *files, "--batch-size", 32]
    return ["--train", REVIEWS / "train.tsv", "--validation", REVIEWS / "validation.tsv", *TASK]


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
