#!/usr/bin/env python3
"""bench/language_model.py: held-out loss of a causal language model trained from random weights, Portune and torch.

Both begin with the same weights (a Llama of 4 layers, 256 wide, without dropout) and train on the same blocks of WikiText-2
(its validation file, as the larger one is seldom at hand), each in an order of its own, and are measured on its test file
before the first epoch and after each. Needs the folder PORTUNE_SHARED_DATA with wikitext2 and
tokenizers/spm_bytefallback_1k.
"""

import json
import os
import pathlib
import re
import subprocess
import tempfile

from harness import PEERS, PORTUNE, json_line, peer_python, run

DATA = pathlib.Path(os.environ["PORTUNE_SHARED_DATA"])
FILES = {"train": DATA / "wikitext2" / "valid.txt", "validation": DATA / "wikitext2" / "test.txt"}
SETTINGS = ["--epochs", 3, "--batch-size", 16, "--max-length", 128, "--learning-rate", 1e-3, "--seed", 1]


def main():
    python = peer_python()
    with tempfile.TemporaryDirectory() as scratch:
        model = pathlib.Path(scratch) / "model"
        run(python, PEERS / "make_small_llama.py", DATA / "tokenizers/spm_bytefallback_1k/tokenizer.model", 2000, model)
        ours, our_s = portune_losses(model, scratch)
        ids = {name: ids_of(model, file, pathlib.Path(scratch) / f"{name}.jsonl") for name, file in FILES.items()}
        arguments = [word for name, file in ids.items() for word in (f"--{name}", file)]
        printed, their_s = run(python, PEERS / "language_model.py", "--model", model, *arguments, *SETTINGS)
    theirs = json_line(printed)["losses"]
    for epoch, (our, their) in enumerate(zip(ours, theirs, strict=True)):
        print(f"after epoch {epoch}: held-out loss portune {our:.4f}   torch {their:.4f}")
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"whole runs: portune {our_s:.0f} s   torch {their_s:.0f} s   load {load}")


def portune_losses(model, scratch):
    """Before training, and after each epoch, from what the command says."""
    files = [word for name, file in FILES.items() for word in (f"--{name}", file)]
    words = [PORTUNE, "fit", "--task", "causal-lm", "--model", model, *files, *SETTINGS, "--output", f"{scratch}/out"]
    words += ["--disable-progress"]
    begin = os.times().elapsed
    done = subprocess.run([str(word) for word in words], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    losses = [float(loss) for loss in re.findall(r"(?:before|held out): loss ([0-9.]+)", done.stderr)]
    return losses, os.times().elapsed - begin


def ids_of(model, text, output):
    """The ids that Portune trains on: of each line with its line feed."""
    rows = output.with_suffix(".rows.jsonl")
    with text.open(encoding="utf-8", newline="\n") as lines, rows.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps({"text": line}) + "\n")
    run(PORTUNE, "tokenize", "--tokenizer", model, "--input", rows, "--output", output)
    return output


if __name__ == "__main__":
    main()
