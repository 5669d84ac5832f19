#!/usr/bin/env python3
"""bench/defaults.py: one epoch with the default options of the command, and one with those of transformers' Trainer.

`portatune fit` gets no option on padding or packing. The Trainer gets a tokenizer, with which it pads each batch to
its longest example (for tags and choices, with the collator of transformers for them). Both sides: MiniLM (6 layers,
384), the same rows, batch size, learning rate and maximal length, AdamW without weight decay or warm-up, linear
decay, dropout on; bfloat16 of the peer is autocast. CoLA and the movie reviews are read as a whole. The samples of
CoNLL, SQuAD and SWAG have a few rows, which are repeated to --sample-rows rows; their scores only show that both
sides learn.

The time is that of the training loop. Portatune tokenizes in it, the peer before it; programs are compiled before it.
Ends every task with `RATIO default_<task> <dtype> <value>`: the peer's best time over Portatune's.

    --data FOLDER   has cola, movie_reviews, squad_sample, swag_sample and other_samples. Default: PORTATUNE_SHARED_DATA
    --rows N        uses only the first rows of CoLA and the reviews, for a trial
    --fixed-length  compares the scores with those of `--padding max_length` in place of the peer; prints no RATIO
"""

import argparse
import collections
import csv
import itertools
import json
import os
import pathlib
import random
import statistics
import tempfile

from harness import MINILM, PEERS, PORTATUNE, json_line, peer_python, report_load, run

SETTINGS = ["--model", MINILM, "--batch-size", 32, "--learning-rate", 1e-4, "--epochs", 1]


def main():
    options = parse_options()
    python = None if options.fixed_length else peer_python()
    report_load()
    with tempfile.TemporaryDirectory() as folder:
        for name in options.tasks:
            task = TASKS[name]
            files = write_rows(pathlib.Path(folder) / name, *task["rows"](options))
            for dtype in options.dtypes:
                measure(python, name, task, files, dtype, options)


def measure(python, name, task, files, dtype, options):
    seconds = collections.defaultdict(list)
    for seed in range(1, options.repeats + 1):
        arguments = [*SETTINGS, "--task", task["task"], "--max-length", task["max_length"], "--seed", seed]
        arguments += ["--train", files["train"], "--validation", files["validation"]]
        sides = {"portatune": lambda: portatune([*arguments, "--dtype", dtype])}
        if options.fixed_length:
            sides["fixed"] = lambda: portatune([*arguments, "--dtype", dtype, "--padding", "max_length"])
        else:
            sides["peer"] = lambda: peer(python, [*arguments, *(["--bf16"] if dtype == "bfloat16" else [])])
        for side, train in sides.items():
            of_side, scores = train()
            seconds[side].append(of_side)
            score = task["score"]
            print(f"{name} {dtype} seed {seed}: {side:9} {of_side:8.2f} s   {score} {scores[score]:.4f}", flush=True)
    for side, of_side in seconds.items():
        print(f"  {side:9} min {min(of_side):8.2f} s   median {statistics.median(of_side):8.2f} s   n {len(of_side)}")
    if not options.fixed_length:
        print(f"RATIO default_{name} {dtype} {min(seconds['peer']) / min(seconds['portatune']):.2f}", flush=True)


def portatune(arguments):
    with tempfile.TemporaryDirectory() as folder:
        printed, _ = run(PORTATUNE, "fit", *arguments, "--json", "--output", f"{folder}/model")
    result = json_line(printed)
    return result["train_seconds"], result["after"]


def peer(python, arguments):
    printed, _ = run(python, PEERS / "defaults.py", *arguments)
    result = json_line(printed)
    return result["train_seconds"], result["validation"]


# ---- the rows, as (for training, for validation)


def cola(options):
    def read(name):
        with open(options.data / "cola" / name, encoding="utf-8") as file:
            fields = [line.rstrip("\n").split("\t") for line in file]
        return [{"text": row[3], "label": int(row[1])} for row in fields]

    validation = read("in_domain_dev.tsv") + read("out_of_domain_dev.tsv")
    return read("in_domain_train.tsv")[: options.rows], validation[: options.rows]


def movie_reviews(options):
    path = options.data / "movie_reviews" / "movie_reviews.tsv"
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    parts = {"train": [], "dev": []}
    for row in rows:
        parts[row["split"]].append({"text": row["text"], "label": int(row["label"])})
    return parts["train"][: options.rows], parts["dev"][: options.rows]


def conll(options):
    rows = json_lines(options.data / "other_samples" / "conll_sample.json")
    rows = [{"tokens": row["words"], "ner_tags": row["ner"]} for row in rows]
    return repeated(rows, options), rows


def squad(options):
    rows = json.loads((options.data / "squad_sample" / "sample.json").read_text(encoding="utf-8"))["data"]
    rows = [{name: row[name] for name in ("id", "question", "context", "answers")} for row in rows]
    training = repeated(rows, options)
    return (varied(training, options) if options.fixed_length else training), rows


def varied(rows, options):
    """The rows with 0 to 6 movie reviews before each context: a bucket of copies would hold 3 or 4 different rows."""
    reviews = [row["text"] for row in movie_reviews(options)[0]]
    draw = random.Random(0)

    def with_reviews(row):
        before = "".join(text + " " for text in draw.sample(reviews, draw.randrange(7)))
        starts = [start + len(before) for start in row["answers"]["answer_start"]]
        return {**row, "context": before + row["context"], "answers": {**row["answers"], "answer_start": starts}}

    return [with_reviews(row) for row in rows]


def swag(options):
    rows = json_lines(options.data / "swag_sample" / "sample.json")
    return repeated(rows, options), rows


def repeated(rows, options):
    return list(itertools.islice(itertools.cycle(rows), options.sample_rows))


def json_lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def write_rows(folder, train, validation):
    folder.mkdir()
    files = {}
    for part, rows in (("train", train), ("validation", validation)):
        files[part] = folder / f"{part}.jsonl"
        files[part].write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return files


TASKS = {
    "cola": {"rows": cola, "task": "text-classification", "max_length": 128, "score": "matthews_correlation"},
    "movie_reviews": {"rows": movie_reviews, "task": "text-classification", "max_length": 128, "score": "accuracy"},
    "conll": {"rows": conll, "task": "token-classification", "max_length": 128, "score": "accuracy"},
    "squad": {"rows": squad, "task": "question-answering", "max_length": 384, "score": "loss"},
    "swag": {"rows": swag, "task": "multiple-choice", "max_length": 128, "score": "accuracy"},
}


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="+", choices=list(TASKS), default=list(TASKS))
    parser.add_argument("--dtypes", nargs="+", choices=["bfloat16", "float32"], default=["bfloat16", "float32"])
    parser.add_argument("--repeats", type=int, default=1, help="runs of each side, each with another seed")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--fixed-length", action="store_true")
    parser.add_argument("--sample-rows", type=int, default=512)
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("PORTATUNE_SHARED_DATA", "."))
    return parser.parse_args()


if __name__ == "__main__":
    main()
