"""Estimators with the methods of scikit-learn: fit, predict, score; clones, pickles, searches and pipelines.

    from portatune.sklearn import TextClassifier

    classifier = TextClassifier("bert-base-uncased", epochs=2)
    classifier.fit(texts, labels)
    classifier.predict_proba(["a wonderful film"])

They derive from the classes of scikit-learn if it is installed. They need NumPy.
"""

import csv
import pathlib
import tempfile
from collections.abc import Mapping
from typing import Any

# This import explains a missing NumPy, so it comes first.
from portatune._estimator import ClassifierMixin, Estimator, ModelFolder, RegressorMixin  # isort: skip
import numpy

from portatune import _estimator_rows as rows_of
from portatune._rows import Path

__all__ = ["ImageClassifier", "QuestionAnswerer", "TextClassifier", "TextRegressor", "TokenClassifier"]

Columns = Mapping[str, list[Any]]


def _weight_column(sample_weight: Any) -> Columns:
    return {} if sample_weight is None else {"example_weight": rows_of.array_of(sample_weight).tolist()}


class _Classifier(ClassifierMixin, Estimator):
    """A classifier with the probabilities of all classes."""

    classes_: Any
    class_weight: Mapping[Any, float] | str | None
    _names: list[str]  # of the classes, in the files of the model

    def _fit_classes(self, task: str, rows: Columns, y: Any, sample_weight: Any, folder: ModelFolder,
                     **options: Any) -> None:
        classes, indices = rows_of.classes_of(y)
        names = rows_of.label_names(classes)
        labels = [names[index] for index in indices]
        weights = self._class_weights(dict(zip(classes.tolist(), names)), folder)
        self._fit(task, {**rows, "label": labels, **_weight_column(sample_weight)}, folder, class_weights=weights,
                  label_column="label", **options)
        self._keep_classes(classes, names)

    def _keep_classes(self, classes: Any, names: list[str]) -> None:
        self.classes_, self._names = classes, names

    def _class_weights(self, names: Mapping[Any, str], folder: ModelFolder) -> Any:
        """Returns the option class_weights; `names` has the name of each class. A class without a weight has 1."""
        if self.class_weight is None or isinstance(self.class_weight, str):
            return self.class_weight
        missing = names.keys() - self.class_weight.keys()
        if missing and self.class_weight.keys() - names.keys():
            raise ValueError(f"class_weight has no {', '.join(sorted(map(repr, missing)))}; expected the classes of y")
        path = folder.path / "class_weights.csv"
        with open(path, "w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(["label", "weight"])
            table.writerows([name, self.class_weight.get(label, 1)] for label, name in names.items())
        return path

    def _labels_of(self, lines: list[dict[str, Any]]) -> Any:
        return self.classes_[[self._names.index(line["label"]) for line in lines]]

    def _probabilities_of(self, lines: list[dict[str, Any]]) -> Any:
        return numpy.array([[line["scores"][name] for name in self._names] for line in lines])


class TextClassifier(_Classifier):
    """Gives each text, or pair of texts, a class; or each any number of labels.

    X is a list, an array or a column of texts, or of pairs; or a table with one or two columns. y has a class for each
    row. Or it is a matrix of 0 and 1 with a column for each label.

    Args:
        class_weight: weights in the loss by class, or "balanced"; None: all 1
        others: those of Estimator

    Attributes:
        classes_: the sorted classes; the numbers of the columns if there are several labels
    """

    def __init__(self, model: Path, *, max_length: int | None = None, epochs: int = 3, batch_size: int = 32,
                 learning_rate: float = 5e-5, class_weight: Mapping[Any, float] | str | None = None,
                 validation_fraction: float | None = None, device: str = "cpu", random_state: Any = None,
                 options: Mapping[str, Any] | None = None, verbose: int = 0) -> None:
        super().__init__(model, max_length=max_length, epochs=epochs, batch_size=batch_size,
                         learning_rate=learning_rate, validation_fraction=validation_fraction, device=device,
                         random_state=random_state, options=options, verbose=verbose)
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "TextClassifier":
        """Trains on texts X with labels y. `sample_weight` has the weight of each row in the loss."""
        rows, targets = rows_of.text_columns(X), rows_of.array_of(y)
        rows_of.check_lengths(X=rows["text"], y=targets, sample_weight=sample_weight)
        if targets.ndim == 2:
            self._fit_multi_label(rows, y, sample_weight)
        else:
            self._fit_classes("text-classification", rows, targets, sample_weight, ModelFolder(),
                              **rows_of.column_options(rows))
        self._is_multi_label = targets.ndim == 2
        return self

    def _fit_multi_label(self, rows: Columns, y: Any, sample_weight: Any) -> None:
        if self.class_weight is not None:
            raise ValueError("class_weight needs a class for each row; for several labels options has positive_weights")
        labels = rows_of.target_columns(y, "label", integers=True)
        self._fit("text-classification", {**rows, **labels, **_weight_column(sample_weight)}, ModelFolder(),
                  head="multi_label_classification", label_columns=list(labels), **rows_of.column_options(rows))
        self._keep_classes(numpy.arange(len(labels)), list(labels))

    def predict(self, X: Any) -> Any:
        """Returns the class of each text; for several labels a matrix of 0 and 1."""
        lines = self._predict(rows_of.text_columns(X))
        if not self._is_multi_label:
            return self._labels_of(lines)
        return numpy.array([[int(name in line["labels"]) for name in self._names] for line in lines])

    def predict_proba(self, X: Any) -> Any:
        """Returns the probabilities [texts, classes], in the order of classes_."""
        return self._probabilities_of(self._predict(rows_of.text_columns(X)))


class TextRegressor(RegressorMixin, Estimator):
    """Gives each text, or pair of texts, a number or several.

    X is that of TextClassifier. y has a number for each row, or is a matrix or a table with a column for each target.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "TextRegressor":
        """Trains on texts X with numbers y. `sample_weight` has the weight of each row in the loss."""
        rows, targets = rows_of.text_columns(X), rows_of.array_of(y)
        rows_of.check_lengths(X=rows["text"], y=targets, sample_weight=sample_weight)
        if targets.ndim == 1:
            columns: Columns = {"label": targets.astype(float).tolist()}
            options: dict[str, Any] = {"label_column": "label"}
        else:
            columns = rows_of.target_columns(y, "target")
            options = {"label_columns": list(columns)}
        self._fit("text-classification", {**rows, **columns, **_weight_column(sample_weight)}, ModelFolder(),
                  head="regression", **rows_of.column_options(rows), **options)
        self._targets = list(columns)
        return self

    def predict(self, X: Any) -> Any:
        """Returns the number of each text; for several targets [texts, targets]."""
        lines = self._predict(rows_of.text_columns(X))
        if len(self._targets) == 1:
            return numpy.array([line["score"] for line in lines])
        return numpy.array([[line["scores"][name] for name in self._targets] for line in lines])


class TokenClassifier(Estimator):
    """Gives each word of a sentence a tag: names of persons and places, parts of speech.

    X is a list of lists of words, y a list of lists of tags.

    Attributes:
        classes_: the sorted tags
    """

    classes_: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "TokenClassifier":
        """Trains on sentences X with tags y. `sample_weight` has the weight of each sentence in the loss."""
        sentences, tags = rows_of.word_lists(X, "X"), rows_of.word_lists(y, "y")
        rows_of.check_lengths(X=sentences, y=tags, sample_weight=sample_weight)
        for row, (words, tagged) in enumerate(zip(sentences, tags)):
            rows_of.check_lengths(**{f"row {row} of X": words, f"row {row} of y": tagged})
        classes = numpy.unique([tag for tagged in tags for tag in tagged])
        names = dict(zip(classes.tolist(), rows_of.label_names(classes)))
        rows = {"tokens": sentences, "tags": [[names[tag] for tag in tagged] for tagged in tags],
                **_weight_column(sample_weight)}
        self._fit("token-classification", rows, ModelFolder(), tokens_column="tokens", tags_column="tags")
        self.classes_, self._tags = classes, {name: tag for tag, name in names.items()}
        return self

    def predict(self, X: Any) -> list[list[Any]]:
        """Returns the tag of each word; None for words beyond max_length."""
        lines = self._predict({"tokens": rows_of.word_lists(X, "X")})
        return [[self._tags.get(tag, tag) for tag in line["tags"]] for line in lines]

    def score(self, X: Any, y: Any) -> float:
        """Returns the accuracy of words. portatune.evaluate(model_, rows) has the F1 of entities."""
        pairs = [pair for row in zip(self.predict(X), rows_of.word_lists(y, "y"), strict=True)
                 for pair in zip(*row, strict=True)]
        return sum(bool(predicted == tag) for predicted, tag in pairs) / len(pairs)


class ImageClassifier(_Classifier):
    """Gives each picture a class.

    X is a list of paths or URLs of pictures; or of arrays of uint8 with the shape (height, width) or (height, width,
    3); or of PIL images.

    Args:
        class_weight: weights in the loss by class, or "balanced"; None: all 1
        others: those of Estimator

    Attributes:
        classes_: the sorted classes
    """

    def __init__(self, model: Path, *, epochs: int = 3, batch_size: int = 32, learning_rate: float = 5e-5,
                 class_weight: Mapping[Any, float] | str | None = None, validation_fraction: float | None = None,
                 device: str = "cpu", random_state: Any = None, options: Mapping[str, Any] | None = None,
                 verbose: int = 0) -> None:
        super().__init__(model, epochs=epochs, batch_size=batch_size, learning_rate=learning_rate,
                         validation_fraction=validation_fraction, device=device, random_state=random_state,
                         options=options, verbose=verbose)
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "ImageClassifier":
        """Trains on pictures X with labels y. `sample_weight` has the weight of each row in the loss."""
        rows_of.check_lengths(X=X, y=rows_of.array_of(y), sample_weight=sample_weight)
        with tempfile.TemporaryDirectory(prefix="portatune-") as folder:
            pictures = rows_of.write_pictures(X, pathlib.Path(folder))
            self._fit_classes("image-classification", {"image": pictures}, y, sample_weight, ModelFolder(),
                              image_column="image")
        return self

    def predict(self, X: Any) -> Any:
        """Returns the class of each picture."""
        return self._labels_of(self._lines(X))

    def predict_proba(self, X: Any) -> Any:
        """Returns the probabilities [pictures, classes], in the order of classes_."""
        return self._probabilities_of(self._lines(X))

    def _lines(self, X: Any) -> list[dict[str, Any]]:
        with tempfile.TemporaryDirectory(prefix="portatune-") as folder:
            return self._predict({"image": rows_of.write_pictures(X, pathlib.Path(folder))})


class QuestionAnswerer(Estimator):
    """Finds the answer to a question in a context.

    X has pairs of question and context: a list of them, or a table of these two columns. y has the answers: a text that
    occurs in the context, whose first occurrence counts; "" if there is no answer; or an object of SQuAD,
    {"text": ["..."], "answer_start": [17]}.
    """

    def fit(self, X: Any, y: Any) -> "QuestionAnswerer":
        """Trains on questions and contexts X with answers y."""
        rows = rows_of.question_columns(X, y)
        has_negative = any(not answer["text"] for answer in rows["answers"])
        given = {} if "version_2_with_negative" in (self.options or {}) else {"version_2_with_negative": has_negative}
        self._fit("question-answering", rows, ModelFolder(), **given)
        return self

    def predict(self, X: Any) -> Any:
        """Returns the answer to each question as a text."""
        lines = self._predict(rows_of.question_columns(X))
        return numpy.array([line["prediction_text"] for line in lines], dtype=object)

    def score(self, X: Any, y: Any) -> float:
        """Returns the mean F1 of the words of answers, from 0 to 1, by the rules of SQuAD."""
        return self._evaluate(rows_of.question_columns(X, y))["f1"] / 100
