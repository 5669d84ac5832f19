"""Runs of the command as functions: keywords are its options, results are those of its --json."""

import html
import json
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Unpack, cast

from portatune import _callbacks, _command, _errors, _metrics, _notebook, _tables
from portatune._metrics import ComputeMetrics
from portatune._native import core
from portatune._rows import Path, RowFunction, Rows, function_of_texts
from portatune._saving import copy_model
from portatune._tables import History, Predictions
from portatune._tasks import Task
from portatune._temporary import TemporaryFolder, output_of
from portatune._words import held_out, json_of, keywords, of_run, texts, words, words_with_rows
from portatune.options import (CrossValidateOptions, EvaluateOptions, FitOptions, ParityOptions, PlanOptions,
                               PredictOptions, SweepOptions, TokenizerOptions)


class Page(str):
    """A page in HTML, which notebooks show."""

    def __repr__(self) -> str:
        return f"Page({len(self):,} characters)"

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

    output: pathlib.Path
    model: pathlib.Path
    result: dict[str, Any]
    metrics: dict[str, float]
    stopped: bool

    def __init__(self, output: Path, result: str | None, checkpoint: Path, folder: TemporaryFolder | None,
                 quiet: bool | None) -> None:
        self.output = pathlib.Path(output)
        self.result = json_of(result)
        self.metrics = self.result.get("after", {})
        self.stopped = result is None
        self.model = pathlib.Path(checkpoint) if self.stopped else self.output
        self._folder = folder  # a temporary folder with the output, which lives as long
        self._quiet = quiet

    @property
    def history(self) -> History:
        """The records of metrics.jsonl: losses, learning rates and scores by step."""
        return _tables.read(History, self.output / "metrics.jsonl")

    def evaluate(self, data: Rows, *, compute_metrics: ComputeMetrics | None = None, map: RowFunction | None = None,
                 **options: Unpack[EvaluateOptions]) -> dict[str, float]:
        """Returns the scores of rows: see portatune.evaluate(). It is quiet if fit() was."""
        options.setdefault("quiet", self._quiet)
        return evaluate(self.model, data, compute_metrics=compute_metrics, map=map, **options)

    def predict(self, data: Rows | None = None, *, map: RowFunction | None = None,
                **options: Unpack[PredictOptions]) -> Predictions:
        """Returns the predictions for rows or texts: see portatune.predict(). It is quiet if fit() was."""
        options.setdefault("quiet", self._quiet)
        return predict(self.model, data, map=map, **options)

    def save(self, folder: Path) -> pathlib.Path:
        """Copies the model without its checkpoints to a new or empty folder and returns its path."""
        return copy_model(self.model, folder)

    def report(self) -> Page:
        """Returns the page that shows the curves, scores and settings of the run."""
        return report(self.output)

    def _repr_html_(self) -> str:
        return _notebook.scores(self.result) + self.report()._repr_html_()

    def __repr__(self) -> str:
        scores = ", ".join(f"{name}={score:.4g}" for name, score in self.metrics.items())
        return f"Run({str(self.output)!r}{', ' if scores else ''}{scores})"


def fit(model: Path, train: Rows | None = None, validation: Rows | float | None = None, *,
        task: str | Task | None = None, output: Path | None = None, callbacks: Sequence[object] = (),
        compute_metrics: ComputeMetrics | None = None, map: RowFunction | None = None,
        **options: Unpack[FitOptions]) -> Run:
    """Fine-tunes a model and returns its Run, as `portatune fit` does: the same options give the same bits.

        run = portatune.fit("bert-base-uncased", train=frame, validation=0.1, learning_rate=3e-5, num_train_epochs=2)
        run.metrics["accuracy"]

    Ctrl-C saves a checkpoint and raises KeyboardInterrupt, whose attribute `checkpoint` names it; fit() with
    `resume=True` and the same output continues.

    Args:
        model: a model folder, or a name of the Hugging Face Hub
        train: files, folders, patterns or URLs of rows; or rows in memory: a list of dicts, a dict of columns, a table
            of pandas, polars, pyarrow or datasets, or a function that returns an iterator of dicts; None: a recipe has
            the files
        validation: the same for the validation rows; or the part of the training rows that is held out, such as 0.1
        task: name of the task, or a Task of your own; None: text-classification
        output: folder of the model; None: that of the recipe, or a temporary folder, which is removed with the Run
        callbacks: objects with the hooks of Callback
        compute_metrics: a function of an EvalPrediction that returns a dict of further scores; it needs NumPy
        map: a function of each row of training and validation, a dict of all its columns, that returns the dict of
            columns that the task reads
        options: all options of `portatune fit`, with underscores: docs/options.md. Names of transformers'
            TrainingArguments work, too. quiet=True prints nothing.

    Raises:
        UsageError: for an unknown option or a value out of range
        Error: other classes of it for faults of the data, the model or the device
    """
    chosen = output_of(output, options)
    folder = None if chosen else TemporaryFolder()
    output = folder.path / "model" if folder else cast(pathlib.Path, chosen)
    called, of_callbacks = _callbacks.split(callbacks, _notebook.progress(options.get("quiet")), options)
    given_options = of_run(model, train, validation, task, output, of_callbacks)
    observer = _callbacks.Observer(called, given_options) if called else None
    try:
        with words_with_rows("fit", given_options, "train", "validation") as given:
            result, checkpoint = core.fit(given, observer, _computed(compute_metrics), function_of_texts(map))
    except BaseException:  # which may name a checkpoint
        if folder:
            folder.keep_checkpoints()
        raise
    if observer:
        observer.end()
    return Run(output, result, checkpoint, folder, options.get("quiet"))


