"""Makes tests/data/metrics.json: scores, labels, weights, and the metrics that scikit-learn computes from them.

Run by hand from the root of the repository, with scikit-learn 1.9.1, torch 2.15 and torchmetrics 1.9:
    python tests/oracle/tasks/make_metric_cases.py
The calibration errors come from torchmetrics, which does not support weights.
All numbers are float32 values, so that reading them as float loses nothing.
"""

import json
import pathlib
import warnings

import numpy
import sklearn
import torch
from sklearn.exceptions import UndefinedMetricWarning
from scipy.stats import ConstantInputWarning, pearsonr, spearmanr
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    confusion_matrix,
    f1_score,
    matthews_corrcoef,
    mean_absolute_error,
    mean_squared_error,
    precision_recall_fscore_support,
    precision_score,
    r2_score,
    recall_score,
    roc_auc_score,
    top_k_accuracy_score,
)
from sklearn.preprocessing import label_binarize
from torchmetrics.functional.classification import binary_calibration_error, multiclass_calibration_error

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
        "precision": number(precision_score(labels, predicted, sample_weight=weights, zero_division=numpy.nan)),
        "recall": number(recall_score(labels, predicted, sample_weight=weights, zero_division=numpy.nan)),
        "average_precision": average_precision(labels, scores, weights) if labels.any() else None,
        "mse": float(mean_squared_error(labels, scores.astype(float), sample_weight=weights)),
        "mae": float(mean_absolute_error(labels, scores.astype(float), sample_weight=weights)),
        "r2": number(r2_score(labels, scores.astype(float), sample_weight=weights, force_finite=False)),
        "matthews": float(matthews_corrcoef(labels, predicted, sample_weight=weights)),
        # Without weights, because scipy does not support them.
        "pearson": None if weights is not None else number(pearsonr(scores, labels)[0]),
        "spearman": None if weights is not None else number(spearmanr(scores, labels)[0]),
        "mean": float(numpy.average(scores.astype(float), weights=weights)),
    }


def number(value):
    return float(value) if numpy.isfinite(value) else None


def average_precision(labels, scores, weights, average="macro"):
    return float(average_precision_score(labels, scores.astype(float), sample_weight=weights, average=average))


PREDICTED_SCORES = {"precision": precision_score, "recall": recall_score, "f1": f1_score}


def averages(labels, predicted, weights, names):
    return {
        f"{score}_{average}": float(
            function(labels, predicted, sample_weight=weights, average=average, zero_division=0)
        )
        for score, function in PREDICTED_SCORES.items()
        for average in names
    }


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
        **averages(labels, predicted, weights, ["micro", "macro", "weighted"]),
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


def calibration_case(name, confidences, hits):
    confidences = floats(confidences)
    error = binary_calibration_error(torch.tensor(confidences), torch.tensor(hits), n_bins=15, norm="l1")
    return {"name": name, "confidences": confidences.tolist(), "hits": list(hits), "error": float(error)}


def random_calibration_case(name, rows):
    confidences = random.uniform(0.3, 1, rows)
    return calibration_case(name, confidences, (random.random(rows) < confidences**2).astype(int).tolist())


CALIBRATION_CASES = [
    calibration_case("always_sure_and_right", [1, 1, 1], [1, 1, 1]),
    calibration_case("always_sure_and_wrong", [1, 1], [0, 0]),
    calibration_case("ends_of_the_range", [0, 1, 0, 1, 0.5], [0, 1, 1, 0, 1]),
    random_calibration_case("too_sure", 300),
]


# Cases of the metrics of tasks, by their names in Portatune.

