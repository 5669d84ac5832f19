"""Callbacks with the hooks of transformers' TrainerCallback."""

import json
import pathlib
import types
from collections.abc import Mapping, Sequence
from typing import Any


class Callback:
    """The hooks of transformers' TrainerCallback that a run calls; an object with some of them will do.

    Each gets the options of the run (`args`), the state of the training (`state.global_step`, `state.max_steps`,
    `state.epoch`, `state.log_history`) and `control`. `control.should_training_stop = True` ends the run after the
    step that the device computes at that time; its Run then has a checkpoint. An exception ends the run, too.
    """

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """All programs are compiled, and the first step follows."""

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """A step is done."""

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any], **kwargs: Any) -> None:
        """metrics.jsonl has a new record, `logs`: loss and learning rate, or the scores of an evaluation."""

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Mapping[str, Any],
                    **kwargs: Any) -> None:
        """The validation rows are measured; `metrics` has "eval_loss" and the like."""

    def on_save(self, args: Any, state: Any, control: Any, checkpoint: str, **kwargs: Any) -> None:
        """A checkpoint is complete, in the folder `checkpoint`."""

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """An epoch is done."""

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The run has ended; its model or its checkpoint is saved."""


class Observer:
    """Calls callbacks at the events of a training. Each function returns whether the training should stop."""

    def __init__(self, callbacks: Sequence[object], options: Mapping[str, Any]) -> None:
        self._callbacks = callbacks
        self._args = types.SimpleNamespace(**options, output_dir=str(options["output"]))
        self._state = types.SimpleNamespace(global_step=0, max_steps=0, epoch=0.0, log_history=[],
                                            is_world_process_zero=True, is_local_process_zero=True)
        self._control = types.SimpleNamespace(should_training_stop=False)
        self._path = pathlib.Path(options["output"], "metrics.jsonl")
        self._log_position = 0  # behind the last record that was read

    def on_ready(self) -> bool:
        self._state.log_history = self._new_records()  # those of a resumed run, and the scores before training
        return self._call("on_train_begin")

    def on_step(self, step: int, total_steps: int) -> bool:
        self._state.global_step, self._state.max_steps = step, total_steps
        self._call("on_step_end")
        return self._log_records()

    def on_evaluation(self, step: int, epoch: float) -> bool:
        self._state.global_step, self._state.epoch = step, epoch
        return self._log_records()

    def on_epoch_end(self, epoch: int) -> bool:
        self._state.epoch = float(epoch)
        return self._call("on_epoch_end")

    def on_checkpoint(self, folder: str) -> bool:
        return self._call("on_save", checkpoint=folder)

    def end(self) -> None:
        self._call("on_train_end")

    def _call(self, hook: str, **arguments: object) -> bool:
        for callback in self._callbacks:
            function = getattr(callback, hook, None)
            if function is not None:
                function(self._args, self._state, self._control, **arguments)
        return bool(self._control.should_training_stop)

    def _new_records(self) -> list[dict[str, Any]]:
        with open(self._path, "rb") as file:
            file.seek(self._log_position)
            records = list(map(json.loads, file))
            self._log_position = file.tell()
        return records

    def _log_records(self) -> bool:
        """Hands over the records that metrics.jsonl has got since the last call."""
        for record in self._new_records():
            self._state.log_history.append(record)
            self._state.epoch = record.get("epoch", self._state.epoch)
            self._call("on_log", logs=record)
            if any(name.startswith("eval_") for name in record):
                self._call("on_evaluate", metrics=record)
        return bool(self._control.should_training_stop)
