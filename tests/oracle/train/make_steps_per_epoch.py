#!/usr/bin/env python3
"""Writes the batches that Keras trains on with steps_per_epoch, from data that repeat without an end.

    pip install torch==2.15.0 keras==3.15.1
    KERAS_BACKEND=torch python tests/oracle/train/make_steps_per_epoch.py

tests/data/train/steps_per_epoch.json: for each case the number of batches of the data, steps_per_epoch, the epochs, and
the batches of each epoch by their index.
"""

import itertools
import json
import pathlib

import keras
import numpy

DATA = pathlib.Path(__file__).parent.parent.parent / "data"
CASES = [(5, 3, 4), (4, 4, 2), (3, 7, 2)]


class Recorder(keras.Model):
    """Notes the batches that it is trained on, by their numbers."""

    def __init__(self):
        super().__init__()
        self.batches = []

    def call(self, x):
        return x

    def train_step(self, data):
        self.batches.append(int(data[0][0, 0]))
        return {"loss": keras.ops.zeros(())}


class Epochs(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.batches = []

    def on_epoch_end(self, epoch, logs=None):
        self.batches.append(self.model.batches[sum(map(len, self.batches)):])


def case(batches, steps, epochs):
    model, seen = Recorder(), Epochs()
    model.compile(optimizer="sgd", loss="mse", run_eagerly=True)
    rows = ((numpy.full((1, 1), i, "float32"), numpy.zeros((1, 1), "float32")) for i in itertools.cycle(range(batches)))
    model.fit(rows, steps_per_epoch=steps, epochs=epochs, callbacks=[seen], verbose=0)
    return {"batches": batches, "steps_per_epoch": steps, "epochs": epochs, "seen": seen.batches}


def main():
    lines = ",\n".join(json.dumps(case(*one)) for one in CASES)
    (DATA / "train" / "steps_per_epoch.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
