"""Keywords of Python as words of the command line, which has names, defaults and checks of all options."""

import contextlib
import enum
import json
import os
import pathlib
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from portatune import _errors, _rows


def texts(value: Any) -> list[str]:
    """Returns the texts of a value: one, or those of a list."""
    if isinstance(value, dict):
        return [f"{name}={texts(one)[0]}" for name, one in value.items()]
    if isinstance(value, (list, tuple, set)):
        return [text for one in value for text in texts(one)]
    if isinstance(value, enum.Enum):  # as those of transformers
        return texts(value.value)
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [os.fspath(value) if isinstance(value, os.PathLike) else str(value)]


def of_run(model: Any, train: Any, validation: Any, task: Any, output: Any,
           options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options of a training run."""
    return {"model": model, "train": train, "task": task, "output": output, **options, **held_out(validation)}


def held_out(validation: Any) -> dict[str, Any]:
    """Returns the options of the validation rows. A number is the part of the training rows that is held out."""
    if isinstance(validation, (int, float)):
        return {"validation": None, "validation_split": validation}
    return {"validation": validation}


def words(command: str, options: Mapping[str, Any]) -> list[str]:
    """Returns the words of a command: ["fit", "--learning-rate=5e-05"] for learning_rate=5e-5. None is no value."""
    task: Any = options.get("task")
    if isinstance(task, type):
        raise _errors.usage_error("task", f"the class {task.__name__}", "an instance of it", f"task={task.__name__}()")
    if hasattr(task, "_options"):  # a Task of the user
        of_task = task._options()
        given = {name: value for name, value in options.items() if value is not None}
        options = {**of_task, **given, "task": of_task["task"]}
    return [command, *(f"--{name.replace('_', '-')}={text}" for name, value in options.items() if value is not None
                       for text in _texts_of(name, value))]


def _texts_of(name: str, value: Any) -> list[str]:
    """Returns the texts of an option. Those of other functions' arguments, such as chat_template_kwargs, are JSON."""
    return [json.dumps(value)] if name.endswith("_kwargs") and isinstance(value, dict) else texts(value)


@contextlib.contextmanager
def words_with_rows(command: str, options: Mapping[str, Any], *keywords: str) -> Iterator[list[str]]:
    """Yields the words of a command, some of whose keywords may be rows in memory, which become temporary files."""
    with contextlib.ExitStack() as stack:
        folder = None
        for keyword in keywords:
            if not _rows.is_in_memory(options.get(keyword)):
                continue
            folder = folder or pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="portatune-")))
            options = {**options, keyword: _rows.write(options[keyword], folder / f"{keyword}.jsonl")}
        yield words(command, options)


def keywords(options: Mapping[str, str]) -> dict[str, Any]:
    """Returns the options of a command as keywords: {"learning_rate": 5e-5} for {"learning-rate": "5e-05"}."""
    return {name.replace("-", "_"): _value(text) for name, text in options.items()}


def _value(text: str) -> Any:
    """Returns the number of a text, or the text."""
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def json_of(text: str | None) -> dict[str, Any]:
    """Returns the object of a text of JSON; None, as of a stopped run, is an empty one."""
    value: dict[str, Any] = {} if text is None else json.loads(text)
    return value
