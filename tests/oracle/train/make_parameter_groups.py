#!/usr/bin/env python3
"""Writes steps of torch's optimizers with parameter groups, averaged weights, and timm's layer-wise rates.

    pip install torch==2.15.0 torchvision==0.29.2 timm==1.0.31
    python tests/oracle/train/make_parameter_groups.py

tests/data/train/parameter_groups.json: the first weights and the gradients of five steps by parameter; for each case
the options under the names of TrainingOptions, the weights after each step, and with `ema` their average after it; the
factors of timm's layer-wise decay for a ViT, by its parameters.
"""

import json
import pathlib

import numpy
import timm
import timm.optim
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

DATA = pathlib.Path(__file__).parent.parent.parent / "data"
STEPS = 5
SHAPES = {
    "embeddings.weight": [3, 2],
    "layer.0.dense.weight": [2, 2],
    "layer.0.dense.bias": [2],
    "layer.1.dense.weight": [2, 2],
    "layer.1.dense.bias": [2],
    "classifier.weight": [2, 2],
    "classifier.bias": [2],
}
SGD = {"optim": "sgd", "momentum": 0.9}
GROUPS = ["layer.0: lr=0.002", "classifier: lr=0.05, weight_decay=0.3", "bias: weight_decay=0"]
CASES = [
    {"param_group": GROUPS},
    {"param_group": GROUPS, "lr_scheduler_type": "linear", "weight_decay": 0.1},
    {"param_group": GROUPS, **SGD},
    {"param_group": GROUPS, **SGD, "lr_scheduler_type": "cosine", "weight_decay": 0.1},
    {"param_group": GROUPS, "lr_scheduler_type": "polynomial"},
    {"ema": 0.9},
    {"ema": 0.6, "param_group": GROUPS, **SGD},
]
RATE = 0.01
FACTORS = {
    "constant": lambda t: 1.0,
    "linear": lambda t: max(0.0, (STEPS - t) / STEPS),
    "cosine": lambda t: 0.5 * (1 + numpy.cos(numpy.pi * t / STEPS)),
    "polynomial": lambda t: ((RATE - 1e-7) * (1 - t / STEPS) + 1e-7) / RATE,
}


def groups_of(case, parameters):
    """The groups of torch: one for each parameter. The last text with a value counts; decay is of matrices alone."""
    groups = []
    for name, parameter in parameters.items():
        group = {"lr": RATE, "weight_decay": case.get("weight_decay", 0.0) if parameter.dim() > 1 else 0.0}
        for text in case.get("param_group", []):
            pattern, values = text.split(": ")
            if f".{pattern}." in f".{name}.":
                group |= {key: float(value) for key, value in (pair.split("=") for pair in values.split(", "))}
        groups.append(group | {"params": [parameter]})
    return groups


def steps(case, start, gradients):
    model = torch.nn.ParameterDict(
        {name.replace(".", "/"): torch.nn.Parameter(torch.tensor(value)) for name, value in start.items()}
    )
    parameters = {name.replace("/", "."): parameter for name, parameter in model.items()}
    groups = groups_of(case, parameters)
    is_sgd = case.get("optim") == "sgd"
    optimizer = torch.optim.SGD(groups, momentum=0.9) if is_sgd else torch.optim.AdamW(groups, lr=RATE)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, FACTORS[case.get("lr_scheduler_type", "constant")])
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(case["ema"])) if "ema" in case else None
    after = []
    for i in range(STEPS):
        for name, parameter in parameters.items():
            parameter.grad = torch.tensor(gradients[name][i])
        optimizer.step()
        schedule.step()
        if average:
            average.update_parameters(model)
        found = {"weights": {name: flat(parameter) for name, parameter in parameters.items()}}
        if average:
            found["average"] = {name.replace("/", "."): flat(value) for name, value in average.module.items()}
        after.append(found)
    return after


def flat(tensor):
    return [float(str(x)) for x in tensor.detach().numpy().ravel()]  # the shortest text of a float32


def layer_factors(decay):
    model = timm.create_model(
        "vit_tiny_patch16_224", img_size=32, depth=3, embed_dim=16, num_heads=2, num_classes=3
    )
    names = {parameter: name for name, parameter in model.named_parameters()}
    groups = timm.optim.param_groups_layer_decay(model, layer_decay=decay)
    return {names[parameter]: group["lr_scale"] for group in groups for parameter in group["params"]}


def main():
    generator = numpy.random.default_rng(3)
    start = {name: generator.normal(size=shape).astype("float32") for name, shape in SHAPES.items()}
    gradients = {name: generator.normal(size=[STEPS] + shape).astype("float32") for name, shape in SHAPES.items()}
    cases = [{"options": case, "after": steps(case, start, gradients)} for case in CASES]
    golden = {
        "shapes": SHAPES,
        "start": {name: flat(torch.tensor(value)) for name, value in start.items()},
        "gradients": {name: [flat(torch.tensor(one)) for one in values] for name, values in gradients.items()},
        "learning_rate": RATE,
        "cases": cases,
        "layer_factors": {"layer_decay": 0.7, "factors": layer_factors(0.7)},
    }
    (DATA / "train" / "parameter_groups.json").write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main()
