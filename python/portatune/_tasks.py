"""Tasks of the user: inputs, loss, metrics and predictions."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from portatune import _errors
from portatune._native import core

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Text(NamedTuple):
    """One or two columns of texts, which the tokenizer joins as a pair. In forward() it is a text to encode.

    Attributes:
        columns: names of the columns; `separate`: any number of them, each between the tokenizer's tokens for the
            begin and the end of a text
        kind: a text before separate columns, such as "question"
    """

    columns: Sequence[str]
    separate: bool = False
    kind: str = ""


class Image(NamedTuple):
    """A column of images: paths, URLs, or files of TFRecords. In forward() it is float32 [batch, 3, height, width].

    Training augments images as the task image-classification does, with its options, such as no_flip=True.
    """

    column: str = "image"


class Numbers(NamedTuple):
    """Columns of numbers. In forward() they are float32 [batch, columns]; 0 for rows without labels."""

    columns: Sequence[str]


class Classes(NamedTuple):
    """A column with the name of one of these classes. In forward() it is int32 [batch]; 0 for rows without labels."""

    column: str
    names: Sequence[str]


class Forward(NamedTuple):
    """What forward() returns.

    Attributes:
        losses: a float loss for each row, [batch], whose weighted mean is minimised
        outputs: values for metrics and predictions by name, each with a leading axis of rows
    """

    losses: core.Value
    outputs: Mapping[str, core.Value]


class Task:
    """A task of your own on a text or an image model: derive from it, give its instance as `task=`.

    Attributes:
        inputs: what a row consists of, by name: Texts or one Image; Numbers and Classes
        max_length: tokens of a text, unless the run has an option max_length
        name: the name of the task; by default that of the class: "QuestRatings" is "quest-ratings"
    """

    inputs: Mapping[str, "Text | Image | Numbers | Classes"] = {}
    max_length = 128
    name = ""

    def forward(self, model: core.Model, batch: Mapping[str, Any]) -> Forward:
        """Builds the forward pass with portatune.ops and portatune.nn, once for each shape of batches.

        Args:
            model: the encoder, and the scope of new parameters: model / "head"
            batch: the inputs by name: texts or images for model.encode(), and Values
        """
        raise NotImplementedError

    def metrics(self, outputs: "Mapping[str, NDArray[Any]]", labels: "Mapping[str, NDArray[Any]]") -> dict[str, float]:
        """Returns scores from the outputs and the labels of all rows of an evaluation, beside the loss."""
        return {}

    def predictions(self, outputs: "Mapping[str, NDArray[Any]]") -> list[dict[str, Any]]:
        """Returns a dict for each row of a batch of outputs; values of NumPy are allowed."""
        names = list(outputs)
        return [dict(zip(names, values)) for values in zip(*outputs.values())]

    def settings(self) -> dict[str, str]:
        """Returns values that a resumed run must share with the run that it continues, as texts."""
        return {}

    def _options(self) -> dict[str, Any]:
        """Makes this object the task of its name. Returns the options of its runs."""
        options: dict[str, Any] = {"task": self._add()}
        if any(isinstance(value, Text) for value in self.inputs.values()):
            options["max_length"] = self.max_length
        return options

    def _add(self) -> str:
        """Makes this object the task of its name and returns the name."""
        name = self.name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", type(self).__name__).lower()
        inputs = self.inputs.items()
        texts = [(key, text.columns, text.separate, text.kind) for key, text in inputs if isinstance(text, Text)]
        images = [(key, image.column) for key, image in inputs if isinstance(image, Image)]
        numbers = [(key, columns.columns) for key, columns in inputs if isinstance(columns, Numbers)]
        classes = [(key, column.column, column.names) for key, column in inputs if isinstance(column, Classes)]
        if len(texts) + len(images) + len(numbers) + len(classes) < len(self.inputs):
            raise TypeError(f"{type(self).__name__}.inputs takes Text, Image, Numbers and Classes")
        if len(images) != (0 if texts else 1):
            raise TypeError(f"{type(self).__name__}.inputs needs a Text or more, or one Image")
        for _, columns, separate, kind in texts:
            if isinstance(columns, str) or not columns or (not separate and (len(columns) > 2 or kind)):
                raise TypeError(f"Text({columns!r}): give a list of one or two columns; "
                                "`separate` allows more of them, and a `kind`")
        core.add_task(name, type(self).__name__, texts, images, numbers, classes, _Functions(self))
        return name


class _Functions:
    """The functions of a task as the compiled module calls them."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self.settings = task.settings

    def forward(self, model: core.Model, batch: Mapping[str, Any]) -> tuple[core.Value, dict[str, core.Value]]:
        result = self._task.forward(model, batch)
        if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[1], Mapping):
            raise _errors.usage_error(f"{type(self._task).__name__}.forward()", _errors.kind_of(result),
                                      "portatune.Forward(losses, outputs), with a dict of outputs")
        return result[0], dict(result[1])

    def compute_metrics(self, batches: Iterable[Any]) -> dict[str, float]:
        import numpy

        outputs: dict[str, list[Any]] = {}
        labels: dict[str, list[Any]] = {}
        for of_batch, labels_of_batch, weights in batches:
            for columns, arrays in ((outputs, of_batch), (labels, labels_of_batch)):
                for name, array in arrays.items():
                    columns.setdefault(name, []).append(array[weights != 0])  # others only fill the batch
        joined = [{name: numpy.concatenate(arrays) for name, arrays in columns.items()}
                  for columns in (outputs, labels)]
        return {name: float(score) for name, score in self._task.metrics(*joined).items()}

    def prediction_lines(self, outputs: Mapping[str, Any], weights: Any) -> str:
        rows = self._task.predictions({name: array[weights != 0] for name, array in outputs.items()})
        return "".join(json.dumps(row, default=_plain) + "\n" for row in rows)


def _plain(value: Any) -> Any:
    """Returns the JSON form of a value of NumPy, with the digits of its type."""
    if getattr(value, "ndim", None) == 0 and value.dtype.kind == "f":
        return float(str(value))
    if hasattr(value, "tolist"):
        return [_plain(one) for one in value] if value.ndim > 0 else value.tolist()
    raise TypeError(f"a prediction has a value of type {type(value).__name__}")
