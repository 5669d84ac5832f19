#!/usr/bin/env python3
"""bench/checkpoint.py: seconds that checkpoints add to training, Portatune and transformers' Trainer in turns.

Both train MiniLM in float32 on the demo's reviews, 16 x 128 tokens a step, with AdamW, once without checkpoints and once
with a checkpoint every few steps, of which the newest is kept. A checkpoint is the model, the optimizer state and the
position in the data. The seconds per checkpoint are the training time with checkpoints minus the time without (each the
best of all rounds), over the number of checkpoints. For Portatune they include the slowdown of steps by writing in the
background, and the wait for the last checkpoint. A stop is the time in which no step runs because of a checkpoint. The
memory is the difference of the smallest peaks.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from harness import MINILM, PEERS, PORTATUNE, REVIEWS, TASK, json_line, peer_python, report_load, run

ARGUMENTS = ["--model", MINILM, "--train", REVIEWS / "train.tsv", "--batch-size", 16, "--max-length", 128]
SIDES = ("without", "with")


def main():
    options = parse_options()
    python = None if options.alone else peer_python()
    arguments = [*ARGUMENTS, "--max-steps", options.steps]
    more = {"without": [], "with": ["--checkpoint-every", options.every]}
    runs, peers = {side: [] for side in SIDES}, {side: [] for side in SIDES}
    for _ in range(options.rounds):
        for side in SIDES:
            runs[side].append(portatune([*arguments, *more[side]]))
            if python:
                peers[side].append(peer(python, [*arguments, *more[side]]))
    saves = -(-options.steps // options.every)  # including the one after the last step
    report_load("checkpoint: ")
    seconds = {side: [result["train_seconds"] for result, _, _ in runs[side]] for side in SIDES}
    added = report_added("portatune", seconds, options.steps, saves)
    report_stops(runs, min(seconds["without"]) / options.steps, saves)
    if python:
        print(f"RATIO checkpoint {report_added('peer', peers, options.steps, saves) / max(added, 0.001):.3f}", flush=True)


def report_added(name, seconds, steps, saves):
    added = (min(seconds["with"]) - min(seconds["without"])) / saves
    step = min(seconds["without"]) / steps
    print(f"  {name:9} {1000 * added:8.1f} ms per checkpoint, n {saves}; {1000 * step:8.1f} ms per step")
    return added


def report_stops(runs, step, saves):
    state = runs["with"][0][2]
    stops = sorted(1000 * result["checkpoint_seconds"] / saves for result, _, _ in runs["with"])
    goal = 1000 * 0.05 * step + 50 * state / 1e9
    print(f"  {'stop':9} {stops[0]:8.1f} ms per checkpoint, at most {stops[-1]:.1f}; the goal is {goal:.1f} ms")
    peak = {side: min(peak for _, peak, _ in runs[side]) for side in SIDES}
    print(f"  {'memory':9} {(peak['with'] - peak['without']) / 1e6:8.1f} MB more at the peak; the state has {state / 1e6:.1f} MB")


def portatune(arguments):
    """Returns (the result, the peak of memory, the bytes of weights and moments in a checkpoint)."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as printed:
        command = [PORTATUNE, "fit", *TASK, *arguments, "--padding", "max_length", "--keep-checkpoints", 1, "--json",
                   "--quiet", "--output", f"{folder}/model"]
        process = subprocess.Popen([str(word) for word in command], stdout=printed)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"{command}\nfailed with status {status}")
        printed.seek(0)
        state = sum(file.stat().st_size for file in pathlib.Path(folder).rglob("checkpoint-*/*.safetensors"))
        return json_line(printed.read()), 1024 * usage.ru_maxrss, state


def peer(python, arguments):
    with tempfile.TemporaryDirectory() as folder:
        printed, _ = run(python, PEERS / "trainer.py", *arguments, environment={"TMPDIR": folder})
        return json_line(printed)["train_seconds"]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each side")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--every", type=int, default=4, help="steps from one checkpoint to the next")
    parser.add_argument("--alone", action="store_true", help="without transformers")
    return parser.parse_args()


if __name__ == "__main__":
    main()
