"""What estimators get, X and y, as the columns of a run."""

import os
import pathlib
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy

PAIR = ("text", "text_pair")


def values_of(X: Any, name: str = "X") -> list[Any]:
    """Returns the elements of a list, an array, a series, or the only column of a table."""
    if isinstance(X, (str, bytes, Mapping)) or not hasattr(X, "__len__"):
        raise ValueError(f"{name} is a {type(X).__name__}; expected a list, an array or a column with a value a row")
    columns = _columns_of_table(X)
    if columns is not None:
        if len(columns) != 1:
            raise ValueError(f"{name} has {len(columns)} columns; expected one")
        X = columns[0]
    values = X.to_pylist() if hasattr(X, "to_pylist") else list(X)
    if not values:
        raise ValueError(f"{name} has no rows")
    return values


def text_columns(X: Any) -> dict[str, list[str]]:
    """Returns the texts of X, or its pairs of texts, as columns.

    X is a list, an array or a series of texts, or of pairs of them; or a table or an array of one or two columns.
    """
    columns = _columns_of_table(X)
    if columns is None:
        values = values_of(X)
        is_pair = not isinstance(values[0], str) and hasattr(values[0], "__len__") and not isinstance(values[0], bytes)
        columns = _unzipped(values) if is_pair else [values]
    if len(columns) not in (1, 2):
        raise ValueError(f"X has {len(columns)} columns; expected one column of texts, or two of pairs")
    return {name: [_text(value, row) for row, value in enumerate(values_of(column))]
            for name, column in zip(PAIR, columns)}


def label_names(classes: Any) -> list[str]:
    """Returns the names of classes in the files of a model: 1 and 1.0 are "1"."""
    return [str(int(one)) if isinstance(one, float) and one.is_integer() else str(one) for one in classes.tolist()]


def classes_of(y: Any) -> tuple[Any, Any]:
    """Returns the sorted classes of y and the index of the class of each row."""
    labels = array_of(y)
    if labels.ndim != 1:
        raise ValueError(f"y has the shape {labels.shape}; expected a label a row")
    if any(label is None or label != label for label in labels.tolist()):  # NaN differs from itself
        raise ValueError("y has a missing label")
    if labels.dtype.kind == "f" and not numpy.all(labels == numpy.floor(labels)):
        raise ValueError("y has numbers with fractions; expected labels, or a regressor in place of a classifier")
    classes, indices = numpy.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y has the class {classes[0]} alone; expected two or more classes")
    return classes, indices


def array_of(y: Any) -> Any:
    """Returns y as an array; one of a single column has one dimension."""
    if y is None:
        raise ValueError("y is missing; expected a target for each row")
    array = numpy.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if not len(array):
        raise ValueError("y has no rows")
    return array


def column_options(columns: Mapping[str, Any]) -> dict[str, str]:
    """Returns the options that name the columns of texts."""
    return {f"{name}_column": name for name in PAIR if name in columns}


def target_columns(y: Any, prefix: str, integers: bool = False) -> dict[str, list[Any]]:
    """Returns the columns of a matrix or table y; those without a name get the prefix and a number."""
    array = array_of(y)
    names = [str(name) for name in getattr(y, "columns", range(array.shape[1]))]
    if integers and not numpy.isin(array, (0, 1)).all():
        raise ValueError("y has several columns with other values than 0 and 1; expected a label for each row")
    return {f"{prefix}_{name}" if name.isdecimal() or name in PAIR else name: column.tolist()
            for name, column in zip(names, array.astype(int if integers else float).T)}


def word_lists(X: Any, name: str) -> list[list[Any]]:
    """Returns lists of words or tags as lists of Python's values."""
    values = values_of(X, name)
    if any(isinstance(words, str) or not hasattr(words, "__len__") for words in values):
        raise ValueError(f"{name} has rows that are no lists; expected a list of words or tags for each sentence")
    return [words.tolist() if hasattr(words, "tolist") else list(words) for words in values]


