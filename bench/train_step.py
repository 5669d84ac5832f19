#!/usr/bin/env python3
"""bench/train_step.py: seconds per training step of encoders, Portatune and torch alternately.

Needs `make build` and the demo's model (tools/setup.sh --demo).
"""

import argparse

from harness import CACHE, MINILM, PEERS, PORTATUNE, json_line, peer_python, report_seconds, run

BERT_BASE = CACHE / "bench" / "bert-base"
DEBERTA_V3_SMALL = CACHE / "bench" / "deberta-v3-small"
# Models with random weights, and the programs that make them.
RANDOM = {BERT_BASE: "make_bert_base.py", DEBERTA_V3_SMALL: "make_deberta_v3_small.py"}
# name: model folder, batch size, tokens per row
MODELS = {
    "minilm_16x128": (MINILM, 16, 128),
    "bert_base_8x128": (BERT_BASE, 8, 128),
    "deberta_v3_small_8x128": (DEBERTA_V3_SMALL, 8, 128),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each side")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--steps", type=int, default=10, help="timed steps in a turn")
    options = parser.parse_args()
    python = peer_python()
    for name in options.models:
        model, *sizes = MODELS[name]
        if model in RANDOM and not model.exists():
            run(python, PEERS / RANDOM[model], model, MINILM)
        for dtype in ("float32", "bfloat16"):
            compare(f"train_step_{name}_{dtype}", python, model, *sizes, dtype, options)


def compare(name, python, model, batch_size, max_length, dtype, options):
    arguments = ["--model", model, "--batch-size", batch_size, "--max-length", max_length]
    arguments += ["--dtype", dtype, "--steps", options.steps]
    portatune, peer = [], []
    for _ in range(options.rounds):
        portatune += json_line(run(PORTATUNE, "bench", *arguments)[0])["step_seconds"]
        peer += json_line(run(python, PEERS / "train_step.py", *arguments)[0])["step_seconds"]
    report_seconds(name, portatune, peer)


if __name__ == "__main__":
    main()
