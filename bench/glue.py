#!/usr/bin/env python3
"""bench/glue.py: the official metric of GLUE tasks after the same training by Portatune and by transformers' Trainer.

Both sides: MiniLM (6 layers, 384), float32, texts padded to 32 tokens (MRPC: 128; 5 of CoLA's 8,551 sentences are
longer), batches of 32, AdamW at 1e-4 without weight decay or warm-up, linear decay, gradients clipped to 1; CoLA 2
epochs (about 540 steps), MRPC 3. (At 5e-5 this small model still predicts "acceptable" for every sentence after an
epoch; its correlation is then 0, which compares nothing.) Portatune takes the other settings from its recipe. Ends
every task with `RATIO <task> <value>`: the peer's mean error (1 - metric) over Portatune's.

    --cola FOLDER   in_domain_train.tsv, in_domain_dev.tsv and out_of_domain_dev.tsv, as CoLA's authors publish them; the
                    two dev files together are GLUE's. Default: cola in the folder PORTATUNE_SHARED_DATA
    --mrpc FOLDER   train.tsv and dev.tsv of GLUE's MRPC. Default: no MRPC
"""

import argparse
import os
import pathlib
import tempfile

from harness import MINILM, PEERS, PORTATUNE, compare_by_seed, json_line, peer_python, run

SETTINGS = ["--batch-size", 32]
MAX_LENGTH = {"cola": 32, "mrpc": 128}
# Settings of the recipes, for the peer.
COLUMNS = {
    "cola": ["--column-names", "source,label,mark,sentence", "--text-column", "sentence"],
    "mrpc": ["--text-column", "#1 String", "--text-pair-column", "#2 String", "--label-column", "Quality"],
}
METRICS = {"cola": "matthews_correlation", "mrpc": "f1"}
EPOCHS = {"cola": 2, "mrpc": 3}


def main():
    options = parse_options()
    python = peer_python()
    for task, files in files_of(options).items():
        arguments = ["--model", MINILM, *SETTINGS, "--max-length", MAX_LENGTH[task], *files]
        arguments += ["--learning-rate", options.learning_rate]
        arguments += ["--max-steps", options.max_steps] if options.max_steps else ["--epochs", EPOCHS[task]]
        compare_by_seed(
            task,
            options.seeds,
            METRICS[task],
            lambda seed: portatune_score(task, [*arguments, "--seed", seed]),
            lambda seed: peer_score(python, task, [*arguments, "--seed", seed]),
        )


def portatune_score(task, arguments):
    with tempfile.TemporaryDirectory() as folder:
        printed, _ = run(
            PORTATUNE, "fit", "--recipe", f"glue/{task}", *arguments, "--json", "--output", f"{folder}/model"
        )
    return json_line(printed)["after"][METRICS[task]]


def peer_score(python, task, arguments):
    printed, _ = run(python, PEERS / "trainer.py", "--head", "softmax", *COLUMNS[task], *arguments)
    return json_line(printed)["validation"][METRICS[task]]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--learning-rate", type=float, default=1e-4)
    parser.add_argument("--max-steps", type=int, help="number of steps in place of the epochs, for a trial")
    shared = pathlib.Path(os.environ.get("PORTATUNE_SHARED_DATA", "."))
    parser.add_argument("--cola", type=pathlib.Path, default=shared / "cola")
    parser.add_argument("--mrpc", type=pathlib.Path)
    return parser.parse_args()


def files_of(options):
    cola, mrpc = options.cola, options.mrpc
    files = {"cola": ["--train", cola / "in_domain_train.tsv"]}
    files["cola"] += ["--validation", cola / "in_domain_dev.tsv", cola / "out_of_domain_dev.tsv"]
    if mrpc:
        files["mrpc"] = ["--train", mrpc / "train.tsv", "--validation", mrpc / "dev.tsv"]
    return files


if __name__ == "__main__":
    main()
