"""Portatune fine-tunes Hugging Face transformers on CPU, GPU and TPU."""

from portatune._errors import (CheckpointError, DataError, DeviceError, Error, IoError, NotFoundError, NumericError,
                               ShapeError, UsageError)
from portatune._native import core as _core

Encoding = _core.Encoding
Tokenizer = _core.Tokenizer

__all__ = [
    "CheckpointError", "DataError", "DeviceError", "Encoding", "Error", "IoError", "NotFoundError", "NumericError",
    "ShapeError", "Tokenizer", "UsageError",
]  # fmt: skip
