"""What notebooks show: tables of scores and records, and the progress of a run. No colours: they follow the theme."""

import html
import importlib
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from portatune import _callbacks

_SHOWN_RECORDS = 40
_SECONDS_BETWEEN_UPDATES = 0.5


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Returns rows as a table in HTML; of a long one the first and the last rows."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    half = _SHOWN_RECORDS // 2
    left_out = len(rows) - _SHOWN_RECORDS
    lines = [_line("th", columns)]
    if left_out > 0:
        lines += [_cells(row, columns) for row in rows[:half]]
        lines.append(f'<tr><td colspan="{len(columns)}">{left_out} more rows</td></tr>')
        rows = rows[-half:]
    lines += [_cells(row, columns) for row in rows]
    return f"<table>{''.join(lines)}</table>"


def scores(result: Mapping[str, Any]) -> str:
    """Returns the table of the scores before and after a training; empty without validation rows."""
    before, after = result.get("before") or {}, result.get("after") or {}
    rows = [{"held out": name, "before": before.get(name), "after": score} for name, score in after.items()]
    return table(rows) if rows else ""


def progress(quiet: Any) -> list[_callbacks.Callback]:
    """Returns the callbacks that show progress in a notebook; none elsewhere, or if nothing shall be printed."""
    python = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return [Progress()] if getattr(python, "kernel", None) is not None and not quiet else []


class Progress(_callbacks.Callback):
    """A bar with the step, the loss and the time left, above a table of evaluations, in the output of a cell."""

    is_passive = True

    def __init__(self) -> None:
        self._handle: Any = None
        self._begin = self._drawn = 0.0
        self._first_step = 0
        self._loss: Any = None
        self._evaluations: list[Mapping[str, Any]] = []

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._begin, self._first_step = time.monotonic(), state.global_step
        self._evaluations = [_evaluation(record) for record in state.log_history if _is_evaluation(record)]
        shown = _display()
        self._handle = shown.display(shown.HTML(self.html(state)), display_id=True)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if time.monotonic() - self._drawn >= _SECONDS_BETWEEN_UPDATES:
            self._draw(state)

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any], **kwargs: Any) -> None:
        self._loss = logs.get("loss", self._loss)

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Mapping[str, Any], **kwargs: Any) -> None:
        self._evaluations.append(_evaluation(metrics))
        self._draw(state)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._draw(state)

    def html(self, state: Any) -> str:
        """Returns what the cell shows at this state of the training."""
        step, total = state.global_step, state.max_steps
        words = [f"{kind} {number}" for kind in ("fold", "trial") if (number := getattr(state, kind, None))]
        words.append(f"step {step:,} of {total:,}")
        if self._loss is not None:
            words.append(f"loss {_text(self._loss)}")
        seconds, done = time.monotonic() - self._begin, step - self._first_step
        if 0 < done and step < total:
            words.append(f"{_clock(seconds / done * (total - step))} left")
        bar = f'<progress value="{step}" max="{max(total, 1)}"></progress> {html.escape(", ".join(words))}'
        return bar + (table(self._evaluations) if self._evaluations else "")

    def _draw(self, state: Any) -> None:
        self._drawn = time.monotonic()
        if self._handle is not None:
            self._handle.update(_display().HTML(self.html(state)))


def _display() -> Any:
    return importlib.import_module("IPython.display")


def _is_evaluation(record: Mapping[str, Any]) -> bool:
    return any(name.startswith("eval_") for name in record)


def _evaluation(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the step and the scores of an evaluation, without its times."""
    times = ("eval_runtime", "eval_samples_per_second", "eval_steps_per_second")
    return {name.removeprefix("eval_"): value for name, value in record.items()
            if name in ("step", "epoch") or name.startswith("eval_") and name not in times}


def _cells(row: Mapping[str, Any], columns: Iterable[str]) -> str:
    return _line("td", (_text(row.get(name)) for name in columns))


def _line(tag: str, texts: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts) + "</tr>"


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"
