#!/usr/bin/env python3
"""bench/checkpoint.py: seconds that a checkpoint adds to training, Portatune and transformers' Trainer in turns.

Both train MiniLM in float32 on the demo's reviews, 16 x 128 tokens a step, with AdamW, once without checkpoints and once with one
every few steps, of which the newest is kept. A checkpoint is the model, the optimizer's state and the position in the
data. Seconds per checkpoint are those of the training with them minus those without, the best of all rounds, over the
number of checkpoints. For Portatune they include what writing in the background takes from the steps, and the wait for the
last checkpoint.
"""

import argparse
import tempfile

from harness import MINILM, PEERS, PORTATUNE, REVIEWS, TASK, json_line, peer_python, report_load, run

ARGUMENTS = ["--model", MINILM, "--train", REVIEWS / "train.tsv", "--batch-size", 16, "--max-length", 128]


def main():
    options = parse_options()
    python = peer_python()
    arguments = [*ARGUMENTS, "--max-steps", options.steps]
    saving = ["--checkpoint-every", options.every]
    seconds = {}
    for _ in range(options.rounds):
        for name, more in (("without", []), ("with", saving)):
            seconds.setdefault(("portatune", name), []).append(portatune([*arguments, *more]))
            seconds.setdefault(("peer", name), []).append(peer(python, [*arguments, *more]))
    saves = -(-options.steps // options.every)  # one is of the last step
    report_load("checkpoint: ")
    added = {side: (min(seconds[side, "with"]) - min(seconds[side, "without"])) / saves for side in ("portatune", "peer")}
    for side, of_save in added.items():
        step = min(seconds[side, "without"]) / options.steps
        print(f"  {side:9} {1000 * of_save:8.1f} ms per checkpoint, n {saves}; {1000 * step:8.1f} ms per step")
    print(f"RATIO checkpoint {added['peer'] / max(added['portatune'], 0.001):.3f}", flush=True)


def portatune(arguments):
    with tempfile.TemporaryDirectory() as folder:
        command = [PORTATUNE, "fit", *TASK, *arguments, "--padding", "max_length", "--keep-checkpoints", 1, "--json"]
        printed, _ = run(*command, "--output", f"{folder}/model")
        return json_line(printed)["train_seconds"]


def peer(python, arguments):
    with tempfile.TemporaryDirectory() as folder:
        printed, _ = run(python, PEERS / "trainer.py", *arguments, environment={"TMPDIR": folder})
        return json_line(printed)["train_seconds"]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each side")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--every", type=int, default=4, help="steps from one checkpoint to the next")
    return parser.parse_args()


if __name__ == "__main__":
    main()
