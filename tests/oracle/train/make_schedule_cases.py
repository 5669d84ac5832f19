#!/usr/bin/env python3
"""Writes learning rates of transformers.get_scheduler.

    pip install torch==2.15.0 transformers==5.23.0
    python tests/oracle/train/make_schedule_cases.py

tests/data/train/schedules.json: for each case the name of the schedule, the number of warm-up steps, its parameters
under the names of TrainingOptions, its lr_scheduler_kwargs, and the learning rate of each step.
"""

import json
import pathlib
import warnings

import torch
import transformers

DATA = pathlib.Path(__file__).parent.parent.parent / "data"
RATE = 0.0003
STEPS = 10
WARMUPS = [0, 3, 10, 12]
PARAMETERS = {
    "linear": [{}],
    "cosine": [{}, {"num_cycles": 1.25}],
    "cosine_with_restarts": [{}, {"num_cycles": 3}],
    "cosine_with_min_lr": [{"min_lr_rate": 0.1}, {"min_lr_rate": 0.3, "num_cycles": 0.75}, {"min_lr": 0.00007}],
    "polynomial": [{}, {"power": 2.5, "lr_end": 0.00001}],
    "constant_with_warmup": [{}],
    "inverse_sqrt": [{}, {"timescale": 7}],
    "warmup_stable_decay": [
        {"num_decay_steps": 4},
        {"num_decay_steps": 4, "decay_type": "linear", "min_lr_ratio": 0.1},
        {"num_decay_steps": 9, "decay_type": "1-sqrt"},
        {"num_decay_steps": 5, "decay_type": "cosine", "num_cycles": 0.75, "min_lr_ratio": 0.2},
        {"num_stable_steps": 2, "num_decay_steps": 3, "min_lr_ratio": 0.1},
    ],
    "constant": [{}],
}


def rates(name, warmup, parameters):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=RATE)
    schedule = transformers.get_scheduler(name, optimizer, warmup, STEPS, scheduler_specific_kwargs=parameters)
    found = schedule.get_last_lr()
    for _ in range(STEPS - 1):
        optimizer.step()
        schedule.step()
        found += schedule.get_last_lr()
    return found


def case(name, warmup, parameters):
    ours = {"min_lr_ratio" if key == "min_lr_rate" else key: value for key, value in parameters.items()}
    return {"name": name, "warmup_steps": warmup, "parameters": ours, "kwargs": parameters,
            "rates": rates(name, warmup, parameters)}


def main():
    warnings.simplefilter("ignore")
    cases = []
    for name, settings in PARAMETERS.items():
        for warmup in WARMUPS if name != "constant" else [0]:
            cases += [case(name, warmup, parameters) for parameters in settings]
    lines = ",\n".join(json.dumps(one) for one in cases)
    text = f'{{"learning_rate": {RATE}, "total_steps": {STEPS}, "cases": [\n{lines}\n]}}\n'
    (DATA / "train" / "schedules.json").write_text(text)


if __name__ == "__main__":
    main()
