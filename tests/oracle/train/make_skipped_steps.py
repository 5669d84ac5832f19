#!/usr/bin/env python3
"""Records the loss scales of torch's GradScaler and the steps of AdamW that it skips.

    pip install torch==2.15.0
    python tests/oracle/train/make_skipped_steps.py

tests/data/curves/skipped_steps.json:
- `scale`: the steps, of 9000 and counted from 1, whose gradient overflows, and [step, scale] after each step that
  changes the scale.
- `adamw`: the gradients of a parameter of two elements, null where it overflows, and the parameter after each step.
"""

import json
import pathlib

import torch

DATA = pathlib.Path(__file__).parent.parent.parent / "data"
# Two in a row; one in the step before one that would double, and one in such a step; then none before two doublings.
OVERFLOWS = [1, 2, 500, 2499, 4499, 4500]
STEPS = 9000
GRADIENTS = [[3.0, -4.0], None, [0.5, 0.25], [-1.0, 2.0], None, None, [0.125, -3.0], [2.0, 1.0]]


def scaler_and_parameter():
    parameter = torch.nn.Parameter(torch.tensor([1.0, -1.0]))
    optimizer = torch.optim.AdamW([parameter], lr=0.1, weight_decay=0.5)
    return torch.amp.GradScaler("cpu"), parameter, optimizer


def step(scaler, parameter, optimizer, gradient):
    target = torch.tensor(gradient if gradient else [float("inf"), 1.0])
    scaler.scale((parameter * target).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()


def scales():
    scaler, parameter, optimizer = scaler_and_parameter()
    changes, before = [], scaler.get_scale()
    for number in range(1, STEPS + 1):
        step(scaler, parameter, optimizer, None if number in OVERFLOWS else [1e-3, 1e-3])
        if scaler.get_scale() != before:
            before = scaler.get_scale()
            changes.append([number, before])
    return {"steps": STEPS, "overflows": OVERFLOWS, "changes": changes}


def updates():
    scaler, parameter, optimizer = scaler_and_parameter()
    after = []
    for gradient in GRADIENTS:
        step(scaler, parameter, optimizer, gradient)
        after.append(parameter.tolist())
    return {"gradients": GRADIENTS, "lr": 0.1, "weight_decay": 0.5, "parameter": [1.0, -1.0], "after": after}


def main():
    (DATA / "curves" / "skipped_steps.json").write_text(json.dumps({"scale": scales(), "adamw": updates()}) + "\n")


if __name__ == "__main__":
    main()
