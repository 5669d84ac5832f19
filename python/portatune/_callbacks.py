"""Callbacks with the hooks of transformers' TrainerCallback."""

import json
import math
import pathlib
import types
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from portatune import _errors, _words
from portatune._native import core

# The flags of control. Observer expects should_epoch_stop at the end.
_FLAGS = ("should_training_stop", "should_log", "should_evaluate", "should_save", "should_epoch_stop")
# The hooks in which a callback may ask for something that concerns the step just done.
_HOOKS_OF_STEPS = ("on_step_begin", "on_substep_end", "on_pre_optimizer_step", "on_optimizer_step", "on_step_end")
# A hook that is never called -> the reason.
_HOOKS_WITHOUT_CALLS = {
    "on_prediction_step": "an evaluation runs without Python; on_evaluate follows it",
    "on_push_begin": "nothing is uploaded",
}


class Callback:
    """The hooks of transformers' TrainerCallback that a run calls; an object with some of them will do.

    Each gets the options of the run (`args`), the state of the training (`state.global_step`, `state.max_steps`,
    `state.epoch`, `state.log_history`, `state.best_metric`, ...) and `control`, whose flags act as in transformers:
    `should_save`, `should_evaluate` and `should_log` cause a checkpoint, an evaluation and a record after this step,
    beside those of the options. `should_epoch_stop` ends the epoch: the next step has the first rows of the next epoch.
    `should_training_stop` ends the run, and its Run then has a checkpoint. An exception ends the run, too.

    A step is one program of the device, so that the hooks of its parts, from on_step_begin to on_step_end, are called
    one after another when it is done. With a callback that has one of these hooks, the next step begins after them.
    Otherwise, or if all such callbacks have the attribute `is_passive = True`, the device computes the next step
    meanwhile, and a flag that on_log has set concerns that one.
    """

    def on_init_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The options of the run are known; data and model are read next."""

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """All programs are compiled, and the first step follows."""

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """An epoch begins, or the rest of one after a resume."""

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """A step is done, and its hooks follow."""

    def on_substep_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The gradients of a batch are accumulated: once for each batch of a step but the last."""

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The gradients of the step are computed and clipped."""

    def on_optimizer_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The weights are updated."""

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """A step is done."""

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any], **kwargs: Any) -> None:
        """metrics.jsonl has a new record, `logs`: loss and learning rate, or the scores of an evaluation."""

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Mapping[str, Any],
                    **kwargs: Any) -> None:
        """The validation rows are measured; `metrics` has "eval_loss" and the like."""

    def on_predict(self, args: Any, state: Any, control: Any, metrics: Mapping[str, Any], **kwargs: Any) -> None:
        """Trainer.predict() has predicted rows; `metrics` is empty, because their labels are not read."""

    def on_save(self, args: Any, state: Any, control: Any, checkpoint: str, **kwargs: Any) -> None:
        """A checkpoint is complete, in the folder `checkpoint`."""

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """An epoch is done."""

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The run has ended; its model or its checkpoint is saved."""


def split(callbacks: Sequence[object], shown: Sequence[object],
          options: Mapping[str, Any]) -> tuple[list[object], dict[str, Any]]:
    """Returns the callbacks that are called, those that show progress last, and the options that replace the others.

    transformers' EarlyStoppingCallback is the options early_stopping_patience and early_stopping_threshold, by which a
    run that stops ends with its best model.
    """
    if not isinstance(callbacks, Iterable):
        raise _errors.usage_error("callbacks", _errors.kind_of(callbacks), "a list", "callbacks=[...]")
    called: list[object] = []
    options = dict(options)
    for given in [*callbacks, *shown]:
        callback = given() if isinstance(given, type) else given
        if _is_of_transformers(type(callback)) and type(callback).__name__ == "EarlyStoppingCallback":
            for name in ("early_stopping_patience", "early_stopping_threshold"):
                if options.get(name) is None:
                    options[name] = getattr(callback, name)
        elif not _names_of_hooks(callback) and not hasattr(type(callback), "__getattr__"):
            raise _errors.usage_error("callbacks", f"{_errors.kind_of(callback)} without hooks",
                                      "objects with hooks of portatune.Callback, such as on_step_end")
        else:
            called.append(callback)
    return called, options


Flags = tuple[bool, ...]  # of control, in the order of _FLAGS


class Observer:
    """Calls callbacks at the events of a training. Each function returns the flags that are set then.

    Attributes:
        waits_for_steps: whether each step ends, with its hooks, before the next one begins
    """

    def __init__(self, callbacks: Sequence[object], options: Mapping[str, Any], **of_state: Any) -> None:
        self._callbacks = callbacks
        self._args = _arguments(options)
        self._state = _state(options, **of_state)
        self._control = types.SimpleNamespace(**dict.fromkeys(_FLAGS, False))
        self.waits_for_steps = any(_has_own(callback, hook) for callback in callbacks for hook in _HOOKS_OF_STEPS
                                   if not getattr(callback, "is_passive", False))
        self._path = pathlib.Path(options["output"], "metrics.jsonl")
        self._log_position = 0  # behind the last record that was read
        self._is_in_epoch = False
        self._steps_per_epoch, self._omitted_steps = 1, 0  # those that ended epochs lack
        for callback in callbacks:
            _warn_of_hooks(callback)
        self._call("on_init_end")

    def on_begin(self, step: int, total_steps: int, steps_per_epoch: int, omitted_steps: int, deciding_score: str,
                 greater_is_better: bool) -> Flags:
        self._steps_per_epoch, self._omitted_steps = steps_per_epoch, omitted_steps
        self._state.max_steps = total_steps
        self._set_step(step)
        if self._args.metric_for_best_model is None and deciding_score:
            self._args.metric_for_best_model, self._args.greater_is_better = deciding_score, greater_is_better
        for record in self._new_records():  # those of a resumed run, and the scores before training
            self._add_record(record)
        self._call("on_train_begin")
        return self._begin_epoch()

    def on_step(self, step: int) -> Flags:
        if not self._is_in_epoch:
            self._begin_epoch()
        self._call("on_step_begin", "should_log", "should_evaluate", "should_save")
        for _ in range(self._args.gradient_accumulation_steps - 1):
            self._call("on_substep_end")
        self._call("on_pre_optimizer_step")
        self._call("on_optimizer_step")
        self._set_step(step)
        self._call("on_step_end")
        return self._log_records()

    def on_evaluation(self, step: int, epoch: float) -> Flags:
        self._state.global_step, self._state.epoch = step, epoch
        return self._log_records()

    def on_epoch_end(self, epoch: float) -> Flags:
        self._state.epoch = epoch
        self._is_in_epoch = False
        self._omitted_steps = math.ceil(epoch) * self._steps_per_epoch - self._state.global_step
        return self._call("on_epoch_end")

    def on_checkpoint(self, folder: str) -> Flags:
        return self._call("on_save", "should_save", checkpoint=folder)

    def on_log_request(self) -> Flags:
        return self._log_records()

    def on_predict(self) -> None:
        self._call("on_predict", metrics={})

    def end(self) -> None:
        self._call("on_train_end")

    def _begin_epoch(self) -> Flags:
        self._is_in_epoch = True
        return self._call("on_epoch_begin", "should_epoch_stop")

    def _set_step(self, step: int) -> None:
        self._state.global_step = step
        self._state.epoch = (step + self._omitted_steps) / self._steps_per_epoch

    def _call(self, hook: str, *answered: str, **arguments: object) -> Flags:
        """Calls a hook of all callbacks. Those flags that its event answers are taken back before."""
        for flag in answered:
            setattr(self._control, flag, False)
        for callback in self._callbacks:
            function = getattr(callback, hook, None)
            if function is not None:
                function(self._args, self._state, self._control, **arguments)
        return self._flags()

    def _flags(self) -> Flags:
        *others, should_epoch_stop = (bool(getattr(self._control, flag)) for flag in _FLAGS)
        return (*others, should_epoch_stop and self._is_in_epoch)

    def _new_records(self) -> list[dict[str, Any]]:
        with open(self._path, "rb") as file:
            file.seek(self._log_position)
            records = list(map(json.loads, file))
            self._log_position = file.tell()
        return records

    def _log_records(self) -> Flags:
        """Hands over the records that metrics.jsonl has got since the last call."""
        for record in self._new_records():
            self._state.log_history.append(record)
            self._state.epoch = record.get("epoch", self._state.epoch)
            self._call("on_log", "should_log", logs=record)
            if any(name.startswith("eval_") for name in record):
                self._call("on_evaluate", "should_evaluate", metrics=record)
                self._compare_with_best(record)
        return self._flags()

    def _add_record(self, record: dict[str, Any]) -> None:
        self._state.log_history.append(record)
        if record.get("step", 0) > 0:  # the scores before training are not those of a model that is kept
            self._compare_with_best(record)

    def _compare_with_best(self, record: Mapping[str, Any]) -> None:
        """Keeps the best evaluation, as transformers' Trainer does after on_evaluate."""
        score = record.get("eval_" + (self._args.metric_for_best_model or "loss").removeprefix("eval_"))
        if score is None:
            return
        best = self._state.best_metric
        if best is None or (score > best if self._args.greater_is_better else score < best):
            self._state.best_metric, self._state.best_global_step = score, record.get("step")


