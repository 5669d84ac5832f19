"""Rows in memory: tables by columns, lists of rows, and functions that make rows.

They are written once to a file of JSON Lines, from which a run reads them as often as it needs. Passes over a file need
no Python, can be divided, skipped and resumed, and a resumed run sees by their checksum whether the rows are the same.
"""

import collections
import json
import math
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, cast

from portatune import _errors
from portatune._native import core

_ROWS_OF_TABLE = 10_000  # of a data set of datasets


class Table(Protocol):
    """A table of pandas, polars, pyarrow or datasets."""

    def __getitem__(self, column: Any, /) -> Any: ...
    def __len__(self) -> int: ...


class ArrowStream(Protocol):
    """A table, or a reader of one, that gives its columns as an Arrow C stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Path = str | os.PathLike[str]
Rows = (Path | Sequence[Path] | Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Any]] | Table | ArrowStream
        | Callable[[], Iterable[Mapping[str, Any]]])


RowFunction = Callable[[dict[str, Any]], Mapping[str, Any]]


def function_of_texts(function: RowFunction | None) -> Callable[[dict[str, Any]], dict[str, str | bytes]] | None:
    """Returns a function of a row whose results have texts, as rows in memory get them, or bytes."""
    if function is None:
        return None
    if not callable(function):
        raise _errors.usage_error("map", _errors.kind_of(function), "a function of a row")

    def map_row(row: dict[str, Any]) -> dict[str, str | bytes]:
        result = function(row)
        if not isinstance(result, Mapping):
            raise TypeError(f"it returned {_errors.kind_of(result)}; expected a dict of the columns")
        return {str(name): value if isinstance(value, bytes) else as_text(value) for name, value in result.items()}

    return map_row


def as_text(value: Any) -> str:
    """Returns a value as a file of JSON Lines gives it to a task: lists are JSON, a missing value is empty."""
    if isinstance(value, str):
        return value
    text = as_json(value)
    return "" if text == "null" else text


def as_json(value: Any) -> str:
    """Returns a value as JSON, with null for numbers that are not finite, which JSON does not have."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    except _errors.DataError:  # of _plain()
        raise
    except ValueError:  # a number that is not finite
        return json.dumps(_finite(value), ensure_ascii=False, default=_plain)


