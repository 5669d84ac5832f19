"""Portatune fine-tunes Hugging Face transformers on CPU, GPU and TPU.

    import portatune

    run = portatune.fit(model="bert-base-uncased", train="train.csv", validation="dev.csv", output="tuned")
    run.metrics["accuracy"]
    run.predict(text=["a wonderful film"])
"""

from portatune._callbacks import Callback
from portatune._errors import (CheckpointError, DataError, DeviceError, Error, IoError, NotFoundError, NumericError,
                               ShapeError, UsageError)
from portatune._generate import generate
from portatune._metrics import EvalPrediction
from portatune._native import core as _core
from portatune._runs import (History, Page, Run, devices, evaluate, fit, parity, plan, predict, report, sweep)

Completion = _core.Completion
Encoding = _core.Encoding
Tokenizer = _core.Tokenizer

__all__ = [
    "Callback", "CheckpointError", "Completion", "DataError", "DeviceError", "Encoding", "Error", "EvalPrediction",
    "History", "IoError", "NotFoundError", "NumericError", "Page", "Run", "ShapeError", "Tokenizer", "UsageError",
    "devices", "evaluate", "fit", "generate", "parity", "plan", "predict", "report", "sweep",
]  # fmt: skip
