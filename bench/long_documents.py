#!/usr/bin/env python3
"""bench/long_documents.py: seconds and memory of training steps on long texts, by blocks and with full attention.

The model is a Big Bird of 4 layers, 256 wide, with 4 heads and random weights; a step is forward, backward and AdamW in
float32, with dropout, on rows of which between half and all tokens are real. Portatune and torch with transformers take
turns. Memory is the largest resident set of the process, with all libraries. Needs the target portatune.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from harness import PEERS, PORTATUNE, ROOT, json_line, peer_python, report_load, run

TOKENIZER = ROOT / "tests" / "data" / "tiny_bert"
ATTENTIONS = {"by blocks": "block_sparse", "full": "original_full"}
SIDES = ("portatune", "peer")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lengths", nargs="+", type=int, default=[1024, 2048, 4096])
    parser.add_argument("--batch-size", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2, help="turns of each side")
    parser.add_argument("--steps", type=int, default=3, help="timed steps in a turn")
    options = parser.parse_args()
    python = peer_python()
    columns = ("portatune min / median, s, MB", "peer min / median, s, MB")
    print(f"{'tokens':>6}  {'attention':10}" + "".join(f"{column:>36}" for column in columns) + f"{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        models = {name: pathlib.Path(folder) / kind for name, kind in ATTENTIONS.items()}
        for name, model in models.items():
            run(python, PEERS / "make_big_bird.py", model, ATTENTIONS[name], TOKENIZER)
        for length in options.lengths:
            compare(length, models, python, options)
    report_load()


def compare(length, models, python, options):
    """Prints the rows of the table for texts of this length."""
    commands = {"portatune": [PORTATUNE, "bench"], "peer": [python, PEERS / "train_step.py"]}
    arguments = ["--batch-size", options.batch_size, "--max-length", length, "--steps", options.steps]
    seconds = {(name, side): [] for name in models for side in SIDES}
    megabytes = dict.fromkeys(seconds, 0)
    for name, model in models.items():  # so that no compilation is in the memory
        run(*commands["portatune"], "--model", model, *arguments)
    for _ in range(options.rounds):
        for name, side in seconds:
            printed, peak = run_with_memory(*commands[side], "--model", models[name], *arguments)
            seconds[name, side] += json_line(printed)["step_seconds"]
            megabytes[name, side] = max(megabytes[name, side], peak)
    for name in models:
        ours, theirs = (
            f"{min(of_side):.3f} / {statistics.median(of_side):.3f}, {megabytes[name, side]:,.0f}"
            for side, of_side in ((side, seconds[name, side]) for side in SIDES)
        )
        ratio = min(seconds[name, "peer"]) / min(seconds[name, "portatune"])
        print(f"{length:6}  {name:10}{ours:>36}{theirs:>36}{ratio:8.2f}", flush=True)
    blocks, full = (min(seconds[name, "portatune"]) for name in models)
    print(f"RATIO long_documents_{length}_by_blocks_over_full {full / blocks:.3f}", flush=True)


def run_with_memory(*command):
    """Runs a command; returns (its standard output, the megabytes of its largest resident set)."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=errors, text=True)
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            sys.exit(f"{' '.join(map(str, command))}\nfailed:\n{errors.read()[-2000:]}")
    return printed, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
