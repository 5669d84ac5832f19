#!/usr/bin/env python3
"""Writes a parameter after steps of torch.optim.SGD and of keras.optimizers.SGD.

    pip install torch==2.15.0 keras==3.15.1
    KERAS_BACKEND=torch python tests/oracle/train/make_sgd_steps.py

tests/data/optim/sgd.json: the gradients, and for each case the options, the library and the parameter after each step.
Keras multiplies the learning rate into the momentum and decays weights apart from the gradient, so its cases have a
constant learning rate and no decay: there both libraries agree.
"""

import json
import pathlib

import keras
import numpy
import torch

DATA = pathlib.Path(__file__).parent.parent.parent / "data"
START = [[1.0, -1.0]]
GRADIENTS = [[3.0, -4.0], [0.5, 0.25], [-1.0, 2.0], [0.125, -3.0], [2.0, 1.0]]
FALLING = [0.1, 0.08, 0.06, 0.04, 0.02]
CONSTANT = [0.1] * len(GRADIENTS)
MOMENTA = [{}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}]


def torch_case(rates, options):
    parameter = torch.nn.Parameter(torch.tensor(START))
    optimizer = torch.optim.SGD([parameter], lr=rates[0], **options)
    after = []
    for rate, gradient in zip(rates, GRADIENTS):
        optimizer.param_groups[0]["lr"] = rate
        parameter.grad = torch.tensor([gradient])
        optimizer.step()
        after.append(parameter.tolist()[0])
    return {"library": "torch", "rates": rates, "options": options, "after": after}


def keras_case(options):
    variable = keras.Variable(numpy.array(START, "float32"))
    optimizer = keras.optimizers.SGD(learning_rate=CONSTANT[0], **options)
    after = []
    for gradient in GRADIENTS:
        optimizer.apply([keras.ops.array([gradient], "float32")], [variable])
        after.append(keras.ops.convert_to_numpy(variable.value).tolist()[0])
    return {"library": "keras", "rates": CONSTANT, "options": options, "after": after}


def main():
    cases = [torch_case(FALLING, momentum | decay) for momentum in MOMENTA for decay in ({}, {"weight_decay": 0.5})]
    cases += [keras_case(momentum) for momentum in MOMENTA]
    text = json.dumps({"start": START[0], "gradients": GRADIENTS, "cases": cases})
    (DATA / "optim" / "sgd.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
