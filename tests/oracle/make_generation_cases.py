#!/usr/bin/env python3
"""Makes tests/data/generation.json: the results of transformers' logits processors on random logits.

Needs torch and transformers 5.23.0; the tests only read what it wrote.
"""

import json
import pathlib

import torch
from transformers import (
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

FILE = pathlib.Path(__file__).resolve().parent.parent / "data" / "generation.json"
ROWS, VOCAB = 2, 23


def main():
    generator = torch.Generator().manual_seed(0)
    logits = 3 * torch.randn((ROWS, VOCAB), generator=generator)
    ids = torch.tensor([[3, 7, 3, 11, 0], [22, 5, 9, 9, 14]])
    cases = {
        "repetition_penalty": {
            str(penalty): rows(RepetitionPenaltyLogitsProcessor(penalty)(ids, logits.clone()))
            for penalty in (0.7, 1.3)
        },
        "top_k": {str(k): kept(TopKLogitsWarper(k)(ids, logits.clone())) for k in (1, 4, 22, 23)},
        "top_p": {str(p): kept(TopPLogitsWarper(p)(ids, logits.clone())) for p in (0.05, 0.5, 0.9, 0.999)},
        # In the order of generate().
        "chain": kept(chain(ids, logits)),
    }
    FILE.write_text(json.dumps({"logits": rows(logits), "ids": ids.tolist(), **cases}) + "\n")


def chain(ids, logits):
    for processor in (TemperatureLogitsWarper(1.7), TopKLogitsWarper(9), TopPLogitsWarper(0.8)):
        logits = processor(ids, logits)
    return logits


def rows(values):
    return values.tolist()


def kept(values):
    """Indices of the tokens of each row that remain."""
    return [row.isfinite().nonzero().flatten().tolist() for row in values]


if __name__ == "__main__":
    main()
