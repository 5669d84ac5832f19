#!/usr/bin/env python3
"""bench/accuracy.py: AUC on the demo's held-out reviews after the demo's training, Portatune and transformers by seed.

Ends with `RATIO accuracy <value>`: the peer's mean error (1 - AUC) over Portatune's, so above 1 Portatune is more
accurate. The spread over the seeds shows how much of the difference is chance.
"""

import argparse
import tempfile

from harness import MINILM, PEERS, PORTATUNE, REVIEWS, TASK, compare_by_seed, json_line, peer_python, run

STEPS = 150  # per epoch, of two
ARGUMENTS = ["--model", MINILM, "--train", REVIEWS / "train.tsv", "--validation", REVIEWS / "validation.tsv"]
ARGUMENTS += ["--batch-size", 32, "--max-length", 64, "--learning-rate", 3e-5]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    options = parser.parse_args()
    python = peer_python()
    compare_by_seed("accuracy", options.seeds, "AUC", portatune_auc, lambda seed: peer_auc(python, seed))


def portatune_auc(seed):
    schedule = ["--epochs", 2, "--steps-per-epoch", STEPS, "--seed", seed]
    with tempfile.TemporaryDirectory() as folder:
        printed, _ = run(PORTATUNE, "fit", *TASK, *ARGUMENTS, *schedule, "--json", "--output", f"{folder}/model")
    return json_line(printed)["after"]["roc_auc"]


def peer_auc(python, seed):
    printed, _ = run(python, PEERS / "trainer.py", *ARGUMENTS, "--max-steps", 2 * STEPS, "--seed", seed)
    return json_line(printed)["validation"]["roc_auc"]


if __name__ == "__main__":
    main()