class ObserverOfRuns:
    """Calls callbacks in the runs of cross_validate() or sweep(), each of which has an Observer of its own."""

    def __init__(self, callbacks: Sequence[object], options: Mapping[str, Any], kind: str) -> None:
        self._callbacks, self._options, self._kind = callbacks, options, kind
        self._observer: Observer | None = None

    def on_run_begin(self, number: int, folder: str, settings: Mapping[str, str]) -> Flags:
        self.end()
        params = _words.keywords(settings)
        of_trial = {"is_hyper_param_search": True, "trial_name": pathlib.Path(folder).name, "trial_params": params}
        self._observer = Observer(self._callbacks, {**self._options, **params, "output": folder},
                                  **{self._kind: number, **(of_trial if self._kind == "trial" else {})})
        return self._observer._flags()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._observer, name)

    def end(self) -> None:
        if self._observer:
            self._observer.end()


def _arguments(options: Mapping[str, Any]) -> types.SimpleNamespace:
    """Returns the options, with the names that callbacks of transformers read."""
    metric = options.get("metric_for_best_model")
    greater = options.get("greater_is_better")
    if greater is None and metric:
        greater = not core.is_lower_better(metric.removeprefix("eval_"))
    chosen = {
        "output_dir": str(options["output"]), "metric_for_best_model": metric, "greater_is_better": greater,
        "gradient_accumulation_steps": int(options.get("gradient_accumulation_steps") or 1),
    }
    others = {"eval_strategy": "epoch", "load_best_model_at_end": False, "logging_steps": None}
    given = {name: value for name, value in options.items() if value is not None}
    return types.SimpleNamespace(**{**others, **given, **chosen})