def _finite(value: Any) -> Any:
    """Returns the value with None for numbers that are not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(one) for name, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, (list, tuple)) else value


def is_in_memory(rows: Any) -> bool:
    """Whether this is rows and no path, pattern, URL or list of these."""
    if rows is None or isinstance(rows, (str, os.PathLike)):
        return False
    if isinstance(rows, (list, tuple)):
        return not rows or not isinstance(rows[0], (str, os.PathLike))
    return True


def write(rows: Any, path: pathlib.Path) -> pathlib.Path:
    """Writes rows to a file of JSON Lines and returns its path."""
    rows = _collected(rows)
    if _write_arrow(rows, path):
        return path
    with open(path, "wb") as file:
        for number, row in enumerate(as_dicts(rows, path.stem)):
            place = f"{path.stem}, row {number}"
            try:
                line = as_json(row).encode()
            except _errors.DataError as error:  # of _plain()
                raise _errors.data_error(place, error.given, error.expected, error.fix) from None
            except UnicodeEncodeError as error:
                raise _errors.data_error(place, f"{error.object[error.start]!r} in a text", "characters of Unicode",
                                         "text.encode(errors=\"replace\").decode()") from None
            file.write(line + b"\n")
    return path


def _write_arrow(rows: Any, path: pathlib.Path) -> bool:
    """Writes a table that gives its columns as Arrow C streams. Returns False if it does not, and writes nothing."""
    has_written = False
    for table in _arrow_tables(rows):
        try:
            stream = table.__arrow_c_stream__()
        except (ImportError, NotImplementedError, TypeError, ValueError):  # pandas without pyarrow, or a mixed column
            return False
        if not core.append_arrow_rows(stream, str(path)):
            return False
        has_written = True
    return has_written


def _arrow_tables(rows: Any) -> Iterable[Any]:
    """Returns the tables with Arrow C streams that have the rows; none if there are no such tables."""
    if type(rows).__module__.partition(".")[0] == "datasets" and hasattr(rows, "iter"):  # no DatasetDict
        return cast(Iterable[Any], rows.with_format("arrow").iter(_ROWS_OF_TABLE))
    if hasattr(rows, "reset_index"):  # the index of pandas is no column
        rows = rows.reset_index(drop=True)
    return [rows] if hasattr(rows, "__arrow_c_stream__") else []


def as_dicts(rows: Any, keyword: str) -> Iterator[dict[str, Any]]:
    """Yields the rows as dicts. Errors name their keyword."""
    rows = _collected(rows() if callable(rows) else rows)
    columns = _columns(rows, keyword)
    if columns is None:
        yield from (_as_dict(f"{keyword}, row {number}", row) for number, row in enumerate(_each(rows, keyword)))
        return
    sizes = {name: len(values) for name, values in columns.items()}
    if len(set(sizes.values())) > 1:
        raise _errors.data_error(keyword, "columns of different lengths: " + ", ".join(
            f"{name} {size:,}" for name, size in sizes.items()), "a value of each column for each row")
    for values in zip(*columns.values()):
        yield dict(zip(columns, values))


def _collected(rows: Any) -> Any:
    """Returns the table of a LazyFrame of polars, and other rows as they are."""
    return rows.collect() if type(rows).__module__.startswith("polars.") and hasattr(rows, "collect") else rows


def _each(rows: Any, keyword: str) -> Iterator[Any]:
    """Returns an iterator over rows, which may have only __getitem__, as a Dataset of PyTorch."""
    try:
        return iter(rows)
    except TypeError:
        raise _errors.data_error(keyword, _errors.kind_of(rows), _errors.ROWS) from None


def _as_dict(where: str, row: Any) -> dict[str, Any]:
    """Returns a row as a dict; `where` is its place, for the error."""
    try:
        return dict(row)
    except (TypeError, ValueError):
        fix = "a dict of lists has the columns of all rows: {\"text\": [...], \"label\": [...]}"
        raise _errors.data_error(where, _errors.kind_of(row), "a dict of the columns", fix) from None


def _columns(table: Any, keyword: str) -> dict[str, list[Any]] | None:
    """Returns the columns of a table as lists; None for rows. It is a dict, or of pandas, polars, pyarrow, datasets or
    NumPy."""
    names = list(table) if isinstance(table, dict) else _column_names(table)
    if names is None:
        return None
    if isinstance(table, dict) and any(_column_names(values) is not None for values in table.values()):  # a DatasetDict
        splits = ", ".join(map(str, names))
        raise _errors.data_error(keyword, f"several tables: {splits}", "one table", f"{keyword}=tables[{names[0]!r}]")
    twice = [name for name, count in collections.Counter(map(str, names)).items() if count > 1]
    if twice:
        raise _errors.data_error(keyword, f"two columns {twice[0]!r}", "different names")
    return {str(name): _list(table[name]) for name in names}


def _column_names(table: Any) -> Sequence[Any] | None:
    for found in (getattr(table, "column_names", None), getattr(table, "columns", None)):
        if found is not None and not callable(found):
            return list(found)
    return getattr(getattr(table, "dtype", None), "names", None)  # an array of records of NumPy


def _list(values: Any) -> list[Any]:
    """Returns the values of a column; pandas has NaN for a missing one."""
    for method in ("to_pylist", "to_list", "tolist"):  # pyarrow; pandas and polars; NumPy
        if hasattr(values, method):
            values = getattr(values, method)()
            break
    return [None if isinstance(value, float) and math.isnan(value) else value for value in values]


def _plain(value: Any) -> Any:
    """Returns the JSON form of a value that json does not know: NumPy's numbers and arrays, paths, dates."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):
        return _finite(value.tolist())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if type(value).__name__ in ("NAType", "NaTType"):  # pandas' missing values
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    fix = "images are paths in tables; portatune.sklearn.ImageClassifier takes arrays and images of Pillow"
    raise _errors.data_error("rows", _errors.kind_of(value), "texts, numbers, lists or dicts",
                             fix if hasattr(value, "getpixel") else "")
