#!/usr/bin/env python3
"""bench/defaults.py: one epoch with the defaults of `portatune fit`, beside transformers' Trainer with its defaults.

Both sides: MiniLM (6 layers, 384), 32 examples a step, AdamW at 5e-5, linear decay, dropout on, texts cut at 128 tokens
(question answering: 384). Neither side gets an option about padding: the Trainer pads each batch to its longest text,
Portatune packs. The tasks are CoLA, movie reviews, and samples of CoNLL, SQuAD and SWAG, whose few rows are repeated to
make an epoch of some hundred. Time is that of the training loop; it includes compilation and tokenization for Portatune,
and neither for the peer. Scores are of the validation rows; samples have none, so there it is the loss on their own rows.
Ends with `RATIO default_<task>_<dtype> <value>`: the peer's best time over Portatune's.

    --ways WAY ...   portatune, peer, and "max_length": Portatune with --padding max_length, to compare scores
    --shared FOLDER  the folder with cola/, squad_sample/, swag_sample/ and other_samples/
"""

import argparse
import json
import os
import pathlib
import tempfile

from harness import MINILM, PEERS, PORTATUNE, REVIEWS, json_line, peer_python, run

REPEATS = {"conll": 100, "squad": 30, "swag": 60}
WAYS = ["portatune", "max_length", "peer"]


def main():
    options = parse_options()
    python = peer_python()
    print(f"{os.cpu_count()} CPUs, load {', '.join(f'{value:.1f}' for value in os.getloadavg())}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in options.tasks:
            task = TASKS[name](options.shared, pathlib.Path(folder))
            for dtype in options.dtypes:
                compare(name, task, dtype, python, options)


def compare(name, task, dtype, python, options):
    best = {}
    for seed in options.seeds:
        for way in options.ways:
            seconds, score = peer(python, task, dtype, seed) if way == "peer" else portatune(task, dtype, seed, way)
            best[way] = min(seconds, best.get(way, seconds))
            print(f"{name:7} {dtype:8} seed {seed} {way:10} {seconds:7.1f} s   {task['score']} {score:.4f}", flush=True)
    if {"portatune", "peer"} <= best.keys():
        print(f"RATIO default_{name}_{dtype} {best['peer'] / best['portatune']:.2f}", flush=True)


def portatune(task, dtype, seed, way):
    arguments = ["--task", task["task"], "--model", MINILM, "--epochs", 1, "--dtype", dtype, "--seed", seed, *task["options"]]
    arguments += ["--train", task["train"], "--validation", *task["validation"]]
    padding = ["--padding", "max_length"] if way == "max_length" else []
    with tempfile.TemporaryDirectory() as folder:
        printed, _ = run(PORTATUNE, "fit", *arguments, *padding, "--no-cache", "--json", "--output", f"{folder}/model")
    result = json_line(printed)
    return result["train_seconds"] + result["compile_seconds"], result["after"][task["score"]]


def peer(python, task, dtype, seed):
    description = {key: value for key, value in task.items() if key != "options"}
    bf16 = ["--bf16"] if dtype == "bfloat16" else []
    printed, _ = run(python, PEERS / "defaults.py", json.dumps(description, default=str), MINILM, "--seed", seed, *bf16)
    result = json_line(printed)
    return result["train_seconds"], result["score"]


def cola(shared, _):
    files = [shared / "cola" / name for name in ("in_domain_train.tsv", "in_domain_dev.tsv", "out_of_domain_dev.tsv")]
    columns = "source,label,mark,sentence"
    return {
        "task": "text-classification",
        "score": "matthews_correlation",
        "train": files[0],
        "validation": files[1:],
        "columns": columns.split(","),
        "text": "sentence",
        "max_length": 128,
        "options": ["--column-names", columns, "--text-column", "sentence"],
    }


def reviews(*_):
    return {
        "task": "text-classification",
        "score": "accuracy",
        "train": REVIEWS / "train.tsv",
        "validation": [REVIEWS / "validation.tsv"],
        "columns": None,
        "text": "text",
        "max_length": 128,
        "options": [],
    }


def repeated(name, rows, folder):
    """The rows of a sample as JSON Lines, several times; ids stay different."""
    path = folder / f"{name}.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for i in range(REPEATS[name]):
            file.writelines(json.dumps({**row, "id": f"{i}-{k}"}) + "\n" for k, row in enumerate(rows))
    return path


def sample(task, path, max_length, options):
    return {
        "task": task,
        "score": "loss",
        "train": path,
        "validation": [path],
        "max_length": max_length,
        "options": options,
    }


def json_lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def conll(shared, folder):
    path = repeated("conll", json_lines(shared / "other_samples" / "conll_sample.json"), folder)
    return sample("token-classification", path, 128, ["--tokens-column", "words", "--tags-column", "ner"])


def squad(shared, folder):
    path = repeated("squad", json.loads((shared / "squad_sample" / "sample.json").read_text())["data"], folder)
    return sample("question-answering", path, 384, ["--max-length", "384", "--version-2-with-negative"])


def swag(shared, folder):
    path = repeated("swag", json_lines(shared / "swag_sample" / "sample.json"), folder)
    return sample("multiple-choice", path, 128, ["--context-column", "sent1"])


TASKS = {"cola": cola, "reviews": reviews, "conll": conll, "squad": squad, "swag": swag}


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="+", choices=list(TASKS), default=list(TASKS))
    parser.add_argument("--dtypes", nargs="+", default=["bfloat16", "float32"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=["portatune", "peer"])
    shared = pathlib.Path(os.environ.get("PORTATUNE_SHARED_DATA", "."))
    parser.add_argument("--shared", type=pathlib.Path, default=shared)
    return parser.parse_args()


if __name__ == "__main__":
    main()
