#!/usr/bin/env python3
"""bench/colorize.py: colours for grey pictures, by small Colorization Transformers that learn them from drawings.

The pictures are landscapes that this script draws: skies, suns, mountains, fields or water, trees and houses, with
random shapes and slightly random colours and noise. The colorizer, the color upsampler and the spatial upsampler are
trained from random weights by `portatune fit`; then `portatune predict` colours new landscapes with one after the
other. Needs Pillow and NumPy.

    --pictures N    drawings to learn from (3000)
    --steps N       steps of the colorizer (1500); each upsampler takes a third
    --work FOLDER   keeps pictures and models there
    --image FILE    writes a PNG file with rows of pictures: grey, coloured, as they were drawn
"""

import argparse
import json
import pathlib
import tempfile

import numpy as np
from harness import PORTATUNE, json_line, run
from PIL import Image, ImageDraw, ImageFilter

SIDE, SMALL = 32, 16  # pixels of the large and of the small pictures
SCALE = 4  # drawings are reduced, which smooths their edges
SHOWN, ENLARGED = 6, 3
MODEL = {"model_type": "coltran", "resolution": [SIDE, SIDE], "downsample_res": SMALL, "hidden_size": 64,
         "ff_size": 128, "num_heads": 4, "num_encoder_layers": 2}  # fmt: skip
