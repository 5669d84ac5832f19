#!/usr/bin/env python3
"""Writes what transformers' Trainer decides for sequences of scores: when it evaluates, saves and stops, and its model.

    pip install torch==2.15.0 transformers==5.23.0 accelerate
    python tests/oracle/train/make_best_model_cases.py

tests/data/train/best_model.json: for each case the options, the score after each step, and the decisions. The model
counts its updates, so its weight after training is the step that the Trainer has taken it from.
"""

import json
import math
import pathlib
import tempfile

import torch
import transformers

DATA = pathlib.Path(__file__).parent.parent.parent / "data"
STEPS_PER_EPOCH = 4
RISE_AND_FALL = [0.1, 0.3, 0.2, 0.6, 0.5, 0.9, 0.8, 0.7, 0.75, 0.65, 0.6, 0.5]
EARLY_BEST = [0.1, 0.2, 0.3, 0.9, 0.5, 0.5, 0.5, 0.6, 0.5, 0.5, 0.5, 0.7]
SLOW_RISE = [0.5, 0.52, 0.51, 0.55, 0.56, 0.57, 0.6, 0.61, 0.62, 0.63, 0.7, 0.71]
PLATEAU = [0.5] * 12
UNDEFINED_FIRST = [math.nan, math.nan, 0.2, 0.1, math.nan, math.nan, 0.3, 0.2, math.nan, 0.1, 0.1, 0.3]

EPOCHS = {"eval_strategy": "epoch", "save_strategy": "epoch"}
STEPS = {"eval_strategy": "steps", "eval_steps": 2, "save_strategy": "steps", "save_steps": 2}
BEST = {"eval_strategy": "steps", "eval_steps": 2, "save_strategy": "best"}
LOAD = {"load_best_model_at_end": True, "metric_for_best_model": "score"}

CASES = [
    (EPOCHS | LOAD | {"save_total_limit": 1}, RISE_AND_FALL),
    (EPOCHS | LOAD | {"save_total_limit": 1}, EARLY_BEST),
    (EPOCHS | LOAD | {"save_total_limit": 2}, EARLY_BEST),
    (EPOCHS | {"metric_for_best_model": "eval_score", "save_total_limit": 1}, EARLY_BEST),
    (EPOCHS | {"save_total_limit": 1}, EARLY_BEST),
    (STEPS | LOAD | {"save_total_limit": 2, "early_stopping_patience": 2}, RISE_AND_FALL),
    (STEPS | LOAD | {"save_total_limit": 1, "early_stopping_patience": 3}, EARLY_BEST),
    (STEPS | LOAD | {"save_total_limit": 3, "early_stopping_patience": 1, "early_stopping_threshold": 0.05}, SLOW_RISE),
    (STEPS | LOAD | {"save_total_limit": 2, "early_stopping_patience": 2}, PLATEAU),
    (STEPS | LOAD | {"save_total_limit": 2, "early_stopping_patience": 2}, UNDEFINED_FIRST),
    (STEPS | LOAD | {"save_total_limit": 2, "eval_steps": 5, "save_steps": 5}, SLOW_RISE),
    (STEPS | LOAD | {"save_total_limit": 2, "greater_is_better": False}, RISE_AND_FALL),
    (STEPS | LOAD | {"save_total_limit": 2, "metric_for_best_model": "my_loss"}, RISE_AND_FALL),
    (STEPS | LOAD | {"save_total_limit": 2, "metric_for_best_model": "my_loss", "greater_is_better": True}, EARLY_BEST),
    (BEST | LOAD | {"save_total_limit": 1}, RISE_AND_FALL),
    (BEST | LOAD | {"save_total_limit": 2, "early_stopping_patience": 4}, EARLY_BEST),
    (BEST | {"metric_for_best_model": "score", "save_total_limit": 3, "early_stopping_patience": 2}, RISE_AND_FALL),
    (STEPS | {"save_strategy": "no", "metric_for_best_model": "score", "early_stopping_patience": 2}, RISE_AND_FALL),
    (EPOCHS | LOAD | {"save_total_limit": 2, "eval_delay": 2}, EARLY_BEST),
    (EPOCHS | LOAD | {"save_total_limit": 1, "eval_delay": 1.5}, RISE_AND_FALL),
    (EPOCHS | {"save_total_limit": 1, "eval_delay": 4}, EARLY_BEST),
    (STEPS | LOAD | {"save_total_limit": 2, "early_stopping_patience": 2, "eval_delay": 5}, RISE_AND_FALL),
    (BEST | LOAD | {"save_total_limit": 2, "eval_delay": 6, "eval_steps": 5}, EARLY_BEST),
]


class Counter(torch.nn.Module):
    """A model whose weight is the number of its updates, with SGD and learning rate 1."""

    def __init__(self):
        super().__init__()
        self.steps = torch.nn.Parameter(torch.zeros(1))

    def forward(self, x, labels=None):
        return {"loss": -self.steps.sum() + 0 * x.sum(), "logits": x}


class Record(transformers.TrainerCallback):
    def __init__(self):
        self.evaluations, self.saves = [], []

    def on_evaluate(self, args, state, control, **kwargs):
        self.evaluations.append(state.global_step)

    def on_save(self, args, state, control, **kwargs):
        self.saves.append(state.global_step)


def decisions(options, scores):
    options = dict(options)
    patience = options.pop("early_stopping_patience", None)
    threshold = options.pop("early_stopping_threshold", 0.0)
    rows = [{"x": torch.ones(1), "labels": torch.ones(1)} for _ in range(STEPS_PER_EPOCH)]
    record = Record()
    callbacks = [record]
    if patience is not None:
        callbacks.append(transformers.EarlyStoppingCallback(patience, threshold))
    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            output_dir=folder, num_train_epochs=len(scores) // STEPS_PER_EPOCH, per_device_train_batch_size=1,
            optim="sgd", learning_rate=1.0, lr_scheduler_type="constant", max_grad_norm=0, report_to="none",
            disable_tqdm=True, use_cpu=True, logging_strategy="no", **options)

        def metrics(_):
            score = scores[trainer.state.global_step - 1]
            return {"score": score, "my_loss": score}

        trainer = transformers.Trainer(
            model=Counter(), args=arguments, train_dataset=rows, eval_dataset=rows, compute_metrics=metrics,
            callbacks=callbacks)
        trainer.train()
        checkpoints = sorted(int(path.name.split("-")[1]) for path in pathlib.Path(folder).glob("checkpoint-*"))
        return {
            "steps": trainer.state.global_step,
            "best_step": trainer.state.best_global_step,
            "model_step": round(trainer.model.steps.item()),
            "evaluations": record.evaluations,
            "saves": record.saves,
            "checkpoints": checkpoints,
        }


def main():
    cases = []
    for options, scores in CASES:
        known = [None if math.isnan(score) else score for score in scores]
        cases.append({"options": options, "scores": known, "decisions": decisions(options, scores)})
    lines = ",\n".join(json.dumps(case) for case in cases)
    target = DATA / "train" / "best_model.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(f'{{"steps_per_epoch": {STEPS_PER_EPOCH}, "cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
