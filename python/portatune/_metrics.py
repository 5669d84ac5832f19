"""Metrics of a function of the user, as transformers' compute_metrics."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from portatune import _errors

_PADDING = -100  # transformers' padding of labels, which no metric counts


class EvalPrediction(NamedTuple):
    """The outputs of a model for all rows of an evaluation, as NumPy arrays: logits and labels."""

    predictions: Any
    label_ids: Any


ComputeMetrics = Callable[[EvalPrediction], Mapping[str, float]]


def of_batches(compute_metrics: ComputeMetrics) -> Callable[[Iterable[Any]], dict[str, float]]:
    """Returns a function that calls compute_metrics(EvalPrediction) for the batches of an evaluation."""
    if not callable(compute_metrics):
        given = _errors.kind_of(compute_metrics)
        raise _errors.usage_error("compute_metrics", given, "a function of an EvalPrediction",
                                  "metrics=\"...\" names scores that Portatune has: docs/results/metrics.md")
    import numpy

    def array(parts: Any) -> Any:
        data, dtype, shape = parts
        return numpy.frombuffer(data, dtype=dtype).reshape(shape)

    def joined(arrays: list[Any]) -> Any:
        """Joins batches on the first axis; those of shorter texts are padded."""
        shape = numpy.max([one.shape[1:] for one in arrays], axis=0).astype(int)
        if all(one.shape[1:] == arrays[0].shape[1:] for one in arrays):
            return numpy.concatenate(arrays)
        result = numpy.full((sum(len(one) for one in arrays), *shape), _PADDING, dtype=arrays[0].dtype)
        begin = 0
        for one in arrays:
            result[(slice(begin, begin + len(one)), *map(slice, one.shape[1:]))] = one
            begin += len(one)
        return result

    def compute(batches: Iterable[Any]) -> dict[str, float]:
        columns = []
        for logits, labels, weights in batches:
            counts = slice(None) if weights is None else array(weights) != 0  # weight 0: a row that fills the batch
            columns.append((array(logits)[counts], array(labels)[counts]))
        predictions, label_ids = map(list, zip(*columns))
        scores: Any = compute_metrics(EvalPrediction(joined(predictions), joined(label_ids)))
        if not isinstance(scores, Mapping):
            raise TypeError(f"compute_metrics returned {_errors.kind_of(scores)}; expected a dict of scores")
        return {name.removeprefix("eval_"): float(score) for name, score in scores.items()}

    return compute
