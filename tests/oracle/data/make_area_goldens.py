"""Writes tests/data/image/area.json: pictures that TensorFlow resized by areas, and colours with their grey values.

    pip install tensorflow-cpu==2.21.0
    python tests/oracle/data/make_area_goldens.py

Pixels are lists in the order of reading, red, green and blue in turn.
"""

import json
import pathlib

import numpy
import tensorflow

SIZES = [((7, 5), (3, 2)), ((9, 9), (4, 4)), ((4, 4), (9, 9)), ((20, 31), (6, 6)), ((3, 3), (3, 3)), ((16, 12), (8, 6)),
         ((5, 8), (8, 5)), ((10, 10), (3, 3))]

random = numpy.random.default_rng(8)


def resized(size, to):
    pixels = random.integers(0, 256, (*size, 3))
    result = tensorflow.image.resize(pixels, to, method="area", antialias=True)
    result = tensorflow.cast(tensorflow.round(result), tensorflow.int32).numpy()
    return {"size": size, "pixels": pixels.flatten().tolist(), "to": to, "result": result.flatten().tolist()}


def grey_values():
    grid = range(0, 256, 15)
    colors = numpy.array([(r, g, b) for r in grid for g in grid for b in grid])
    near_whole = (2989 * colors[:, 0] + 5870 * colors[:, 1] + 1140 * colors[:, 2]) % 10000 < 40
    greys = numpy.repeat(numpy.arange(0, 256, 5)[:, None], 3, axis=1)
    colors = numpy.concatenate([colors[near_whole], greys, random.integers(0, 256, (100, 3))]).astype(numpy.int32)
    grey = tensorflow.image.rgb_to_grayscale(tensorflow.constant(colors)).numpy()
    return {"colors": colors.flatten().tolist(), "grey": grey.flatten().tolist()}


folder = pathlib.Path(__file__).parents[2] / "data" / "image"
goldens = {"resized": [resized(size, to) for size, to in SIZES], **grey_values()}
(folder / "area.json").write_text(json.dumps(goldens) + "\n")
