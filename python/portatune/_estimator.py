"""The part that all estimators share: parameters, training, predictions, and a model that pickles."""

import pathlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

try:
    import numpy
except ImportError as missing:
    raise ImportError("portatune.sklearn needs NumPy: pip install 'portatune[sklearn]'") from missing

if TYPE_CHECKING:  # one class for type checkers, which has the base classes of estimators where it is installed
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.exceptions import NotFittedError
else:
    try:
        from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
        from sklearn.exceptions import NotFittedError
    except ImportError:
        from portatune._without_sklearn import BaseEstimator, ClassifierMixin, NotFittedError, RegressorMixin

from portatune import _tables
from portatune._rows import Path
from portatune._runs import Page, evaluate, fit, predict, report
from portatune._saving import copy_model
from portatune._tables import History
from portatune._temporary import TemporaryFolder

__all__ = ["ClassifierMixin", "Estimator", "ModelFolder", "RegressorMixin"]

# Options that a prediction has, too: those of the device, and the type that layers compute with.
_SHARED_OPTIONS = {
    "dtype", "bf16", "fp16", "mesh", "plugin", "no_kernels", "cudnn_attention", "cache_folder", "no_cache",
    "gpu_memory_fraction", "gpu_preallocate", "no_gpu_preallocate", "gpu_allocator",
}  # fmt: skip


class ModelFolder(TemporaryFolder):
    """A temporary folder of a model. A pickle of it has the bytes of its files."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        super().__init__()
        for name, content in (files or {}).items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)

    def __reduce__(self) -> Any:
        files = {str(file.relative_to(self.path)): file.read_bytes() for file in self.path.rglob("*") if file.is_file()}
        return ModelFolder, (files,)


class Estimator(BaseEstimator):
    """An estimator of scikit-learn that fine-tunes a model.

    Args:
        model: a model folder, or a name of the Hugging Face Hub
        max_length: longest text in tokens; None: the default of the task
        epochs: passes over the rows
        batch_size: rows of a step, on each device
        learning_rate: highest learning rate
        validation_fraction: share of the rows that is held out and measured after each epoch; None: none
        device: "cpu", "cuda", "tpu"
        random_state: seed of dropout, order and new weights; None: the seed of the command, so that runs repeat
        options: other options of `portatune fit` by their names, such as {"layer_decay": 0.9}
        verbose: 0 prints nothing, 1 what the command prints

    Attributes:
        model_: the folder of the fitted model, which lives as long as the estimator: see save()
        history_: the records of losses and scores
    """

    history_: History

    def __init__(self, model: Path, *, max_length: int | None = None, epochs: int = 3, batch_size: int = 32,
                 learning_rate: float = 5e-5, validation_fraction: float | None = None, device: str = "cpu",
                 random_state: Any = None, options: Mapping[str, Any] | None = None, verbose: int = 0) -> None:
        self.model = model
        self.max_length = max_length
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.validation_fraction = validation_fraction
        self.device = device
        self.random_state = random_state
        self.options = options
        self.verbose = verbose

    @property
    def model_(self) -> pathlib.Path:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"This {type(self).__name__} has no model; call fit() first")
        return self._folder.path / "model"

    def save(self, folder: Path) -> pathlib.Path:
        """Copies the fitted model to a new or empty folder, which transformers reads, and returns its path."""
        return copy_model(self.model_, folder)

    def report(self) -> Page:
        """Returns the page that shows the curves, scores and settings of the training."""
        return report(self.model_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_folder")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags

    def _fit(self, task: str, rows: Mapping[str, Any], folder: ModelFolder, **options: Any) -> None:
        """Trains on columns of rows. The model goes to `folder`, which may have files that the options name."""
        given: dict[str, Any] = {
            "epochs": self.epochs, "learning_rate": self.learning_rate, "seed": _seed(self.random_state),
            "validation_split": self.validation_fraction, **self._shared_options(), **options}  # fmt: skip
        others = dict(self.options or {})
        doubled = sorted(others.keys() & given.keys() - _SHARED_OPTIONS)
        if doubled:
            raise ValueError(f"options has {', '.join(doubled)}, which the estimator sets itself")
        given = {"keep_checkpoints": 0, **given, **others}
        fit(self.model, rows, task=task, output=folder.path / "model", **given)
        self._folder = folder
        self.history_ = _tables.read(History, folder.path / "model" / "metrics.jsonl")

    def _predict(self, rows: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Returns the predictions for columns of rows."""
        return predict(self.model_, rows, **self._shared_options())

    def _evaluate(self, rows: Mapping[str, Any]) -> dict[str, float]:
        return evaluate(self.model_, rows, **self._shared_options())

    def _shared_options(self) -> dict[str, Any]:
        """Returns the options of training and of predictions."""
        others = {name: value for name, value in (self.options or {}).items() if name in _SHARED_OPTIONS}
        return {"max_length": self.max_length, "batch_size": self.batch_size, "device": self.device,
                "quiet": not self.verbose, **others}


def _seed(random_state: Any) -> int | None:
    """Returns the seed of scikit-learn's random_state: an int, a generator of NumPy, or None."""
    highest = 2**31 - 1
    if isinstance(random_state, numpy.random.Generator):
        return int(random_state.integers(highest))
    if isinstance(random_state, numpy.random.RandomState):
        return int(random_state.randint(highest))
    return None if random_state is None else int(random_state)
