"""Keywords of Python as words of the command line, which has names, defaults and checks of all options."""

import contextlib
import enum
import json
import os
import pathlib
import tempfile

from portatune import _rows


def texts(value):
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


def words(command, options):
    """Returns the words of a command: ["fit", "--learning-rate=5e-05"] for learning_rate=5e-5. None is no value."""
    task = options.get("task")
    if hasattr(task, "_add"):  # a Task of the user
        options = {"max_length": task.max_length, **options, "task": task._add()}
    return [command, *(f"--{name.replace('_', '-')}={text}" for name, value in options.items() if value is not None
                       for text in texts(value))]


@contextlib.contextmanager
def words_with_rows(command, options, *keywords):
    """Yields the words of a command, some of whose keywords may be rows in memory, which become temporary files."""
    with contextlib.ExitStack() as stack:
        folder = None
        for keyword in keywords:
            if not _rows.is_in_memory(options.get(keyword)):
                continue
            folder = folder or pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="portatune-")))
            options = {**options, keyword: _rows.write(options[keyword], folder / f"{keyword}.jsonl")}
        yield words(command, options)


def json_of(text):
    return None if text is None else json.loads(text)