CLASSES = {"colorizer": "ColTranColorizer", "colors": "ColTranColorUpsampler", "sizes": "ColTranSpatialUpsampler"}
FIT = ["--task", "colorization", "--from-config", "--batch-size", 16, "--learning-rate", 1e-3, "--no-random-crop",
       "--lr-scheduler-type", "cosine", "--warmup-steps", 50, "--quiet", "--json"]  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pictures", type=int, default=3000)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--image", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = options.work or pathlib.Path(name)
        for seed, (split, count) in enumerate({"train": options.pictures, "dev": 100, "new": SHOWN}.items()):
            draw_pictures(work / split, count, seed)
        for model in CLASSES:
            train(work, model, options.steps if model == "colorizer" else options.steps // 3)
        colour(work)
        if options.image:
            sheet(work).save(options.image, optimize=True)
            print(f"{options.image}: {options.image.stat().st_size} bytes")


def draw_pictures(folder, count, seed):
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    for i in range(count):
        landscape(rng).save(folder / f"{i:04}.png")


def near(rng, colour, spread=12):
    """The colour, somewhat changed."""
    return tuple(int(v) for v in np.clip(np.array(colour) + rng.normal(0, spread, 3) + rng.normal(0, spread), 0, 255))


def landscape(rng):
    side = SIDE * SCALE
    picture = Image.new("RGB", (side, side))
    pen = ImageDraw.Draw(picture)
    horizon = int(side * rng.uniform(0.4, 0.6))
    gradient(pen, 0, horizon, near(rng, (80, 140, 225)), near(rng, (185, 215, 245)))
    x, y, r = side * rng.uniform(0.1, 0.9), side * rng.uniform(0.08, 0.25), side * rng.uniform(0.06, 0.11)
    pen.ellipse((x - r, y - r, x + r, y + r), fill=near(rng, (255, 215, 70), 6))
    mountains(rng, pen, side, horizon)
    if rng.random() < 0.35:
        gradient(pen, horizon, side, near(rng, (60, 120, 170)), near(rng, (25, 70, 125)))
        boat(rng, pen, side, horizon)
    else:
        gradient(pen, horizon, side, near(rng, (130, 180, 80)), near(rng, (70, 130, 45)))
        things = [house] * rng.integers(1, 3) + [tree] * rng.integers(1, 4)
        for base, thing in sorted(zip(rng.uniform(horizon + 0.1 * side, 0.95 * side, len(things)), things, strict=True),
                                  key=lambda pair: pair[0]):  # fmt: skip
            thing(rng, pen, side * rng.uniform(0.1, 0.9), base, side * rng.uniform(0.15, 0.28))
    picture = picture.filter(ImageFilter.GaussianBlur(SCALE / 2)).resize((SIDE, SIDE), Image.Resampling.BOX)
    noise = rng.normal(0, 3, (SIDE, SIDE, 1)) + rng.normal(0, 1.5, (SIDE, SIDE, 3))
    return Image.fromarray(np.clip(np.asarray(picture) + noise, 0, 255).astype(np.uint8))


def gradient(pen, top, bottom, first, last):
    for y in range(top, bottom):
        t = (y - top) / max(bottom - top, 1)
        pen.line((0, y, SIDE * SCALE, y), fill=tuple(int(a + t * (b - a)) for a, b in zip(first, last, strict=True)))


def mountains(rng, pen, side, horizon):
    colour = near(rng, (120, 105, 140))
    for _ in range(rng.integers(0, 3)):
        x, width, height = side * rng.uniform(0, 1), side * rng.uniform(0.2, 0.4), horizon * rng.uniform(0.35, 0.6)
        pen.polygon([(x - width, horizon), (x, horizon - height), (x + width, horizon)], fill=colour)
        pen.polygon([(x - width / 4, horizon - 0.75 * height), (x, horizon - height),
                     (x + width / 4, horizon - 0.75 * height)], fill=(245, 245, 250))  # fmt: skip


def house(rng, pen, x, base, size):
    wall, roof = near(rng, (240, 225, 190)), near(rng, (185, 60, 45))
    half, height = 0.5 * size, 0.6 * size
    pen.rectangle((x - half, base - height, x + half, base), fill=wall)
    pen.polygon([(x - 0.65 * size, base - height), (x, base - 1.1 * size), (x + 0.65 * size, base - height)], fill=roof)
    pen.rectangle((x - 0.12 * size, base - 0.4 * size, x + 0.12 * size, base), fill=near(rng, (100, 60, 30)))


def tree(rng, pen, x, base, size):
    pen.rectangle((x - 0.07 * size, base - 0.5 * size, x + 0.07 * size, base), fill=near(rng, (95, 65, 40)))
    pen.ellipse((x - 0.4 * size, base - 1.3 * size, x + 0.4 * size, base - 0.4 * size), fill=near(rng, (35, 90, 40)))


def boat(rng, pen, side, horizon):
    x, base, size = side * rng.uniform(0.2, 0.8), side * rng.uniform(0.72, 0.9), side * rng.uniform(0.2, 0.3)
    pen.polygon([(x - 0.6 * size, base - 0.25 * size), (x + 0.6 * size, base - 0.25 * size), (x + 0.4 * size, base),
                 (x - 0.4 * size, base)], fill=near(rng, (160, 80, 40)))  # fmt: skip
    pen.polygon([(x, base - 1.3 * size), (x, base - 0.3 * size), (x + 0.5 * size, base - 0.3 * size)],
                fill=near(rng, (250, 245, 235), 4))  # fmt: skip


def train(work, model, steps):
    config = work / "configs" / model
    config.mkdir(parents=True)
    (config / "config.json").write_text(json.dumps({**MODEL, "architectures": [CLASSES[model]]}))
    printed, seconds = run(PORTATUNE, "fit", "--model", config, *FIT, "--train", work / "train", "--validation",
                           work / "dev", "--max-steps", steps, "--output", work / model)  # fmt: skip
    scores = json_line(printed)
    for name in ("bits_per_pixel", "bits_per_channel"):
        if name in scores["after"]:
            print(f"{model}: {steps} steps in {seconds:.0f} s, {name} of held-out pictures "
                  f"{scores['before'][name]:.2f} -> {scores['after'][name]:.2f}", flush=True)  # fmt: skip


def colour(work):
    data = ["--data", work / "new"]
    for model in CLASSES:
        lines, colored = work / f"{model}.jsonl", work / f"{model}-pictures"
        run(PORTATUNE, "predict", "--model", work / model, *data, "--colored-images", colored, "--output", lines)
        data = ["--data", lines, "--colored-column", "colored"]


def sheet(work):
    """Three rows: pictures as the models read them, as they coloured them, and as they were drawn."""
    gap = 4
    large, side = SIDE * ENLARGED, SIDE * ENLARGED + gap
    result = Image.new("RGB", (SHOWN * side + gap, 3 * side + gap), "white")
    for i in range(SHOWN):
        true = Image.open(work / "new" / f"{i:04}.png")
        coloured = Image.open(work / "sizes-pictures" / f"{i:04}.png")
        for row, picture in enumerate((true.convert("L").convert("RGB"), coloured, true)):
            enlarged = picture.resize((large, large), Image.Resampling.NEAREST)
            result.paste(enlarged, (gap + i * side, gap + row * side))
    return result


if __name__ == "__main__":
    main()