def cross_validate(model: Path, train: Rows | None = None, *, folds: int, output: Path,
                   callbacks: Sequence[object] = (), compute_metrics: ComputeMetrics | None = None,
                   map: RowFunction | None = None, **options: Unpack[CrossValidateOptions]) -> dict[str, Any]:
    """Trains a model for each fold and returns the scores of the rows that it has not seen: "folds", "out_of_fold".

    A callback that stops a fold stops all: the result is empty, and `resume=True` continues with this fold.

        portatune.cross_validate("bert-base-uncased", frame, folds=5, output="folds")["out_of_fold"]["accuracy"]

    Args:
        folds: number of folds
        output: folder of the models and of the predictions for all rows
        callbacks: as of fit(), for each training; `state.fold` is the number of its fold, from 1
        compute_metrics, map: as of fit()
        options: those of fit(), and group_column, test
    """
    of_runs = {"model": model, "train": train, "folds": folds, "output": output}
    return _train_several("fit", core.cross_validate, "fold", of_runs, options, callbacks, compute_metrics, map)


def evaluate(model: Path, data: Rows, *, compute_metrics: ComputeMetrics | None = None,
             map: RowFunction | None = None, **options: Unpack[EvaluateOptions]) -> dict[str, float]:
    """Returns the scores of a model on labelled rows, with the options of `portatune evaluate`.

        portatune.evaluate("tuned", "test.csv")["accuracy"]

    With several adapters the result has the scores of each by its name.

    Args:
        model: a model folder
        data: rows as fit() takes them
        compute_metrics, map: as of fit()
    """
    with words_with_rows("evaluate", {"model": model, "data": data, **options}, "data") as given:
        return json_of(core.evaluate(given, _computed(compute_metrics), function_of_texts(map)))


def predict(model: Path, data: Rows | None = None, *, map: RowFunction | None = None,
            **options: Unpack[PredictOptions]) -> Predictions:
    """Returns a dict for each row, with the options of `portatune predict`.

        portatune.predict("tuned", text=["a wonderful film"])[0]["label"]

    The list has the forms to_numpy(), to_arrow() and to_pandas().

    Args:
        model: a model folder
        data: rows as fit() takes them, without labels; None: `text` has the texts
        map: as of fit(), for the rows of `data`
    """
    with tempfile.TemporaryDirectory(prefix="portatune-") as folder:
        output = pathlib.Path(folder, "predictions.jsonl")
        with words_with_rows("predict", {"model": model, "data": data, "output": output, **options}, "data") as given:
            core.predict(given, function_of_texts(map))
        return _tables.read(Predictions, output)


def sweep(model: Path, train: Rows | None = None, validation: Rows | float | None = None, *, output: Path,
          grid: Mapping[str, object] | None = None, callbacks: Sequence[object] = (),
          compute_metrics: ComputeMetrics | None = None, map: RowFunction | None = None,
          **options: Unpack[SweepOptions]) -> dict[str, Any]:
    """Trains with several settings and seeds and returns the ranking, with the options of `portatune sweep`.

    A callback that stops a trial stops the sweep: the result is empty, and `resume=True` continues with this trial.

        result = portatune.sweep("tiny", "train.csv", "dev.csv", output="sweep", seeds=3,
                                 grid={"learning_rate": [1e-5, 3e-5]})
        result["best"], result["rows"][0]["settings"]    # "trial-004", {"learning_rate": 3e-05}

    Args:
        grid: the values of each option; or a range for random=N, such as "1e-5..1e-4"
        callbacks: as of fit(), for each training; `state.trial` is the number of its trial, from 1, and
            `state.trial_params` has its settings. Successive halving trains a trial in several parts.
        compute_metrics, map: as of fit()
    """
    if grid is not None and not isinstance(grid, Mapping):
        raise _errors.usage_error("grid", _errors.kind_of(grid), "a dict", 'grid={"learning_rate": [1e-5, 3e-5]}')
    axes = {name.replace("_", "-"): values if isinstance(values, str) else ",".join(texts(values))
            for name, values in (grid or {}).items()}
    of_runs = {"model": model, "train": train, "output": output, "grid": axes, **held_out(validation)}
    result = _train_several("sweep", core.sweep, "trial", of_runs, options, callbacks, compute_metrics, map)
    for row in result.get("rows", []):
        row["settings"] = keywords(row["settings"])
    return result


