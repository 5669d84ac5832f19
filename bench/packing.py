#!/usr/bin/env python3
"""bench/packing.py: whole epochs on CoLA, end to end, by Portatune with packed batches and by transformers' Trainer.

Both sides: MiniLM (6 layers, 384), bfloat16 (the peer's by autocast), exactly 64 examples a step, max_length 128,
AdamW at 1e-4 without weight decay or warm-up, linear decay, gradients clipped to 1, dropout on. The peer pads to 128,
or each batch to its longest text, or the latter with texts of similar length together
(train_sampling_strategy="group_by_length"). Portatune packs exactly 64 examples, or a token budget of about as many.
The time is that of the training loop. Portatune tokenizes in it, the peer before it. Then both report Matthews'
correlation on the two dev sets together.
Ends with `RATIO <name> <value>` for each padding of the peer: Portatune's examples per second with exactly 64 a step
over the peer's.

    --fixed-steps N   number of steps of the peer with fixed padding, in place of its epochs: they take long, and all
                      steps take the same time
    --cola FOLDER     as in bench/glue.py
"""

import argparse
import os
import pathlib
import tempfile

from harness import MINILM, PEERS, PORTATUNE, json_line, peer_python, run

TRAIN = ["in_domain_train.tsv"]
VALIDATION = ["in_domain_dev.tsv", "out_of_domain_dev.tsv"]
EXAMPLES = 8551
COLUMNS = ["--column-names", "source,label,mark,sentence", "--text-column", "sentence"]
PEER_WAYS = {"fixed": "max_length", "dynamic": "longest", "grouped": "grouped"}
PORTATUNE_WAYS = {"exact_examples": ["--packing", "exact_examples"], "token_budget": ["--packing", "token_budget"]}


def main():
    options = parse_options()
    python = peer_python()
    print(f"{os.cpu_count()} CPUs, load {', '.join(f'{value:.1f}' for value in os.getloadavg())}", flush=True)
    rates = {}
    for seed in options.seeds:
        arguments = ["--model", MINILM, "--batch-size", 64, "--max-length", 128, "--learning-rate", 1e-4, "--seed", seed]
        arguments += ["--train", *(options.cola / file for file in TRAIN)]
        validation = [options.cola / file for file in VALIDATION]
        for way in options.ways:
            steps = options.fixed_steps if way == "fixed" else None
            length = ["--max-steps", steps] if steps else ["--epochs", options.epochs]
            examples = 64 * steps if steps else EXAMPLES * options.epochs
            score, seconds = (
                portatune([*arguments, *length], PORTATUNE_WAYS[way], validation)
                if way in PORTATUNE_WAYS
                else peer(python, [*arguments, *length], PEER_WAYS[way], validation)
            )
            rates.setdefault(way, []).append(examples / seconds)
            print(
                f"seed {seed}: {way:14} {seconds:7.1f} s for {examples} examples, {examples / seconds:7.1f} examples/s, "
                f"Matthews' correlation {score:.4f}",
                flush=True,
            )
    for way in PEER_WAYS:
        if way in rates and "exact_examples" in rates:
            print(f"RATIO cola_{way} {max(rates['exact_examples']) / max(rates[way]):.2f}", flush=True)


def portatune(arguments, packing, validation):
    options = ["--task", "text-classification", *COLUMNS, "--json"]
    with tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/model"
        fitted, _ = run(PORTATUNE, "fit", *options, *arguments, *packing, "--dtype", "bfloat16", "--output", model)
        scores, _ = run(PORTATUNE, "evaluate", *options, "--model", model, "--data", *validation)
    return json_line(scores)["matthews_correlation"], json_line(fitted)["train_seconds"]


def peer(python, arguments, padding, validation):
    arguments = [*arguments, "--validation", *validation, "--bf16", "--padding", padding]
    printed, _ = run(python, PEERS / "trainer.py", "--head", "softmax", *COLUMNS, *arguments)
    result = json_line(printed)
    return result["validation"]["matthews_correlation"], result["train_seconds"]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--fixed-steps", type=int)
    ways = [*PORTATUNE_WAYS, *PEER_WAYS]
    parser.add_argument("--ways", nargs="+", choices=ways, default=ways)
    shared = pathlib.Path(os.environ.get("PORTATUNE_SHARED_DATA", "."))
    parser.add_argument("--cola", type=pathlib.Path, default=shared / "cola")
    return parser.parse_args()


if __name__ == "__main__":
    main()
