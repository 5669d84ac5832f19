"""Rows of results: lists of dicts with forms for NumPy, Arrow and pandas."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from portatune import _notebook
from portatune._rows import Path


class Table(list[dict[str, Any]]):
    """A list of a dict for each row."""

    def to_pandas(self) -> Any:
        """Returns the rows as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self)

    def to_arrow(self) -> Any:
        """Returns the rows as a pyarrow.Table; a column is null for rows without it."""
        import pyarrow

        return pyarrow.table(self._columns())

    def to_numpy(self) -> dict[str, Any]:
        """Returns an array for each column, by its name.

        Numbers are int64 or float64, NaN for rows without one; texts are objects. Lists of numbers of one length, and
        dicts of numbers with the same keys, such as the scores of classes, are matrices with a row for each row.
        """
        return {name: _array(values) for name, values in self._columns().items()}

    def _columns(self) -> dict[str, list[Any]]:
        names = dict.fromkeys(name for row in self for name in row)
        return {name: [row.get(name) for row in self] for name in names}


class History(Table):
    """The log of a run: a dict for each record of metrics.jsonl."""

    def _repr_html_(self) -> str:
        return _notebook.table(self)


class Predictions(Table):
    """The predictions of a model: a dict for each row."""


_Table = TypeVar("_Table", bound=Table)


def read(table: type[_Table], path: Path) -> _Table:
    """Returns the rows of a file of JSON Lines as a table of this class."""
    with open(path, encoding="utf-8") as file:
        return table(map(json.loads, file))


def _array(values: Sequence[Any]) -> Any:
    import numpy

    if all(isinstance(value, (bool, int)) for value in values):
        return numpy.array(values)
    if all(value is None or isinstance(value, (bool, int, float)) for value in values):
        return numpy.array(values, dtype=float)
    matrix = [list(value.values()) if isinstance(value, Mapping) else value for value in values]
    if _have_one_form(values) and all(_is_number(number) for row in matrix for number in row):
        return numpy.array(matrix, dtype=float)
    result = numpy.empty(len(values), dtype=object)
    result[:] = values
    return result


def _have_one_form(values: Sequence[Any]) -> bool:
    """Whether these are lists of one length, or dicts with the same keys in the same order."""
    forms = {tuple(value) if isinstance(value, Mapping) else len(value) if isinstance(value, list) else None
             for value in values}
    return len(forms) == 1 and None not in forms


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
