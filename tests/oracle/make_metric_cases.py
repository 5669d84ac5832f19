"""Makes tests/data/metrics.json: scores, labels, weights, and the metrics that scikit-learn computes from them.

Run by hand from the root of the repository, with scikit-learn 1.9.1:
    python tests/oracle/make_metric_cases.py
All numbers are float32 values, so that reading them as float loses nothing.
"""

import json
import pathlib
import warnings

import numpy
import sklearn
from sklearn.exceptions import UndefinedMetricWarning
from scipy.stats import ConstantInputWarning, pearsonr, spearmanr
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    f1_score,
    matthews_corrcoef,
    precision_recall_fscore_support,
    roc_auc_score,
)

warnings.simplefilter("ignore", UndefinedMetricWarning)
warnings.simplefilter("ignore", ConstantInputWarning)
random = numpy.random.default_rng(11)


def floats(values):
    return numpy.asarray(values, dtype=numpy.float32)


def case(name, scores, labels, weights=None):
    scores, labels = floats(scores), floats(labels)
    weights = None if weights is None else floats(weights)
    auc = roc_auc_score(labels, scores.astype(float), sample_weight=weights)
    predicted = (scores > 0).astype(float)
    return {
        "name": name,
        "scores": scores.tolist(),
        "labels": labels.tolist(),
        "weights": [] if weights is None else weights.tolist(),
        "roc_auc": number(auc),
        "accuracy": float(accuracy_score(labels, predicted, sample_weight=weights)),
        "f1": number(f1_score(labels, predicted, sample_weight=weights, zero_division=numpy.nan)),
        "matthews": float(matthews_corrcoef(labels, predicted, sample_weight=weights)),
        # Without weights, because scipy does not support them.
        "pearson": None if weights is not None else number(pearsonr(scores, labels)[0]),
        "spearman": None if weights is not None else number(spearmanr(scores, labels)[0]),
        "mean": float(numpy.average(scores.astype(float), weights=weights)),
    }


def number(value):
    return None if numpy.isnan(value) else float(value)


def random_case(name, rows, levels=None, weighted=False):
    """levels: round the scores to that many values, so that there are ties."""
    labels = random.integers(0, 2, rows)
    scores = random.normal(size=rows) + labels
    if levels:
        scores = numpy.round(scores * levels / 4) * 4 / levels
    return case(name, scores, labels, random.exponential(size=rows) if weighted else None)


CASES = [
    case("perfect", [-2, -1, 1, 2], [0, 0, 1, 1]),
    case("reversed", [2, 1, -1, -2], [0, 0, 1, 1]),
    case("all_tied", [0.5] * 6, [0, 1, 0, 1, 1, 1]),
    case("textbook", [0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]),
    case("ties_across_classes", [1, 1, 2, 2, 2, 3, -1], [0, 1, 0, 1, 1, 0, 0]),
    case("ties_with_weights", [1, 1, 2, 2, 2, 3, -1], [0, 1, 0, 1, 1, 0, 0], [1, 2, 0.5, 3, 0.25, 1.5, 4]),
    case("some_weights_are_zero", [1, 9, 2, 2, -5, 3, -1], [0, 0, 0, 1, 1, 1, 0], [1, 0, 0.5, 3, 0, 1.5, 4]),
    case("both_zeros_are_one_score", [0.0, -0.0, 1, -1], [1, 0, 1, 0]),
    case("only_positives", [1, 2, 3], [1, 1, 1]),
    case("only_negatives", [1, 2, 3], [0, 0, 0]),
    random_case("distinct", 101),
    random_case("few_levels", 200, levels=5),
    random_case("weighted", 150, weighted=True),
    random_case("few_levels_weighted", 200, levels=3, weighted=True),
]