def softmax(logits):
    exponentials = numpy.exp(logits - logits.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def class_task_case(name, logits, labels, weights=None):
    """logits [rows, classes], or [rows, 1] of class 1 against class 0"""
    logits = floats(logits)
    head = "sigmoid" if logits.shape[1] == 1 else "softmax"
    probabilities = softmax(numpy.hstack([0 * logits, logits]) if head == "sigmoid" else logits).astype(float)
    classes = probabilities.shape[1]
    predicted = probabilities.argmax(axis=1)
    metrics = {
        "accuracy": accuracy_score(labels, predicted, sample_weight=weights),
        "matthews_correlation": matthews_corrcoef(labels, predicted, sample_weight=weights),
        "brier_score": brier_score_loss(labels, probabilities, sample_weight=weights, labels=numpy.arange(classes)),
        **averages(labels, predicted, weights, ["micro", "macro", "weighted"]),
    }
    if classes == 2:
        for score, function in PREDICTED_SCORES.items():
            metrics[score] = function(labels, predicted, sample_weight=weights)
        metrics["roc_auc"] = roc_auc_score(labels, probabilities[:, 1], sample_weight=weights)
        metrics["average_precision"] = average_precision(labels, probabilities[:, 1], weights)
    else:
        one_hot = label_binarize(labels, classes=numpy.arange(classes))
        if weights is None:  # scikit-learn has no weights for it
            metrics["roc_auc_ovr"] = roc_auc_score(labels, probabilities, multi_class="ovr")
        metrics["average_precision_macro"] = average_precision(one_hot, probabilities, weights)
        for k in [2, 3, 5, 10]:
            if k < classes:
                metrics[f"top_{k}_accuracy"] = top_k_accuracy_score(
                    labels, probabilities, k=k, sample_weight=weights, labels=numpy.arange(classes)
                )
    if weights is None:
        metrics["ece"] = multiclass_calibration_error(
            torch.tensor(probabilities), torch.tensor(labels), num_classes=classes, n_bins=15, norm="l1"
        )
    return task_case(name, head, logits, labels, weights, metrics)


def multi_label_task_case(name, logits, labels, weights=None):
    logits = floats(logits)
    predicted = (logits >= 0).astype(int)
    metrics = {
        "accuracy": accuracy_score(labels, predicted, sample_weight=weights),
        **averages(labels, predicted, weights, ["micro", "macro"]),
        "roc_auc_macro": roc_auc_score(labels, logits, sample_weight=weights, average="macro"),
        "average_precision_macro": average_precision(labels, logits, weights, "macro"),
        "average_precision_micro": average_precision(labels, logits, weights, "micro"),
    }
    return task_case(name, "multi_label", logits, labels, weights, metrics)


def regression_task_case(name, numbers, labels, weights=None):
    numbers, labels = floats(numbers), floats(labels)
    metrics = {
        "mse": mean_squared_error(labels, numbers, sample_weight=weights),
        "mae": mean_absolute_error(labels, numbers, sample_weight=weights),
        "r2": r2_score(labels, numbers, sample_weight=weights),
    }
    if weights is None:  # scipy has no weights
        metrics["pearson"] = numpy.mean([pearsonr(x, y)[0] for x, y in zip(numbers.T, labels.T)])
        metrics["spearmanr"] = numpy.mean([spearmanr(x, y)[0] for x, y in zip(numbers.T, labels.T)])
    return task_case(name, "regression", numbers, labels, weights, metrics)


def task_case(name, head, logits, labels, weights, metrics):
    return {
        "name": name,
        "head": head,
        "logits": logits.tolist(),
        "labels": numpy.asarray(labels).tolist(),
        "weights": [1.0] * len(labels) if weights is None else weights.tolist(),
        "metrics": {metric: number(value) for metric, value in metrics.items()},
    }


def scored_rows(rows, classes):
    labels = random.integers(0, classes, rows)
    return random.normal(size=(rows, classes)) + 1.5 * numpy.eye(classes)[labels], labels


def labelled_rows(rows, labels):
    truth = (random.random((rows, labels)) < numpy.linspace(0.2, 0.6, labels)).astype(int)
    return random.normal(size=(rows, labels)) - 0.5 + truth, truth


def predicted_numbers(rows, targets):
    labels = random.normal(size=(rows, targets)) * numpy.arange(1, targets + 1)
    return labels + random.normal(size=(rows, targets)), labels


def row_weights(rows):
    return floats(random.exponential(size=rows))


binary_logits, binary_labels = scored_rows(60, 2)
TASK_CASES = [
    class_task_case("two_classes", binary_logits, binary_labels),
    class_task_case("two_classes_weighted", binary_logits, binary_labels, row_weights(60)),
    class_task_case("one_logit", binary_logits[:, 1:], binary_labels),
    class_task_case("three_classes", *scored_rows(50, 3)),
    class_task_case("three_classes_weighted", *scored_rows(50, 3), row_weights(50)),
    class_task_case("twelve_classes", *scored_rows(80, 12)),
    multi_label_task_case("four_labels", *labelled_rows(40, 4)),
    multi_label_task_case("four_labels_weighted", *labelled_rows(40, 4), row_weights(40)),
    regression_task_case("one_target", *predicted_numbers(30, 1)),
    regression_task_case("three_targets", *predicted_numbers(30, 3)),
    regression_task_case("three_targets_weighted", *predicted_numbers(30, 3), row_weights(30)),
]

GOLDENS = {
    "scikit-learn": sklearn.__version__,
    "cases": CASES,
    "multi_label_cases": MULTI_LABEL_CASES,
    "multi_class_cases": MULTI_CLASS_CASES,
    "calibration_cases": CALIBRATION_CASES,
    "task_cases": TASK_CASES,
}
pathlib.Path("tests/data/metrics.json").write_text(json.dumps(GOLDENS) + "\n")
for each in CASES:
    print(each["name"], each["roc_auc"], each["accuracy"])
