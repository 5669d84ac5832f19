"""The parts of scikit-learn that estimators are made of, for a Python without scikit-learn."""

import inspect
from typing import Any

import numpy


class NotFittedError(ValueError, AttributeError):
    """A method needs a model, and fit() has not been called."""


class BaseEstimator:
    """Parameters by the names of the arguments of __init__."""

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the parameters by their names."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Any:
        """Sets parameters and returns the estimator."""
        for name, value in params.items():
            if name not in self._parameter_names():
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}; expected one of "
                                 f"{', '.join(self._parameter_names())}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [f"{name}={value!r}" for name, value in self.get_params().items() if value != defaults[name].default]
        return f"{type(self).__name__}({', '.join(changed)})"


class ClassifierMixin:
    """score() of classifiers."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Returns the accuracy."""
        right = self.predict(X) == numpy.asarray(y)  # type: ignore[attr-defined]
        return float(numpy.average(right if right.ndim == 1 else right.all(axis=1), weights=sample_weight))


class RegressorMixin:
    """score() of regressors."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Returns the coefficient of determination, R squared; the mean over the columns of several targets."""
        y = numpy.asarray(y, dtype=float)
        error = numpy.average((y - self.predict(X)) ** 2, axis=0, weights=sample_weight)  # type: ignore[attr-defined]
        variance = numpy.average((y - numpy.average(y, axis=0, weights=sample_weight)) ** 2, axis=0,
                                 weights=sample_weight)
        of_constant = numpy.where(error == 0, 1.0, 0.0)  # as in scikit-learn
        of_others = 1 - error / numpy.where(variance == 0, 1, variance)
        return float(numpy.mean(numpy.where(variance == 0, of_constant, of_others)))
