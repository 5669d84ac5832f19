"""Makes tests/data/error_analysis.json: the scores of classes, the confusions and the worst rows of existing cases.

Run by hand from the root of the repository, with scikit-learn 1.9.1, torch 2.15 and seqeval 1.2.2:
    python tests/oracle/tasks/make_error_analysis_cases.py
Rows come from the task_cases of tests/data/metrics.json, sentences from tests/data/tasks/token_classification.json.
"""

import json
import pathlib
import warnings

import numpy
import seqeval.metrics
import torch
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

warnings.simplefilter("ignore")
DATA = pathlib.Path("tests/data")


def read(name):
    return json.loads((DATA / name).read_text())


def number(value):
    return float(value) if numpy.isfinite(value) else None


def scores_of_classes(labels, predicted, weights, classes):
    """[class, precision, recall, f1, support] of each class that is predicted or true; null: undefined"""
    columns = precision_recall_fscore_support(
        labels, predicted, labels=classes, sample_weight=weights, zero_division=numpy.nan
    )
    rows = [[int(c), *map(number, scores)] for c, *scores in zip(classes, *columns)]
    return [row for row in rows if row[3] is not None]


def worst(losses, is_wrong, probabilities):
    """[row, loss, probability of the prediction] of the wrong rows, the highest loss first"""
    rows = sorted(numpy.flatnonzero(is_wrong), key=lambda row: -losses[row])
    return [[int(row), float(losses[row]), None if probabilities is None else float(probabilities[row])] for row in rows]


def class_case(case):
    logits, labels = torch.tensor(case["logits"], dtype=torch.float64), numpy.array(case["labels"])
    if case["head"] == "sigmoid":  # class 0 has the logit 0
        logits = torch.cat([torch.zeros_like(logits), logits], dim=1)
    probabilities = logits.softmax(dim=1).numpy()
    predicted, classes = probabilities.argmax(axis=1), numpy.arange(probabilities.shape[1])
    matrix = confusion_matrix(labels, predicted, labels=classes, sample_weight=case["weights"])
    pairs = [[i, j, float(matrix[i, j])] for i in classes.tolist() for j in classes.tolist() if i != j and matrix[i, j]]
    losses = cross_entropy(logits, torch.tensor(labels), reduction="none").numpy()
    return {
        "classes": scores_of_classes(labels, predicted, case["weights"], classes),
        "confusions": sorted(pairs, key=lambda pair: -pair[2]),
        "mistakes": worst(losses, predicted != labels, probabilities.max(axis=1)),
    }


def label_case(case):
    logits, labels = torch.tensor(case["logits"], dtype=torch.float64), numpy.array(case["labels"])
    predicted = (logits.numpy() >= 0).astype(int)
    losses = binary_cross_entropy_with_logits(logits, torch.tensor(labels, dtype=torch.float64), reduction="none")
    probabilities = torch.where(logits >= 0, logits.sigmoid(), 1 - logits.sigmoid()).prod(dim=1).numpy()
    return {
        "classes": scores_of_classes(labels, predicted, case["weights"], numpy.arange(labels.shape[1])),
        "confusions": [],
        "mistakes": worst(losses.sum(dim=1).numpy(), (predicted != labels).any(axis=1), probabilities),
    }


def number_case(case):
    errors = numpy.abs(numpy.array(case["logits"]) - numpy.array(case["labels"])).sum(axis=1)
    return {"classes": [], "confusions": [], "mistakes": worst(errors, errors > 0, None)}


def entity_case(case):
    """{type: [precision, recall, f1, support]}, 0 where seqeval warns"""
    if all(tag == "O" for key in ("expected", "predicted") for row in case[key] for tag in row):
        return {}  # seqeval fails without an entity
    report = seqeval.metrics.classification_report(case["expected"], case["predicted"], output_dict=True)
    keys = ["precision", "recall", "f1-score", "support"]
    return {name: [float(row[key]) for key in keys] for name, row in report.items() if not name.endswith(" avg")}


MAKERS = {"softmax": class_case, "sigmoid": class_case, "multi_label": label_case, "regression": number_case}
rows = {case["name"]: MAKERS[case["head"]](case) for case in read("metrics.json")["task_cases"]}
entities = [entity_case(case) for case in read("tasks/token_classification.json")["metrics"]]
(DATA / "error_analysis.json").write_text(json.dumps({"rows": rows, "entities": entities}) + "\n")
print(len(rows), "cases of rows,", len(entities), "of entities")
