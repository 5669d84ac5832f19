#!/usr/bin/env python3
"""bench/adapters.py: seconds per training step and bytes of a checkpoint, with all weights and with LoRA adapters.

Portatune, and torch with peft, take turns. LoRA has the default targets, query and value, and rank 8. Needs `make
build` and the demo's model and data (tools/setup.sh --demo).
"""

import argparse
import pathlib
import statistics
import tempfile

from harness import CACHE, MINILM, PEERS, PORTATUNE, REVIEWS, TASK, json_line, peer_python, report_load, run

BERT_BASE = CACHE / "bench" / "bert-base"
MODELS = {"minilm": MINILM, "bert_base": BERT_BASE}
LORA = ["--adapter", "lora"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each side")
    parser.add_argument("--steps", type=int, default=5, help="timed steps in a turn")
    options = parser.parse_args()
    python = peer_python()
    if not BERT_BASE.exists():
        run(python, PEERS / "make_bert_base.py", BERT_BASE, MINILM)
    for name, model in MODELS.items():
        compare_steps(name, python, model, options)
        compare_checkpoints(name, model)


def compare_steps(name, python, model, options):
    arguments = ["--model", model, "--batch-size", 8, "--max-length", 128, "--steps", options.steps]
    commands = {
        ("portatune", "full"): [PORTATUNE, "bench", *arguments],
        ("portatune", "lora"): [PORTATUNE, "bench", *arguments, *LORA],
        ("peer", "full"): [python, PEERS / "train_step.py", *arguments],
        ("peer", "lora"): [python, PEERS / "train_step.py", *arguments, "--lora"],
    }
    seconds = {key: [] for key in commands}
    for _ in range(options.rounds):
        for key, command in commands.items():
            seconds[key] += json_line(run(*command)[0])["step_seconds"]
    report_load(f"adapters_{name}: ")
    for label, figure in (("minimum", min), ("median", statistics.median)):
        for side in ("portatune", "peer"):
            full, lora = figure(seconds[side, "full"]), figure(seconds[side, "lora"])
            print(f"  {side:9} {label:7}: all weights {full:7.3f} s   LoRA {lora:7.3f} s   share {lora / full:.2f}")
    print(f"RATIO adapters_{name} {min(seconds['peer', 'lora']) / min(seconds['portatune', 'lora']):.3f}", flush=True)


def compare_checkpoints(name, model):
    with tempfile.TemporaryDirectory() as folder:
        full = checkpoint_of(model, pathlib.Path(folder, "full"))
        lora = checkpoint_of(model, pathlib.Path(folder, "lora"), *LORA)
    share = 100 * lora["optimizer"] / full["optimizer"]
    print(f"  optimizer state {full['optimizer']:,} and {lora['optimizer']:,} bytes ({share:.2f} %)")
    print(f"  weights of a checkpoint {full['weights']:,} and {lora['weights']:,} bytes", flush=True)


def checkpoint_of(model, output, *more):
    """Bytes of the weights and of the optimizer state in the checkpoint of a run of one step."""
    options = ["--batch-size", 8, "--max-length", 128, "--max-steps", 1, "--checkpoint-every", 1, "--quiet"]
    run(PORTATUNE, "fit", "--model", model, "--train", REVIEWS / "train.tsv", *TASK, "--output", output, *options, *more)
    checkpoint = output / "checkpoint-1"
    weights = sum(file.stat().st_size for file in checkpoint.glob("*model*.safetensors"))
    return {"weights": weights, "optimizer": (checkpoint / "optimizer.safetensors").stat().st_size}


if __name__ == "__main__":
    main()
