#!/usr/bin/env python3
"""Writes the decisions of torch's ReduceLROnPlateau over random scores.

    pip install torch==2.15.0
    python tests/oracle/train/make_plateau_cases.py

tests/data/train/plateau.json: for each case the parameters under torch's names, the scores of the evaluations (null for
one that is not a number), and the rates of both parameter groups after each of them.
"""

import json
import math
import pathlib
import random

import torch

DATA = pathlib.Path(__file__).parent.parent.parent / "data"
RATES = [0.01, 0.0004]
EVALUATIONS = 30


def scores(generator):
    """A score that improves ever less, with noise, ties, and sometimes no number."""
    found = []
    for i in range(EVALUATIONS):
        score = round(1 / (1 + 0.3 * i) + generator.gauss(0, 0.03), 3)
        found.append(None if generator.random() < 0.05 else score)
    return found


def parameters(generator):
    return {
        "factor": generator.choice([0.1, 0.5, 0.7]),
        "patience": generator.choice([0, 1, 2, 5]),
        "threshold": generator.choice([0.0, 1e-4, 0.02]),
        "threshold_mode": generator.choice(["rel", "abs"]),
        "cooldown": generator.choice([0, 1, 3]),
        "min_lr": generator.choice([0.0, 1e-4]),
        "mode": generator.choice(["min", "max"]),
    }


def rates(series, chosen):
    groups = [{"params": [torch.nn.Parameter(torch.zeros(1))], "lr": rate} for rate in RATES]
    optimizer = torch.optim.SGD(groups)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **chosen)
    found = []
    for score in series:
        schedule.step(math.nan if score is None else score)
        found.append([group["lr"] for group in optimizer.param_groups])
    return found


def main():
    generator = random.Random(11)
    cases = [{"parameters": {"patience": 1}, "scores": scores(generator)}, {"parameters": {}, "scores": [1.0] * EVALUATIONS}]
    cases += [{"parameters": parameters(generator), "scores": scores(generator)} for _ in range(20)]
    for case in cases:
        if case["parameters"].get("mode") == "max":
            case["scores"] = [None if score is None else round(-score, 3) for score in case["scores"]]
        case["rates"] = rates(case["scores"], case["parameters"])
    lines = ",\n".join(json.dumps(case) for case in cases)
    text = f'{{"learning_rates": {json.dumps(RATES)}, "cases": [\n{lines}\n]}}\n'
    (DATA / "train" / "plateau.json").write_text(text)


if __name__ == "__main__":
    main()
