"""A model that stays in memory for predictions."""

import json
from collections.abc import Sequence
from typing import Unpack

from portatune import _errors, _rows
from portatune._native import core
from portatune._rows import Path, Rows
from portatune._tables import Predictions
from portatune._words import words
from portatune.options import LoadOptions


class Predictor:
    """A model in memory, which load() returns. One thread at a time may use it."""

    def __init__(self, given: list[str]) -> None:
        self._core = core.Predictor(given)

    def predict(self, data: "str | Sequence[str] | Rows | None" = None, *,
                text: str | Sequence[str] | None = None) -> Predictions:
        """Returns a dict for each row, as portatune.predict() does.

        Args:
            data: a text, a list of texts, or rows in memory: a list of dicts, a dict of columns, a table
            text: a text or a list of texts, in place of `data`
        """
        if (data is None) == (text is None):
            given = "neither data nor text" if data is None else "data and text"
            raise _errors.usage_error("predict", given, "one of them")
        data = data if text is None else text
        rows = [{"text": data}] if isinstance(data, str) else data
        if isinstance(rows, (list, tuple)) and any(isinstance(row, str) for row in rows):
            rows = [{"text": _text(number, row)} for number, row in enumerate(rows)]
        lines = self._core.predict([[(name, _rows.as_text(value)) for name, value in row.items()]
                                    for row in _rows.as_dicts(rows, "data")])
        return Predictions({"row": number, **json.loads(line)} for number, line in enumerate(lines))


def _text(number: int, row: object) -> str:
    if not isinstance(row, str):
        raise _errors.data_error(f"data, row {number}", _errors.kind_of(row), "a text, as in other rows")
    return row


def load(model: Path, *, batch_size: int = 8, **options: Unpack[LoadOptions]) -> Predictor:
    """Loads a model for many predictions.

        model = portatune.load("tuned")
        model.predict(["a wonderful film", "two hours too long"])

    The first prediction compiles the programs. Texts are padded to powers of two, so that few programs are needed.

    Args:
        model: a model folder, or a name of the Hugging Face Hub
        batch_size: rows that are predicted at a time; fewer rows take as long
        options: those of `portatune predict` about the model and the device: task, dtype, max_length, device
    """
    return Predictor(words("predict", {"model": model, "batch_size": batch_size, **options}))
