#!/usr/bin/env python3
"""Writes losses of CTC and their gradients, as torch computes them.

    pip install torch==2.15.0
    python tests/oracle/models/make_ctc_cases.py

tests/data/ctc.json: for each case the logits [batch, frames, classes], the labels, both lengths, the losses of the
rows, and the gradient of their sum, in float64.
"""

import json
import pathlib

import torch

DATA = pathlib.Path(__file__).parent.parent.parent / "data"

# name: frames, classes, blank, zero_infinity, rows of labels, numbers of frames
CASES = {
    "repeats": (9, 5, 0, False, [[1, 1, 2, 2], [3, 4, 3, 4], [2, 2, 2, 2]], [9, 9, 9]),
    "lengths": (10, 6, 5, False, [[0, 1, 1, 4], [3, 2], [4], []], [10, 5, 1, 7]),
    "tight": (7, 4, 2, False, [[1, 1, 0, 3, 3], [0, 1, 3, 1, 0]], [7, 5]),
    "infeasible": (6, 4, 0, True, [[1, 1, 1, 1], [1, 2, 3], [2, 2]], [6, 6, 2]),
}


def record(frames, classes, blank, zero_infinity, rows, frame_lengths, seed):
    generator = torch.Generator().manual_seed(seed)
    logits = 2 * torch.randn((len(rows), frames, classes), generator=generator, dtype=torch.float64)
    logits.requires_grad = True
    width = max(len(row) for row in rows)
    labels = torch.tensor([row + [-100] * (width - len(row)) for row in rows])
    lengths = torch.tensor([len(row) for row in rows])
    losses = torch.nn.functional.ctc_loss(
        logits.log_softmax(-1).transpose(0, 1),
        labels,
        torch.tensor(frame_lengths),
        lengths,
        blank=blank,
        reduction="none",
        zero_infinity=zero_infinity,
    )
    losses.sum().backward()
    return {
        "blank": blank,
        "zero_infinity": zero_infinity,
        "logits": logits.tolist(),
        "labels": labels.tolist(),
        "frame_lengths": frame_lengths,
        "label_lengths": lengths.tolist(),
        "losses": losses.tolist(),
        "gradient": logits.grad.tolist(),
    }


cases = {name: record(*settings, seed) for seed, (name, settings) in enumerate(CASES.items())}
(DATA / "ctc.json").write_text(json.dumps(cases, indent=1) + "\n")
