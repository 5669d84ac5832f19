"""A training run whose model stays in memory."""

import contextlib
import pathlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, cast

from portatune import _callbacks, _errors, _metrics, _notebook, _rows, _tables
from portatune._metrics import ComputeMetrics
from portatune._native import core
from portatune._rows import Path, RowFunction, Rows
from portatune._runs import Run
from portatune._tables import Predictions
from portatune._tasks import Task
from portatune._temporary import TemporaryFolder, output_of
from portatune._words import of_run, texts, words
from portatune.options import FitOptions

if TYPE_CHECKING:
    from numpy.typing import NDArray


# The attributes that a Trainer lacks while it has no model.
_OF_MODEL = ("_core", "weights", "optimizer_state")


class Arrays(MutableMapping[str, Any]):
    """NumPy arrays of a model by name. Reading copies an array, and setting one replaces it on the device."""

    def __init__(self, names: Callable[[], Sequence[str]], get: Callable[[str], Any],
                 put: Callable[[str, Any], None]) -> None:
        self._names, self._get, self._put = names, get, put

    def __getitem__(self, name: str) -> "NDArray[Any]":
        if name not in self._names():
            raise KeyError(name)
        array: NDArray[Any] = self._get(name)
        return array

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self._names():
            raise KeyError(name)
        self._put(name, _array(name, value))

    def __delitem__(self, name: str) -> None:
        raise TypeError("the arrays of a model cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __repr__(self) -> str:
        return f"Arrays({', '.join(self._names())})"


class Trainer:
    """A training run as an object: its model stays in memory, and it can be trained step by step.

        trainer = portatune.Trainer(model="bert-base-uncased", train="train.csv", validation="dev.csv",
                                    output="trained")
        trainer.fit()
        trainer.predict(text=["a wonderful film"])

    A loop of your own makes the same updates as fit(), to the bit:

        for batch in trainer.batches():
            step = trainer.step(batch)
        trainer.evaluate()
        trainer.save("looped")

    The arguments are those of portatune.fit(). One thread at a time may use a trainer, and its callbacks may not.

    Attributes:
        weights: the parameters by name; `trainer.weights["classifier.weight"] = array` replaces one
        optimizer_state: the arrays of the optimizer by name, such as "m.classifier.weight"
    """

    weights: Arrays
    optimizer_state: Arrays
    _core: core.Training

    def __init__(self, model: Path, train: Rows | None = None, validation: Rows | float | None = None, *,
                 task: str | Task | None = None, output: Path | None = None, callbacks: Sequence[object] = (),
                 compute_metrics: ComputeMetrics | None = None, map: RowFunction | None = None,
                 **options: Unpack[FitOptions]) -> None:
        self._folder = TemporaryFolder()  # of rows in memory, and of the model without an output
        output = output_of(output, options) or self._folder.path / "model"
        called, of_callbacks = _callbacks.split(callbacks, _notebook.progress(options.get("quiet")), options)
        self._options = of_run(model, train, validation, task, output, of_callbacks)
        for name in ("train", "validation"):
            self._options[name] = self._on_disk(name, self._options[name])
        self._observer = _callbacks.Observer(called, self._options) if called else None
        self._computed = None if compute_metrics is None else _metrics.of_batches(compute_metrics)
        self._map = _rows.function_of_texts(map)
        self._open()

    def _open(self, **changes: object) -> None:
        # The memory of the old model is free before there is a new one.
        for name in _OF_MODEL:
            vars(self).pop(name, None)
        self._core = core.Training(words("fit", {**self._options, **changes}), self._map)
        self.weights = Arrays(self._core.weights, self._core.weight, self._core.set_weight)
        self.optimizer_state = Arrays(self._core.optimizer_state, self._core.optimizer_array,
                                      self._core.set_optimizer_array)

    if not TYPE_CHECKING:  # a type checker knows the attributes above

        def __getattr__(self, name):
            if name not in _OF_MODEL:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            raise _errors.usage_error("Trainer", "a trainer without a model, as it could not be opened or resumed",
                                      "a model", "resume from a valid checkpoint, or make another trainer")

    def _on_disk(self, name: str, rows: Any) -> Any:
        """Returns the same rows as a file if they are in memory."""
        return _rows.write(rows, self._folder.path / f"{name}.jsonl") if _rows.is_in_memory(rows) else rows

    @contextlib.contextmanager
    def _files(self, rows: Rows | None) -> Iterator[list[str]]:
        """Yields the words of rows; None has no words."""
        with tempfile.TemporaryDirectory(prefix="portatune-") as folder:
            if _rows.is_in_memory(rows):
                rows = _rows.write(rows, pathlib.Path(folder, "rows.jsonl"))
            yield [] if rows is None else texts(rows)

    def fit(self) -> Run:
        """Makes the steps that are left, saves the model in `output` and returns the Run, as portatune.fit() does.

        A run is fitted once. Afterwards the trainer evaluates, predicts, saves and makes single steps.
        """
        try:
            result, checkpoint = self._core.fit(self._observer, self._computed)
        except BaseException:  # which may name a checkpoint
            self._folder.keep_checkpoints()
            raise
        if self._observer:
            self._observer.end()
        return Run(self._options["output"], result, checkpoint, self._folder, self._options.get("quiet"))

    def evaluate(self, data: Rows | None = None) -> dict[str, float]:
        """Returns the scores of the model as it is now, on the validation rows or on other labelled rows."""
        if data is None:
            return self._core.evaluate(None, self._computed)
        with self._files(data) as files:
            return self._core.evaluate(files, self._computed)

    def predict(self, data: Rows | None = None, *, text: Sequence[str] = ()) -> Predictions:
        """Returns a dict for each row, as portatune.predict() does, by the model as it is now.

        Args:
            data: rows as fit() takes them, without labels; None: `text` has the texts
        """
        with tempfile.TemporaryDirectory(prefix="portatune-") as folder, self._files(data) as files:
            output = pathlib.Path(folder, "predictions.jsonl")
            self._core.predict(files, texts(text), str(output), self._computed)
            if self._observer:
                self._observer.on_predict()
            return _tables.read(Predictions, output)

    def batches(self) -> Iterator[core.Batch]:
        """Returns the batches of the steps that are left, over all epochs, as fit() uses them."""
        return cast(Iterator[core.Batch], core.Batches(self._core))

    def step(self, batch: core.Batch | Mapping[str, Any], *, learning_rate: float | None = None) -> core.Step:
        """Makes one update with a batch and returns at once, before the device has computed it.

        Args:
            batch: one of batches(), or NumPy arrays by name as such a batch has them
            learning_rate: the rate of this step; None: that of the schedule. The rates of parameter groups are scaled
                by the same factor.
        """
        return self._core.step(_batch(batch), learning_rate)

    def gradients(self, batch: core.Batch | Mapping[str, Any]) -> "Gradients":
        """Returns the gradients that the next step would have for a batch, before clipping. Nothing changes."""
        loss, arrays = self._core.gradients(_batch(batch))
        return Gradients(arrays, loss)

    def apply_gradients(self, gradients: "Mapping[str, NDArray[Any]]", *,
                        learning_rate: float | None = None) -> core.Step:
        """Makes one update with gradients, as step() does after it has computed those of a batch.

        They are clipped, the optimizer updates the weights, and the step is counted, also by the schedule:
        `trainer.apply_gradients(trainer.gradients(batch))` equals `trainer.step(batch)`, except for rounding. In
        between they can be changed:

            for batch in trainer.batches():
                gradients = trainer.gradients(batch)
                gradients["classifier.weight"] *= 0.1
                trainer.apply_gradients(gradients)

        Args:
            gradients: an array for each trained parameter, of its shape; the loss of the step is their `loss`, or 0 for
                another mapping than Gradients
            learning_rate: as of step()
        """
        if not isinstance(gradients, Mapping):
            raise _errors.usage_error("gradients", _errors.kind_of(gradients), "arrays by the name of their parameter",
                                      "apply_gradients(gradients(batch))")
        loss = gradients.loss if isinstance(gradients, Gradients) else 0.0
        arrays = {str(name): _array(f"gradient of {name}", value) for name, value in gradients.items()}
        return self._core.apply_gradients(arrays, loss, learning_rate)

    def save(self, folder: Path) -> pathlib.Path:
        """Writes the model as it is now to a folder and returns its path."""
        self._core.save(str(folder), False)
        return pathlib.Path(folder)

    def save_checkpoint(self, folder: Path) -> pathlib.Path:
        """Writes model, optimizer state and step to a folder, from which resume() continues, and returns its path."""
        self._core.save(str(folder), True)
        return pathlib.Path(folder)

    def resume(self, checkpoint: Path | None = None) -> None:
        """Continues from a checkpoint; None: the newest one in `output`.

        Raises:
            UsageError: there is no checkpoint, and the trainer is as before; or the checkpoint is of another run
            Error: the checkpoint is damaged. After this error, and for a checkpoint of another run, the trainer has no
                model until resume() succeeds with another checkpoint
        """
        output = self._options["output"]
        if not any(map(_is_checkpoint, output.glob("checkpoint-*") if checkpoint is None else [checkpoint])):
            raise _errors.usage_error("resume", f"no checkpoint in {output if checkpoint is None else checkpoint}",
                                      "a folder that fit() or save_checkpoint() of this run has written",
                                      "fit() begins a run" if checkpoint is None else "")
        if checkpoint is None:
            return self._open(resume=True)
        return self._open(resume_from_checkpoint=checkpoint)

    @property
    def steps(self) -> int:
        """The number of steps made."""
        return self._core.steps

    @property
    def total_steps(self) -> int:
        """The number of steps of the whole run."""
        return self._core.total_steps

    @property
    def steps_per_epoch(self) -> int:
        """The number of steps of an epoch."""
        return self._core.steps_per_epoch

    @property
    def updates(self) -> int:
        """The number of updates, by which an optimizer corrects its averages: steps without the skipped ones."""
        return self._core.updates

    @updates.setter
    def updates(self, count: int) -> None:
        self._core.updates = count


class Gradients(dict[str, Any]):
    """NumPy arrays by the name of their parameter.

    Attributes:
        loss: the mean loss of the batch
    """

    def __init__(self, arrays: "Mapping[str, NDArray[Any]]", loss: float) -> None:
        super().__init__(arrays)
        self.loss = loss


def _array(where: str, value: Any) -> "NDArray[Any]":
    """Returns an array that the compiled module takes. Python's numbers become 32 bits, as tasks have them.

    Args:
        where: what the array is, for the error
    """
    import numpy

    array = numpy.asarray(value)
    if array.dtype.kind not in "biuf":
        given = _errors.kind_of(value) if array.dtype.kind == "O" else f"an array of {array.dtype.name}"
        raise _errors.usage_error(where, given, "an array of numbers, such as float32")
    narrower = {"int64": "int32", "float64": "float32"}.get(array.dtype.name, array.dtype)
    return numpy.asarray(array, dtype=narrower, order="C")


def _is_checkpoint(folder: Path) -> bool:
    """Whether a folder has one of the files by which a run knows its checkpoints."""
    return any(pathlib.Path(folder, name).is_file() for name in ("training_state.json", "checkpoint_manifest.json"))


def _batch(batch: core.Batch | Mapping[str, Any]) -> core.Batch:
    if isinstance(batch, core.Batch):
        return batch
    if not isinstance(batch, Mapping):
        raise _errors.usage_error("batch", _errors.kind_of(batch), "one of batches(), or arrays by name")
    return core.Batch({name: _array(name, value) for name, value in batch.items()})