def _state(options: Mapping[str, Any], **others: Any) -> types.SimpleNamespace:
    """Returns the state before the training, with the names of transformers' TrainerState and those of `others`."""
    names: dict[str, Any] = {
        "global_step": 0, "max_steps": 0, "epoch": 0.0, "log_history": [], "best_metric": None,
        "best_global_step": None, "best_model_checkpoint": None,
        "num_train_epochs": options.get("num_train_epochs") or options.get("epochs"),
        "num_input_tokens_seen": 0, "total_flos": 0, "is_world_process_zero": True, "is_local_process_zero": True,
        "is_hyper_param_search": False, "trial_name": None, "trial_params": None, "fold": None, "trial": None,
    }  # fmt: skip
    return types.SimpleNamespace(**{**names, **others})


def _is_of_transformers(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "transformers"


def _has_own(callback: object, hook: str) -> bool:
    """Whether a callback has a hook of its own, and not the empty one of Callback or transformers' TrainerCallback."""
    if hook in getattr(callback, "__dict__", ()):
        return True
    owner = next((kind for kind in type(callback).__mro__ if hook in vars(kind)), Callback)
    return owner is not Callback and not (_is_of_transformers(owner) and owner.__name__ == "TrainerCallback")


def _names_of_hooks(callback: object) -> list[str]:
    return [name for name in dir(callback) if name.startswith("on_") and callable(getattr(callback, name, None))]


def _warn_of_hooks(callback: object) -> None:
    import difflib  # here, as its import takes time

    known = [*_names_of_hooks(Callback), *_HOOKS_WITHOUT_CALLS]
    for name in sorted(set(_names_of_hooks(callback)).difference(known)):
        for meant in difflib.get_close_matches(name, known, 1):
            warnings.warn(f"{type(callback).__name__}.{name}() is never called: did you mean {meant}?", stacklevel=4)
    for hook, reason in _HOOKS_WITHOUT_CALLS.items():
        if _has_own(callback, hook):
            warnings.warn(f"{type(callback).__name__}.{hook}() is never called: {reason}", stacklevel=4)
