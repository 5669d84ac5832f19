#!/usr/bin/env python3
"""Writes what transformers makes of fractions of steps, and the steps that it logs.

    pip install torch==2.15.0 transformers==5.23.0
    python tests/oracle/train/make_step_intervals.py

tests/data/train/step_intervals.json: "intervals" has eval_steps, the total number of steps, and the interval of
TrainerState.compute_steps; "logged" has options of TrainingArguments and the steps that DefaultFlowCallback logs.
"""

import json
import pathlib
import types

from transformers import IntervalStrategy, TrainerControl, TrainerState
from transformers.trainer_callback import DefaultFlowCallback
from transformers.trainer_utils import SaveStrategy

DATA = pathlib.Path(__file__).parent.parent.parent / "data"
TOTALS = [1, 7, 8, 10, 99, 100, 3125]
VALUES = [0.001, 0.05, 0.1, 0.25, 0.3, 1 / 3, 0.999999, 1, 2, 500]
STEPS = 8
LOGGED = [
    {"logging_steps": 3, "logging_first_step": False},
    {"logging_steps": 3, "logging_first_step": True},
    {"logging_steps": 0.3, "logging_first_step": False},
    {"logging_steps": 0.25, "logging_first_step": True},
    {"logging_steps": 1, "logging_first_step": True},
    {"logging_steps": 0.01, "logging_first_step": False},
]


def arguments_of(**options):
    return types.SimpleNamespace(
        logging_strategy=IntervalStrategy.STEPS, eval_strategy=IntervalStrategy.NO, save_strategy=SaveStrategy.NO,
        eval_delay=0, **{"logging_steps": 500, "eval_steps": 500, "save_steps": 500, "logging_first_step": False, **options})


def interval(total, value):
    state = TrainerState()
    state.compute_steps(arguments_of(eval_steps=value), total)
    return {"value": value, "total": total, "steps": state.eval_steps}


def logged(options):
    arguments, state, control, steps = arguments_of(**options), TrainerState(max_steps=STEPS), TrainerControl(), []
    state.compute_steps(arguments, STEPS)
    for step in range(1, STEPS + 1):
        state.global_step = step
        control.should_log = False
        if DefaultFlowCallback().on_step_end(arguments, state, control).should_log:
            steps.append(step)
    return {"options": options, "steps": steps}


def main():
    intervals = ",\n".join(json.dumps(interval(total, value)) for total in TOTALS for value in VALUES)
    logs = ",\n".join(json.dumps(logged(options)) for options in LOGGED)
    text = f'{{"intervals": [\n{intervals}\n],\n"total_steps": {STEPS}, "logged": [\n{logs}\n]}}\n'
    (DATA / "train" / "step_intervals.json").write_text(text)


if __name__ == "__main__":
    main()