def report(runs: Path | Sequence[Path]) -> Page:
    """Returns the page that shows runs side by side: one output folder of fit() or sweep(), or a list of them."""
    return Page(core.report_page([runs] if isinstance(runs, (str, os.PathLike)) else runs))


def devices(device: str = "cpu") -> dict[str, Any]:
    """Returns the facts about the devices of a plugin: platform, plugin, version, descriptions."""
    return core.devices(words("devices", {"device": device}))


def plan(model: Path, train: Rows | None = None, *, on: str | Sequence[str],
         **options: Unpack[PlanOptions]) -> dict[str, Any]:
    """Returns memory and speed of a training run on devices that need not be there, as `portatune plan --json`.

    It runs the command in a process of its own, because a compiler for another device cannot be stopped. The command
    does not know a Task of Python.

        portatune.plan("bert-base-uncased", "train.csv", on=["cuda:l4", "tpu:v5e-8"])
    """
    _refuse_own_task("plan", options)
    with words_with_rows("plan", {"model": model, "train": train, "on": on, **options}, "train") as given:
        return _run_command(given)


def parity(case: Path | None = None, **options: Unpack[ParityOptions]) -> dict[str, Any]:
    """Compares a model with stored results of transformers, or a run with itself on another setting.

    Returns what `portatune parity --json` prints, which runs in a process of its own and does not know a Task of
    Python.
    """
    _refuse_own_task("parity", options)
    with words_with_rows("parity", {"case": case, **options}, "train") as given:
        return _run_command(given)


def merge(model: Path, *, output: Path) -> pathlib.Path:
    """Merges an adapter into its model, which then needs neither, and returns the new folder.

        portatune.fit("bert-base-uncased", "train.csv", adapter="lora", output="adapter")
        portatune.merge("adapter", output="merged")

    Args:
        model: folder of an adapter, as fit(adapter="lora") or peft writes it
        output: a new folder
    """
    _run_command(words("merge", {"model": model, "output": output}))
    return pathlib.Path(output)


def download(model: str) -> pathlib.Path:
    """Downloads a model of the Hugging Face Hub, unless it is there, and returns its folder.

        portatune.download("bert-base-uncased")

    Args:
        model: its name, such as "org/name", or "org/name@revision"
    """
    return pathlib.Path(_run_command(["download", model])["folder"])


def train_tokenizer(data: Rows, *, output: Path, **options: Unpack[TokenizerOptions]) -> pathlib.Path:
    """Trains a tokenizer on texts and returns its folder, with the options of `portatune tokenizer train`.

        portatune.train_tokenizer("corpus.txt", output="tokenizer", vocab_size=200)

    Args:
        data: rows as fit() takes them, with the column `text_column`
        output: a new folder, or an empty one
    """
    with words_with_rows("tokenizer", {"files": data}, "files") as given:
        files = [word.removeprefix("--files=") for word in given[1:]]
        _run_command([*words("tokenizer", {}), *words("train", {"output": output, **options}), *files])
    return pathlib.Path(output)


def _train_several(command: str, train: Callable[..., str | None], one: str, of_runs: Mapping[str, Any],
                   options: Mapping[str, Any], callbacks: Sequence[object], compute_metrics: ComputeMetrics | None,
                   map: RowFunction | None) -> dict[str, Any]:
    """Returns the result of several trainings, each of which is `one`: a "fold" or a "trial"."""
    called, of_callbacks = _callbacks.split(callbacks, _notebook.progress(options.get("quiet")), options)
    given_options = {**of_runs, **of_callbacks}
    observer = _callbacks.ObserverOfRuns(called, given_options, one)
    with words_with_rows(command, given_options, "train", "validation") as given:
        result = train(given, observer if called else None, _computed(compute_metrics), function_of_texts(map))
    observer.end()
    return json_of(result)


def _refuse_own_task(function: str, options: Mapping[str, Any]) -> None:
    if isinstance(options.get("task"), Task):
        raise _errors.usage_error(function, "a Task of Python", "the name of a task of the command",
                                  "task=\"text-classification\" on the same model takes nearly the same memory")


def _run_command(given: list[str]) -> dict[str, Any]:
    """Returns the JSON that the command prints."""
    done = subprocess.run([_command.COMMAND, *given, "--json"], capture_output=True, text=True, check=False)
    if not done.stdout:
        raise _errors.error_of(done.stderr, done.returncode)
    return json_of(done.stdout)


def _computed(compute_metrics: ComputeMetrics | None) -> Callable[[Iterable[Any]], dict[str, float]] | None:
    return None if compute_metrics is None else _metrics.of_batches(compute_metrics)
