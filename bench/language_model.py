#!/usr/bin/env python3
"""bench/language_model.py: held-out loss of a causal language model trained from random weights, Portatune and torch.

Both begin with the same weights (a Llama of 4 layers, 256 wide, without dropout) and train on the same blocks of
WikiText-2 (its validation file, because the larger training file is seldom available), each in its own order. The
loss on its test file is measured before the first epoch and after each. Needs the folder PORTATUNE_SHARED_DATA with
wikitext2 and tokenizers/spm_bytefallback_1k.

    --seeds 1 2     seeds of the orders of the blocks
    --lines N M     uses only the first N and M lines of the two files, for a short run
"""

import argparse
import itertools
import json
import os
import pathlib
import re
import subprocess
import tempfile

from harness import PEERS, PORTATUNE, json_line, peer_python, run

DATA = pathlib.Path(os.environ["PORTATUNE_SHARED_DATA"])
FILES = {"train": DATA / "wikitext2" / "valid.txt", "validation": DATA / "wikitext2" / "test.txt"}
SETTINGS = ["--epochs", 3, "--batch-size", 16, "--max-length", 128, "--learning-rate", 1e-3]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--lines", type=int, nargs=2)
    options = parser.parse_args()
    python = peer_python()
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        model = scratch / "model"
        run(python, PEERS / "make_small_llama.py", DATA / "tokenizers/spm_bytefallback_1k/tokenizer.model", 2000, model)
        texts = dict(zip(FILES, beginnings(options.lines, scratch))) if options.lines else FILES
        ids = {part: ids_of(model, file, scratch / f"{part}.jsonl") for part, file in texts.items()}
        for seed in options.seeds:
            ours, our_s = portatune_losses(model, texts, seed, scratch)
            arguments = ["--model", model, *words_of(ids), *SETTINGS, "--seed", seed]
            printed, their_s = run(python, PEERS / "language_model.py", *arguments)
            for epoch, (our, their) in enumerate(zip(ours, json_line(printed)["losses"], strict=True)):
                print(f"seed {seed}, after epoch {epoch}: held-out loss portatune {our:.4f}   torch {their:.4f}")
            load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
            print(f"whole runs: portatune {our_s:.0f} s   torch {their_s:.0f} s   load {load}", flush=True)


def beginnings(lines, scratch):
    for (part, file), count in zip(FILES.items(), lines):
        beginning = scratch / f"{part}.txt"
        with file.open(encoding="utf-8", newline="\n") as whole:
            beginning.write_text("".join(itertools.islice(whole, count)), encoding="utf-8", newline="\n")
        yield beginning


def words_of(files):
    return [word for part, file in files.items() for word in (f"--{part}", file)]


def portatune_losses(model, texts, seed, scratch):
    """The losses before training and after each epoch, from the output of the command."""
    output = scratch / f"out-{seed}"
    words = [PORTATUNE, "fit", "--task", "causal-lm", "--model", model, *words_of(texts), *SETTINGS, "--seed", seed]
    words += ["--output", output, "--disable-progress"]
    begin = os.times().elapsed
    done = subprocess.run([str(word) for word in words], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    losses = [float(loss) for loss in re.findall(r"(?:before|held out): loss ([0-9.]+)", done.stderr)]
    return losses, os.times().elapsed - begin


def ids_of(model, text, output):
    """The ids that Portatune trains on: those of each line with its line feed."""
    rows = output.with_suffix(".rows.jsonl")
    with text.open(encoding="utf-8", newline="\n") as lines, rows.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps({"text": line}) + "\n")
    run(PORTATUNE, "tokenize", "--tokenizer", model, "--input", rows, "--output", output)
    return output


if __name__ == "__main__":
    main()
