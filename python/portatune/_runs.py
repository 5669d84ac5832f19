"""Runs of the command as functions: keywords are its options, results are those of its --json."""

import html
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from portatune import _callbacks, _command, _errors, _metrics, _notebook
from portatune._metrics import ComputeMetrics
from portatune._native import core
from portatune._rows import Path, Rows
from portatune._tasks import Task
from portatune._temporary import TemporaryFolder
from portatune._words import json_of, of_run, texts, words, words_with_rows


class History(list[dict[str, Any]]):
    """The log of a run: a dict for each record of metrics.jsonl."""

    def to_pandas(self) -> Any:
        """Returns the records as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self)

    def _repr_html_(self) -> str:
        return _notebook.table(self)


class Page(str):
    """A page in HTML, which notebooks show."""

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self)}" width="100%" height="800" style="border:0"></iframe>'

    def save(self, path: Path) -> pathlib.Path:
        """Writes the page to a file and returns its path."""
        path = pathlib.Path(path)
        path.write_text(self, encoding="utf-8")
        return path


class Run:
    """A training run, which fit() returns.

    Attributes:
        output: the folder of the run
        model: the folder of its model; the checkpoint of a run that a callback has stopped
        result: the numbers of the run, as `portatune fit --json` prints them; empty if a callback has stopped it
        metrics: the scores of the validation rows after training, such as {"loss": 0.41, "accuracy": 0.83}
        stopped: whether a callback has stopped the run
    """

    def __init__(self, output: Path, result: str | None, checkpoint: Path,
                 folder: TemporaryFolder | None) -> None:
        self.output = pathlib.Path(output)
        self.result = json_of(result)
        self.metrics: dict[str, float] = self.result.get("after", {})
        self.stopped = result is None
        self.model = pathlib.Path(checkpoint) if self.stopped else self.output
        self._folder = folder  # a temporary folder with the output, which lives as long

    @property
    def history(self) -> History:
        """The records of metrics.jsonl: losses, learning rates and scores by step."""
        with open(self.output / "metrics.jsonl", encoding="utf-8") as file:
            return History(map(json.loads, file))

    def evaluate(self, data: Rows, **options: Any) -> dict[str, float]:
        """Returns the scores of rows: see portatune.evaluate()."""
        return evaluate(self.model, data, **options)

    def predict(self, data: Rows | None = None, **options: object) -> list[dict[str, Any]]:
        """Returns the predictions for rows or texts: see portatune.predict()."""
        return predict(self.model, data, **options)

    def save(self, folder: Path) -> pathlib.Path:
        """Copies the model without its checkpoints to a new folder and returns its path."""
        return pathlib.Path(shutil.copytree(self.model, folder, ignore=shutil.ignore_patterns("checkpoint-*")))

    def report(self) -> Page:
        """Returns the page that shows the curves, scores and settings of the run."""
        return report(self.output)

    def _repr_html_(self) -> str:
        return _notebook.scores(self.result) + self.report()._repr_html_()

    def __repr__(self) -> str:
        scores = ", ".join(f"{name}={score:.4g}" for name, score in self.metrics.items())
        return f"Run({str(self.output)!r}{', ' if scores else ''}{scores})"


def fit(model: Path, train: Rows, validation: Rows | float | None = None, *, task: str | Task | None = None,
        output: Path | None = None, callbacks: Sequence[object] = (), compute_metrics: ComputeMetrics | None = None,
        **options: object) -> Run:
    """Fine-tunes a model and returns its Run, as `portatune fit` does: the same options give the same bits.

        run = portatune.fit("bert-base-uncased", train=frame, validation=0.1, learning_rate=3e-5, num_train_epochs=2)
        run.metrics["accuracy"]

    Ctrl-C saves a checkpoint and raises KeyboardInterrupt, whose attribute `checkpoint` names it; fit() with
    `resume=True` and the same output goes on.

    Args:
        model: a model folder, or a name of the Hugging Face Hub
        train: files, folders, patterns or URLs of rows; or rows in memory: a list of dicts, a dict of columns, a table
            of pandas, polars, pyarrow or datasets, or a function that returns an iterator of dicts
        validation: the same for the validation rows; or the part of the training rows that is held out, such as 0.1
        task: name of the task, or a Task of your own; None: text-classification
        output: folder of the model; None: a temporary folder, which is removed with the Run
        callbacks: objects with the hooks of Callback
        compute_metrics: a function of an EvalPrediction that returns a dict of further scores; it needs NumPy
        options: all options of `portatune fit`, with underscores: docs/options.md. Names of transformers'
            TrainingArguments work, too. quiet=True prints nothing.

    Raises:
        UsageError: for an unknown option or a value out of range
        Error: other classes of it for faults of the data, the model or the device
    """
    folder = TemporaryFolder() if output is None else None
    output = folder.path / "model" if folder else pathlib.Path(cast(Path, output))
    options = of_run(model, train, validation, task, output, options)
    callbacks = [*callbacks, *_notebook.progress(options.get("quiet"))]
    observer = _callbacks.Observer(callbacks, options) if callbacks else None
    try:
        with words_with_rows("fit", options, "train", "validation") as given:
            result, checkpoint = core.fit(given, observer, _computed(compute_metrics))
    except KeyboardInterrupt:  # its checkpoint is kept
        if folder:
            folder.keep()
        raise
    if observer:
        observer.end()
    return Run(output, result, checkpoint, folder)


def cross_validate(model: Path, train: Rows, *, folds: int, output: Path, **options: object) -> dict[str, Any]:
    """Trains a model for each fold and returns the scores of the rows that it has not seen: "folds", "out_of_fold".

        portatune.cross_validate("bert-base-uncased", frame, folds=5, output="folds")["out_of_fold"]["accuracy"]

    Args:
        folds: number of folds
        output: folder of the models and of the predictions for all rows
        options: those of fit(), and group_column, test
    """
    options = {"model": model, "train": train, "folds": folds, "output": output, **options}
    with words_with_rows("fit", options, "train") as given:
        return json_of(core.cross_validate(given))


def evaluate(model: Path, data: Rows, *, compute_metrics: ComputeMetrics | None = None,
             **options: object) -> dict[str, float]:
    """Returns the scores of a model on labelled rows, with the options of `portatune evaluate`.

        portatune.evaluate("tuned", "test.csv")["accuracy"]

    With several adapters the result has the scores of each by its name.

    Args:
        model: a model folder
        data: rows as fit() takes them
        compute_metrics: as of fit()
    """
    with words_with_rows("evaluate", {"model": model, "data": data, **options}, "data") as given:
        return json_of(core.evaluate(given, _computed(compute_metrics)))


def predict(model: Path, data: Rows | None = None, **options: object) -> list[dict[str, Any]]:
    """Returns a dict for each row, with the options of `portatune predict`.

        portatune.predict("tuned", text=["a wonderful film"])[0]["label"]

    Args:
        model: a model folder
        data: rows as fit() takes them, without labels; None: `text` has the texts
    """
    with tempfile.TemporaryDirectory(prefix="portatune-") as folder:
        output = pathlib.Path(folder, "predictions.jsonl")
        options = {"model": model, "data": data, "output": output, **options}
        with words_with_rows("predict", options, "data") as given:
            core.predict(given)
        with open(output, encoding="utf-8") as file:
            return list(map(json.loads, file))


def sweep(model: Path, train: Rows, validation: Rows | None = None, *, output: Path,
          grid: Mapping[str, object] | None = None, **options: object) -> dict[str, Any]:
    """Trains with several settings and seeds and returns the ranking, with the options of `portatune sweep`.

        result = portatune.sweep("tiny", "train.csv", "dev.csv", output="sweep", seeds=3,
                                 grid={"learning_rate": [1e-5, 3e-5]})
        result["best"]

    Args:
        grid: the values of each option; or a range for random=N, such as "1e-5..1e-4"
    """
    axes = {name.replace("_", "-"): values if isinstance(values, str) else ",".join(texts(values))
            for name, values in (grid or {}).items()}
    options = {"model": model, "train": train, "validation": validation, "output": output, "grid": axes, **options}
    with words_with_rows("sweep", options, "train", "validation") as given:
        return json_of(core.sweep(given))


def report(runs: Path | Sequence[Path]) -> Page:
    """Returns the page that shows runs side by side: one output folder of fit() or sweep(), or a list of them."""
    return Page(core.report_page([runs] if isinstance(runs, (str, os.PathLike)) else runs))


def devices(device: str = "cpu") -> dict[str, Any]:
    """Returns the facts about the devices of a plugin: platform, plugin, version, descriptions."""
    return core.devices(words("devices", {"device": device}))


def plan(model: Path, train: Rows | None = None, *, on: str | Sequence[str], **options: object) -> dict[str, Any]:
    """Returns memory and speed of a training run on devices that need not be there, as `portatune plan --json`.

    It runs the command in a process of its own, because a compiler for another device cannot be stopped.

        portatune.plan("bert-base-uncased", "train.csv", on=["cuda:l4", "tpu:v5e-8"])
    """
    with words_with_rows("plan", {"model": model, "train": train, "on": on, **options}, "train") as given:
        return _run_command(given)


def parity(case: Path | None = None, **options: object) -> dict[str, Any]:
    """Compares a model with stored results of transformers, or a run with itself on another setting.

    Returns what `portatune parity --json` prints, which runs in a process of its own.
    """
    with words_with_rows("parity", {"case": case, **options}, "train") as given:
        return _run_command(given)


def _run_command(given: list[str]) -> dict[str, Any]:
    """Returns the JSON that the command prints."""
    done = subprocess.run([_command.COMMAND, *given, "--json"], capture_output=True, text=True, check=False)
    if not done.stdout:
        raise _errors.error_of(done.stderr, done.returncode)
    return json_of(done.stdout)


def _computed(compute_metrics: ComputeMetrics | None) -> Callable[[Iterable[Any]], dict[str, float]] | None:
    return None if compute_metrics is None else _metrics.of_batches(compute_metrics)
