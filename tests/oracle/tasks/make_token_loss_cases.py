#!/usr/bin/env python3
"""Writes losses of tokens and endings, and their gradients, as transformers' LabelSmoother and torch compute them.

    pip install torch==2.15.0 transformers==5.23.0
    python tests/oracle/tasks/make_token_loss_cases.py

tests/data/tasks/token_losses.json: for each case the task, options, logits, labels, loss and gradient of the loss.
"""

import json
import pathlib

import torch
from torch.nn.functional import cross_entropy
from transformers.trainer_pt_utils import LabelSmoother

DATA = pathlib.Path(__file__).parent.parent.parent / "data"
WEIGHTS = [0.5, 2.0, 1.25]


def case(task, options, logits, labels, loss):
    logits = logits.requires_grad_()
    found = loss(logits, labels)
    found.backward()
    return {
        "task": task,
        "options": options,
        "logits": logits.tolist(),
        "labels": labels.tolist(),
        "loss": found.item(),
        "gradient": logits.grad.tolist(),
    }


def smoothed(task, epsilon, logits, labels, *, shift_labels=False):
    def loss(logits, labels):
        return LabelSmoother(epsilon=epsilon)({"logits": logits}, labels, shift_labels=shift_labels)

    return case(task, {"label_smoothing": epsilon}, logits, labels, loss)


def weighted(task, epsilon, logits, labels):
    def loss(logits, labels):
        weight = torch.tensor(WEIGHTS)
        return cross_entropy(logits.flatten(0, 1), labels.flatten(), weight=weight, label_smoothing=epsilon)

    return case(task, {"label_smoothing": epsilon, "class_weights": WEIGHTS}, logits, labels, loss)


def main():
    torch.manual_seed(0)
    tags = torch.tensor([[2, 0, -100, 1], [-100, 1, 1, -100]])
    tokens = torch.tensor([[2, 0, 4, 1, -100], [-100, 1, 1, 3, 3]])
    cases = [
        smoothed("token-classification", 0.1, torch.randn(2, 4, 3) * 2, tags),
        weighted("token-classification", 0.0, torch.randn(2, 4, 3) * 2, tags),
        weighted("token-classification", 0.2, torch.randn(2, 4, 3) * 2, tags),
        smoothed("masked-lm", 0.1, torch.randn(2, 5, 5) * 2, tokens),
        smoothed("causal-lm", 0.1, torch.randn(2, 5, 5) * 2, tokens, shift_labels=True),
        smoothed("multiple-choice", 0.1, torch.randn(3, 4) * 2, torch.tensor([3, 0, 2])),
    ]
    (DATA / "tasks" / "token_losses.json").write_text(json.dumps(cases) + "\n")


if __name__ == "__main__":
    main()
