"""Portatune fine-tunes Hugging Face transformers on CPU, GPU and TPU.

    import portatune

    run = portatune.fit(model="bert-base-uncased", train="train.csv", validation="dev.csv", output="tuned")
    run.metrics["accuracy"]
    run.predict(text=["a wonderful film"])
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as typing has it, whose import the script of the command does not need
if TYPE_CHECKING:
    from typing import Any

    from portatune import nn, ops, options
    from portatune._callbacks import Callback
    from portatune._errors import (CheckpointError, DataError, DeviceError, Error, IoError, NotFoundError,
                                   NumericError, ShapeError, UsageError)
    from portatune._generate import generate
    from portatune._load import Predictor, load
    from portatune._metrics import EvalPrediction
    from portatune._runs import (Page, Run, cross_validate, devices, download, evaluate, fit, merge, parity, plan,
                                 predict, report, sweep, train_tokenizer)
    from portatune._tables import History, Predictions
    from portatune._tasks import Classes, Forward, Image, Numbers, Task, Text
    from portatune._trainer import Arrays, Gradients, Trainer
    from portatune.lib._core import Batch, Completion, Encoding, Model, Scope, Step, Tokenizer, Value

    __version__: str

__all__ = [
    "Arrays", "Batch", "Callback", "CheckpointError", "Classes", "Completion", "DataError", "DeviceError",
    "Encoding", "Error", "EvalPrediction", "Forward", "Gradients", "History", "Image", "IoError", "Model",
    "NotFoundError", "Numbers", "NumericError", "Page", "Predictions", "Predictor", "Run", "Scope", "ShapeError",
    "Step", "Task", "Text", "Tokenizer", "Trainer", "UsageError", "Value", "cross_validate", "devices", "download",
    "evaluate", "fit", "generate", "load", "merge", "nn", "ops", "options", "parity", "plan", "predict", "report",
    "sweep", "train_tokenizer",
]  # fmt: skip

_MODULES = ("_errors", "_callbacks", "_metrics", "_runs", "_trainer", "_tables", "_tasks", "_load", "_generate",
            "_native")


def __getattr__(name: str) -> Any:
    """Imports a name when it is first used, because the script of the command, which is in this package, needs none."""
    if name == "__version__":
        return importlib.import_module("portatune._native").core.__version__
    if name in ("nn", "ops", "options"):
        return importlib.import_module(f"portatune.{name}")
    if name in __all__:
        for module in _MODULES:
            value = getattr(importlib.import_module(f"portatune.{module}"), name, None)
            if value is not None:
                globals()[name] = value
                return value
    raise AttributeError(f"module 'portatune' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
