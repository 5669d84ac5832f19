#!/usr/bin/env python3
"""Writes parameters after steps of AdamW, Adam, Lion, LAMB, Adafactor and RMSprop by the libraries that have them.

    pip install torch==2.15.0 transformers==5.23.0 keras==3.15.1 lion-pytorch==0.2.5 optax==0.2.8
    KERAS_BACKEND=torch python tests/oracle/train/make_optimizer_steps.py

tests/data/optim/steps.json: for each shape the first weight and the gradients; for each case the optimizer, the
library, its options under the names of TrainingOptions, the learning rates, and the weight after each step.
Keras adds epsilon before it corrects the bias, and decays weights apart from the update, so its cases of Adam and LAMB
have a tiny epsilon and no decay.
"""

import json
import pathlib

import jax.numpy
import keras
import numpy
import optax
import torch
import transformers
from lion_pytorch import Lion

DATA = pathlib.Path(__file__).parent.parent.parent / "data"
SHAPES = [[6], [4, 3], [2, 3, 4]]
RATES = [0.05, 0.1, 0.08, 0.04, 0.02]


def start_of(shape, generator):
    gradients = generator.normal(size=[len(RATES)] + shape).astype("float32")
    gradients[2] *= 100  # a step that Adafactor clips
    gradients.reshape(len(RATES), -1)[:, 0] = 0
    return generator.normal(size=shape).astype("float32"), gradients


def torch_steps(make, start, gradients):
    parameter = torch.nn.Parameter(torch.tensor(start))
    optimizer = make([parameter])
    after = []
    for rate, gradient in zip(RATES, gradients):
        optimizer.param_groups[0]["lr"] = rate
        parameter.grad = torch.tensor(gradient)
        optimizer.step()
        after.append(parameter.detach().numpy().copy())
    return after


def keras_steps(make, start, gradients):
    variable = keras.Variable(start)
    optimizer = make()
    after = []
    for rate, gradient in zip(RATES, gradients):
        optimizer.learning_rate = rate
        optimizer.apply([keras.ops.array(gradient)], [variable])
        after.append(keras.ops.convert_to_numpy(variable.value).copy())
    return after


def optax_steps(make, start, gradients):
    weight = jax.numpy.asarray(start)
    optimizer = make(lambda count: jax.numpy.asarray(RATES, "float32")[count])
    state = optimizer.init(weight)
    after = []
    for gradient in gradients:
        updates, state = optimizer.update(jax.numpy.asarray(gradient), state, weight)
        weight = optax.apply_updates(weight, updates)
        after.append(numpy.asarray(weight))
    return after


def adafactor(decay):
    return lambda p: transformers.Adafactor(
        p, lr=RATES[0], scale_parameter=False, relative_step=False, weight_decay=decay
    )


BETAS = {"adam_beta1": 0.8, "adam_beta2": 0.95}
TINY = 1e-12  # epsilon

CASES = [
    ("adamw_torch", "torch", {"weight_decay": 0.01}, torch_steps, lambda p: torch.optim.AdamW(p)),
    (
        "adamw_torch",
        "torch",
        BETAS | {"adam_epsilon": 0.001, "weight_decay": 0.1},
        torch_steps,
        lambda p: torch.optim.AdamW(p, betas=(0.8, 0.95), eps=0.001, weight_decay=0.1),
    ),
    (
        "adamw_torch",
        "keras",
        {"adam_epsilon": TINY, "weight_decay": 0.1},
        keras_steps,
        lambda: keras.optimizers.AdamW(epsilon=TINY, weight_decay=0.1),
    ),
    ("adam", "torch", {}, torch_steps, lambda p: torch.optim.Adam(p)),
    (
        "adam",
        "torch",
        BETAS | {"adam_epsilon": 0.001, "weight_decay": 0.1},
        torch_steps,
        lambda p: torch.optim.Adam(p, betas=(0.8, 0.95), eps=0.001, weight_decay=0.1),
    ),
    ("adam", "keras", {"adam_epsilon": TINY}, keras_steps, lambda: keras.optimizers.Adam(epsilon=TINY)),
    ("lion", "lion-pytorch", {"adam_beta2": 0.99}, torch_steps, lambda p: Lion(p)),
    (
        "lion",
        "lion-pytorch",
        BETAS | {"weight_decay": 0.1},
        torch_steps,
        lambda p: Lion(p, betas=(0.8, 0.95), weight_decay=0.1),
    ),
    ("lion", "keras", {"adam_beta2": 0.99}, keras_steps, lambda: keras.optimizers.Lion()),
    ("lamb", "optax", {"adam_epsilon": 1e-6}, optax_steps, lambda rate: optax.lamb(rate)),
    (
        "lamb",
        "optax",
        BETAS | {"adam_epsilon": 0.001, "weight_decay": 0.1},
        optax_steps,
        lambda rate: optax.lamb(rate, b1=0.8, b2=0.95, eps=0.001, weight_decay=0.1),
    ),
    ("lamb", "keras", {"adam_epsilon": TINY}, keras_steps, lambda: keras.optimizers.Lamb(epsilon=TINY)),
    ("adafactor", "transformers", {}, torch_steps, adafactor(0.0)),
    ("adafactor", "transformers", {"weight_decay": 0.1}, torch_steps, adafactor(0.1)),
    ("rmsprop", "torch", {}, torch_steps, lambda p: torch.optim.RMSprop(p)),
    (
        "rmsprop",
        "torch",
        {"rmsprop_alpha": 0.9, "adam_epsilon": 0.001, "momentum": 0.8, "weight_decay": 0.1},
        torch_steps,
        lambda p: torch.optim.RMSprop(p, alpha=0.9, eps=0.001, momentum=0.8, weight_decay=0.1),
    ),
    (
        "rmsprop",
        "torch",
        {"rmsprop_alpha": 0.9, "adam_epsilon": 0.001, "momentum": 0.8, "rmsprop_centered": True},
        torch_steps,
        lambda p: torch.optim.RMSprop(p, alpha=0.9, eps=0.001, momentum=0.8, centered=True),
    ),
]


def flat(array):
    return [float(str(x)) for x in array.ravel()]  # the shortest text of a float32


def main():
    generator = numpy.random.default_rng(7)
    shapes = []
    for shape in SHAPES:
        start, gradients = start_of(shape, generator)
        cases = []
        for name, library, options, steps, make in CASES:
            after = [flat(weight) for weight in steps(make, start, gradients)]
            cases.append({"optim": name, "library": library, "options": options, "after": after})
        gradients = [flat(gradient) for gradient in gradients]
        shapes.append({"shape": shape, "start": flat(start), "gradients": gradients, "cases": cases})
    text = json.dumps({"rates": RATES, "shapes": shapes})
    (DATA / "optim" / "steps.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