def question_columns(X: Any, y: Any = None) -> dict[str, list[Any]]:
    """Returns the columns of rows of SQuAD: id, question, context, and answers if y is given."""
    names = list(map(str, getattr(X, "columns", [])))
    if {"question", "context"} <= set(names):
        X = X[["question", "context"]]
    columns = text_columns(X)
    if len(columns) != 2:
        raise ValueError("X has one text a row; expected pairs of question and context")
    questions, contexts = columns.values()
    rows: dict[str, list[Any]] = {"id": list(map(str, range(len(questions)))), "question": questions,
                                  "context": contexts}
    if y is not None:
        answers = values_of(y, "y")
        check_lengths(X=questions, y=answers)
        rows["answers"] = [_answer(*pair, row) for row, pair in enumerate(zip(answers, contexts))]
    return rows


def _answer(answer: Any, context: str, row: int) -> dict[str, list[Any]]:
    if isinstance(answer, Mapping):
        return {"text": list(answer["text"]), "answer_start": list(answer["answer_start"])}
    if not answer:
        return {"text": [], "answer_start": []}
    start = context.find(answer)
    if start < 0:
        raise ValueError(f"row {row} of y is {answer!r}, which is not in its context")
    return {"text": [answer], "answer_start": [start]}


def check_lengths(**columns: Any) -> None:
    """Raises ValueError unless all columns that are given have the same number of rows."""
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) > 1:
        described = ", ".join(f"{name} has {count}" for name, count in lengths.items())
        raise ValueError(f"the numbers of rows differ: {described}")


def write_pictures(X: Any, folder: pathlib.Path) -> list[str]:
    """Returns the absolute paths of pictures. Those that are arrays of uint8 or PIL images become files in `folder`."""
    return [_picture(value, folder / f"{row}.png") for row, value in enumerate(values_of(X))]


def _picture(value: Any, path: pathlib.Path) -> str:
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        return text if "://" in text else os.path.abspath(text)
    pixels = numpy.asarray(value)
    if pixels.dtype != numpy.uint8 or pixels.ndim not in (2, 3) or pixels.shape[2:] not in ((), (1,), (3,)):
        raise ValueError(f"a picture has the type {pixels.dtype} and the shape {pixels.shape}; expected a path, or "
                         "uint8 with the shape (height, width) or (height, width, 3)")
    path.write_bytes(_png(pixels.reshape(*pixels.shape[:2], -1)))
    return str(path)


def _png(pixels: Any) -> bytes:
    """Returns the bytes of a PNG file with pixels [height, width, 1 or 3]."""
    height, width, channels = pixels.shape

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 0 if channels == 1 else 2, 0, 0, 0)
    lines = numpy.zeros((height, 1 + width * channels), numpy.uint8)  # each line begins with its filter: 0, none
    lines[:, 1:] = pixels.reshape(height, -1)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines.tobytes(), 1))
            + chunk(b"IEND", b""))


def _columns_of_table(X: Any) -> list[Any] | None:
    """Returns the columns of a table of pandas, polars or pyarrow, or of a matrix; None for others."""
    names = getattr(X, "column_names", None) or getattr(X, "columns", None)
    if names is not None:
        return [X[name] for name in names]
    if isinstance(X, numpy.ndarray) and X.ndim == 2:
        return list(X.T)
    return None


def _unzipped(pairs: list[Any]) -> list[list[Any]]:
    """Returns the columns of a list of tuples."""
    sizes = {len(pair) for pair in pairs}
    if len(sizes) > 1:
        raise ValueError(f"X has rows of {min(sizes)} and of {max(sizes)} texts; expected the same number in each")
    return [list(column) for column in zip(*pairs)]


def _text(value: Any, row: int) -> str:
    if not isinstance(value, str):
        raise ValueError(f"row {row} of X is {value!r} of type {type(value).__name__}; expected a text")
    return value