def multi_label_case(name, logits, labels):
    logits, labels = floats(logits), floats(labels)
    predicted = (logits >= 0).astype(float)
    return {
        "name": name,
        "logits": logits.tolist(),
        "labels": labels.tolist(),
        "f1_micro": number(f1_score(labels, predicted, average="micro", zero_division=numpy.nan)),
        "f1_macro": float(f1_score(labels, predicted, average="macro", zero_division=0)),
        "accuracy": float(accuracy_score(labels, predicted)),
        "roc_auc_macro": number(roc_auc_score(labels, logits, average="macro")),
    }


def random_multi_label_case(name, rows, labels):
    truth = random.random((rows, labels)) < numpy.linspace(0.1, 0.6, labels)
    return multi_label_case(name, random.normal(size=(rows, labels)) - 0.5 + truth, truth)


MULTI_LABEL_CASES = [
    multi_label_case("by_hand", [[1, -1, 2], [-1, -2, 0], [3, 1, -1], [-2, 0.5, 1]], [[1, 0, 1], [0, 0, 1], [1, 0, 0], [0, 1, 1]]),
    # The first label is never true and the last never predicted nor true: no AUC, and an F1 of 0 in the mean.
    multi_label_case("labels_without_examples", [[1, 2, -1], [-1, -2, -3], [-3, 1, -1]], [[0, 1, 0], [0, 0, 0], [0, 1, 0]]),
    random_multi_label_case("six_labels", 60, 6),
]


def multi_class_case(name, predicted, labels, weights=None):
    predicted, labels = floats(predicted), floats(labels)
    weights = None if weights is None else floats(weights)
    classes = numpy.arange(max(predicted.max(), labels.max()) + 1)
    per_class = precision_recall_fscore_support(
        labels, predicted, labels=classes, sample_weight=weights, zero_division=numpy.nan
    )
    return {
        "name": name,
        "predicted": predicted.tolist(),
        "labels": labels.tolist(),
        "weights": [] if weights is None else weights.tolist(),
        "f1_macro": float(f1_score(labels, predicted, sample_weight=weights, average="macro", zero_division=0)),
        "matthews": float(matthews_corrcoef(labels, predicted, sample_weight=weights)),
        "confusion_matrix": confusion_matrix(labels, predicted, labels=classes, sample_weight=weights).tolist(),
        "precision_recall_f1_support": [[number(value) for value in row] for row in zip(*per_class)],
    }


def random_multi_class_case(name, rows, classes, weighted=False):
    labels = random.integers(0, classes, rows)
    predicted = numpy.where(random.random(rows) < 0.6, labels, random.integers(0, classes, rows))
    return multi_class_case(name, predicted, labels, random.exponential(size=rows) if weighted else None)


MULTI_CLASS_CASES = [
    multi_class_case("perfect", [0, 1, 2, 2], [0, 1, 2, 2]),
    multi_class_case("by_hand", [0, 2, 2, 1, 0, 0], [0, 1, 2, 1, 2, 0]),
    # Class 1 is never predicted and class 3 never true; classes 2 and 4 do not occur and do not count.
    multi_class_case("classes_that_do_not_occur", [0, 0, 3, 5, 5], [0, 1, 0, 5, 5]),
    multi_class_case("one_class_is_predicted", [1, 1, 1, 1], [0, 1, 2, 1]),
    multi_class_case("one_class_is_true", [0, 1, 2, 1], [1, 1, 1, 1], [0.1, 0.2, 0.3, 0.7]),
    random_multi_class_case("seven_classes", 300, 7),
    random_multi_class_case("three_classes_weighted", 200, 3, weighted=True),
]

GOLDENS = {
    "scikit-learn": sklearn.__version__,
    "cases": CASES,
    "multi_label_cases": MULTI_LABEL_CASES,
    "multi_class_cases": MULTI_CLASS_CASES,
}
pathlib.Path("tests/data/metrics.json").write_text(json.dumps(GOLDENS) + "\n")
for each in CASES:
    print(each["name"], each["roc_auc"], each["accuracy"])
