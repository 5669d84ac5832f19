"""The errors of Portatune, a class for each kind. The compiled module raises them."""

import re
from typing import Any


ROWS = "a path, a table, a list of dicts or a dict of lists"
# Descriptions of arguments, for errors about missing ones.
_NEEDED = {"model": "a model folder, or a name of the Hugging Face Hub", "train": ROWS, "data": ROWS,
           "output": "a folder"}


class Error(Exception):
    """An error that says what was given, what was expected and how to fix it.

    Attributes:
        where: the operation, option or file at fault, with row, record or byte offset
        given: the value found
        expected: the value needed
        fix: advice; empty if no advice is certain
    """

    where: str
    given: str
    expected: str
    fix: str

    def __init__(self, message: str = "", where: str = "", given: str = "", expected: str = "", fix: str = "") -> None:
        message, where, given, expected, fix = map(_rows_by_keyword, (message, where, given, expected, fix))
        keywords = {text: _as_keyword(text) for text in (where, expected, fix)}
        for text in filter(None, keywords):
            message = message.replace(text, keywords[text])
        super().__init__(message)
        self.where, self.given, self.expected, self.fix = keywords[where], given, keywords[expected], keywords[fix]
        self._message = message

    def __str__(self) -> str:
        return self._message


def _as_keyword(text: str) -> str:
    """Returns the text with keywords in place of options of the command: learning_rate for --learning-rate.

    A word of capitals after an option is its value, and so is a hyphen: text_column="NAME" for --text-column NAME.
    """
    text = re.sub(r"\bsee portatune (\w+) --help\b", r"see help(portatune.\1)", text)
    text = re.sub(r"(?<![\w-])(--[a-z][a-z0-9-]*) ([A-Z]{2,}(=\w+)?|-(?!\S))", r'\1="\2"', text)
    return re.sub(r"(?<![\w-])--(?!help\b)[a-z][a-z0-9-]*", lambda option: option[0][2:].replace("-", "_"), text)


def _needed(given: str, expected: str) -> str:
    """Returns what missing arguments should be, in place of the usage of the command; other texts as they are."""
    if not given.startswith("no --") or not expected.startswith("portatune "):
        return expected
    names = [name.removeprefix("--") for name in given.removeprefix("no ").split(", ")]
    return "; ".join(f"{name}: {_NEEDED.get(name, 'a value')}" for name in names)


def _rows_by_keyword(text: str) -> str:
    """Returns the text with "train, row 3" in place of line 4 of a temporary file of rows in memory."""
    return re.sub(r"[^\s\"']*/portatune-\w{8}/(\w+)\.jsonl(:\d+(?:, \d+)*)?", _row_by_keyword, text)


def _row_by_keyword(place: re.Match[str]) -> str:
    indices = [str(int(line) - 1) for line in re.findall(r"\d+", place[2] or "")]
    return place[1] + (f", row {', '.join(indices)}" if indices else "")


class UsageError(Error, ValueError):
    """A request is invalid: an unknown keyword, a value out of range, options that exclude each other."""

    def __init__(self, message: str = "", where: str = "", given: str = "", expected: str = "", fix: str = "") -> None:
        needed = _needed(given, expected)
        message = message.replace(expected, needed) if expected else message
        super().__init__(*map(_as_keyword, (message, where, given, needed, fix)))


class ShapeError(Error, ValueError):
    """The operands of an operation do not fit together."""


class DataError(Error, ValueError):
    """A data file, or one of its rows, is invalid."""


class CheckpointError(Error, ValueError):
    """A model folder or a checkpoint is invalid."""


class DeviceError(Error, RuntimeError):
    """A plugin or a device is missing, has the wrong version, or failed."""


class NotFoundError(Error, FileNotFoundError):
    """A requested file does not exist."""

    def __init__(self, message: str = "", where: str = "", given: str = "", expected: str = "", fix: str = "") -> None:
        if expected == "local files or URLs" and not fix and _is_text(where):
            fix = "texts are no rows: {\"text\": [...]}, or predict(text=[...])"
            message += f"\n  fix       {fix}"
        super().__init__(message, where, given, expected, fix)


class IoError(Error, OSError):
    """The operating system reported a failure. `errno` is its number, 0 if no system call failed."""

    def __init__(self, *parts: str) -> None:
        super().__init__(*parts)
        self.errno = 0  # unless the extension sets it

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.args, {**vars(self), "errno": self.errno}  # which vars() lacks


class NumericError(Error, ArithmeticError):
    """A loss, a gradient, an output or a weight is not finite."""


def _is_text(value: str) -> bool:
    """Whether a value of several words is no path and no pattern."""
    return " " in value and not re.search(r"[/\\*]|\.\w+$", value)


def kind_of(value: Any) -> str:
    """Returns what an error says of a value of a wrong type."""
    return "None" if value is None else f"a value of type {type(value).__name__}"


def usage_error(where: str, given: str, expected: str, fix: str = "") -> UsageError:
    return UsageError(*_parts(where, given, expected, fix))


def data_error(where: str, given: str, expected: str, fix: str = "") -> DataError:
    return DataError(*_parts(where, given, expected, fix))


def _parts(where: str, given: str, expected: str, fix: str) -> tuple[str, ...]:
    """Returns the arguments of an error whose message has the form of the command."""
    parts = {"given": given, "expected": expected, "fix": fix}
    lines = [where, *(f"  {name:<9} {text}" for name, text in parts.items() if text)]
    return "\n".join(lines), where, given, expected, fix


# Exit codes of the command (docs/command-line.md) -> the errors that end it with them.
_CLASSES: dict[int, type[Error]] = {
    2: UsageError, 65: DataError, 66: NotFoundError, 69: DeviceError, 73: IoError, 74: IoError, 76: NumericError,
    77: IoError,
}  # fmt: skip


def error_of(message: str, exit_code: int) -> Error:
    """Returns the error of the command with this message on stderr."""
    message = re.split(r"^portatune: ", message, flags=re.MULTILINE)[-1].strip()
    message = message or f"portatune ended with exit code {exit_code}"
    parts = dict(re.findall(r"^  (given|expected|fix) +(.*)$", message, re.MULTILINE))
    return _CLASSES.get(exit_code, Error)(message, message.partition("\n")[0], parts.get("given", ""),
                                          parts.get("expected", ""), parts.get("fix", ""))
