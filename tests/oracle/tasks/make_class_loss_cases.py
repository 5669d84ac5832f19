#!/usr/bin/env python3
"""Writes losses of classes and labels, and their gradients, as torch, torchvision and Keras compute them.

    pip install torch==2.15.0 torchvision keras==3.15.1
    KERAS_BACKEND=torch python tests/oracle/tasks/make_class_loss_cases.py

tests/data/tasks/class_losses.json: for each case the head, options, logits and labels, the sum of the losses of the
rows, its gradient, and their mean. Keras has no weighted mean.
"""

import json
import pathlib

import keras
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy
from torchvision.ops import sigmoid_focal_loss

DATA = pathlib.Path(__file__).parent.parent.parent / "data"
LOGITS = [[0.5, -1.25, 2.0], [-3.0, 4.0, 3.5], [6.0, 0.0, -6.0], [0.25, 0.5, -0.75]]
CLASSES = [2, 0, 0, 1]
LABELS = [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
WEIGHTS = [0.5, 2.0, 1.25]


def case(name, head, options, logits, labels, loss):
    """loss: a function of the logits with the sum and the mean"""
    x = torch.tensor(logits, requires_grad=True)
    total, mean = loss(x)
    total.backward()
    return {
        "name": name,
        "head": head,
        "options": options,
        "logits": logits,
        "labels": labels,
        "loss_sum": float(total),
        "mean": None if mean is None else float(mean),
        "gradient": x.grad.tolist(),
    }


def softmax_case(name, options):
    arguments = {"label_smoothing": options.get("label_smoothing", 0.0)}
    if "class_weights" in options:
        arguments["weight"] = torch.tensor(options["class_weights"])
    y = torch.tensor(CLASSES)
    return case(
        name,
        "softmax",
        options,
        LOGITS,
        CLASSES,
        lambda x: (cross_entropy(x, y, reduction="sum", **arguments), cross_entropy(x, y, **arguments)),
    )


def focal_softmax_case(name, options):
    loss = keras.losses.CategoricalFocalCrossentropy(
        alpha=options.get("class_weights", 1.0),
        gamma=options["focal_gamma"],
        label_smoothing=options.get("label_smoothing", 0.0),
        from_logits=True,
        reduction="sum",
    )
    one_hot = torch.eye(3)[CLASSES]
    return case(name, "softmax", options, LOGITS, CLASSES, lambda x: (loss(one_hot, x), None))


def sigmoid_case(name, head, options, logits, labels):
    y = torch.tensor(labels)
    weights = torch.tensor(options["positive_weights"])

    def loss(x):
        mean = binary_cross_entropy_with_logits(x, y, pos_weight=weights)
        return mean * len(logits), mean

    return case(name, head, options, logits, labels, loss)


def focal_sigmoid_case(name, options):
    y = torch.tensor(LABELS)

    def loss(x):
        mean = sigmoid_focal_loss(x, y, alpha=-1, gamma=options["focal_gamma"], reduction="mean")
        return mean * len(LOGITS), mean

    return case(name, "multi_label", options, LOGITS, LABELS, loss)


CASES = [
    softmax_case("label_smoothing", {"label_smoothing": 0.1}),
    softmax_case("class_weights", {"class_weights": WEIGHTS}),
    softmax_case("class_weights_and_smoothing", {"class_weights": WEIGHTS, "label_smoothing": 0.2}),
    focal_softmax_case("focal", {"focal_gamma": 2.0}),
    focal_softmax_case("focal_below_1", {"focal_gamma": 0.5}),
    focal_softmax_case("all", {"focal_gamma": 1.5, "class_weights": WEIGHTS, "label_smoothing": 0.2}),
    sigmoid_case("positive_weights", "multi_label", {"positive_weights": WEIGHTS}, LOGITS, LABELS),
    sigmoid_case("positive_weight", "sigmoid", {"positive_weights": [3.0]}, [[0.5], [-2.0], [4.0]], [[1.0], [1.0], [0.0]]),
    focal_sigmoid_case("focal_labels", {"focal_gamma": 2.0}),
    focal_sigmoid_case("focal_labels_below_1", {"focal_gamma": 0.5}),
]
(DATA / "tasks" / "class_losses.json").write_text(json.dumps(CASES) + "\n")
for each in CASES:
    print(each["name"], each["loss_sum"], each["mean"])
