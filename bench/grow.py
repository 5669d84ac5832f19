#!/usr/bin/env python3
"""bench/grow.py: held-out loss of a masked language model against the operations of its training, grown or not.

A BERT of 4 layers, 64 wide, is trained from random weights on WikiText-2 (its validation file, because the larger
training file is seldom available; the loss is that of the first rows of its test file) in two ways: with 4 layers from
the start, and as 1, 2 and 4 layers by `portatune fit --grow`. Both ways take the same number of operations in matrix
products, which `portatune plan` counts. Needs the folder PORTATUNE_SHARED_DATA with wikitext2.

    --seeds 1 2 3    seeds of weights and order
    --steps N        steps with 4 layers from the start (500)
    --plot FILE      writes the curves as SVG
"""

import argparse
import json
import os
import pathlib
import statistics
import tempfile

from harness import PORTATUNE, json_line, run, svg, svg_text

DATA = pathlib.Path(os.environ["PORTATUNE_SHARED_DATA"]) / "wikitext2"
CONFIG = {"architectures": ["BertForMaskedLM"], "model_type": "bert", "vocab_size": 1000, "hidden_size": 64,
          "num_attention_heads": 2, "intermediate_size": 256, "max_position_embeddings": 32,
          "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}  # fmt: skip
BATCHES = ["--task", "masked-lm", "--batch-size", 32, "--max-length", 32]
SETTINGS = [*BATCHES, "--packing", "token_budget", "--tokens-per-batch", 1024, "--mlm-probability", 0.3,
            "--from-config", "--train", DATA / "valid.txt", "--validation", DATA / "test.txt",
            "--max-eval-samples", 300, "--eval-steps", 50, "--learning-rate", 2e-3,
            "--lr-scheduler-type", "constant_with_warmup", "--warmup-steps", 50, "--quiet"]  # fmt: skip
LAYERS = (1, 2, 4)
SHARE_OF_SMALL = 3 / 8  # steps of the stages with 1 and 2 layers, each as a share of --steps
COLOURS = {"4 layers from the start": "#c0504d", "1, 2, 4 layers": "#1f77b4"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--plot", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        models = {layers: make_model(scratch, layers) for layers in LAYERS}
        flops = {layers: flops_of_step(model) for layers, model in models.items()}
        print(", ".join(f"{n} layers: {flops[n] / 1e9:.2f} GFLOP a step" for n in LAYERS), flush=True)
        stages = stages_of(options.steps, flops)
        print("steps of the stages: " + ", ".join(str(steps) for _, steps in stages), flush=True)
        curves = {name: [] for name in COLOURS}
        for seed in options.seeds:
            whole = whole_run(scratch, models[4], options.steps, seed)
            grown = grown_run(scratch, models[1], stages, seed)
            curves["4 layers from the start"].append(curve([(whole, flops[4])]))
            curves["1, 2, 4 layers"].append(curve([(folder, flops[n]) for folder, (n, _) in zip(grown, stages)]))
            for name, of_seeds in curves.items():
                print(f"seed {seed}: {name}: " + "  ".join(f"{x:.2f}:{y:.3f}" for x, y in of_seeds[-1]), flush=True)
        report(curves)
        if options.plot:
            options.plot.write_text(plot(curves))


def make_model(scratch, layers):
    """A folder with a config and a tokenizer, without weights."""
    folder = scratch / f"model-{layers}"
    words = ["--vocab-size", CONFIG["vocab_size"], "--lowercase", "--output", folder]
    run(PORTATUNE, "tokenizer", "train", DATA / "valid.txt", *words)
    (folder / "config.json").write_text(json.dumps({**CONFIG, "num_hidden_layers": layers}))
    return folder


def flops_of_step(model):
    printed, _ = run(PORTATUNE, "plan", "--on", "cpu", "--model", model, "--from-config", *BATCHES, "--json")
    return json_line(printed)["targets"][0]["flops_per_step"]


def stages_of(steps, flops):
    """Layers and steps of each stage, with as many operations as `steps` steps of 4 layers."""
    small = round(SHARE_OF_SMALL * steps)
    rest = steps * flops[4] - small * (flops[1] + flops[2])
    return [(1, small), (2, small), (4, round(rest / flops[4]))]


def whole_run(scratch, model, steps, seed):
    output = scratch / f"whole-{seed}"
    run(PORTATUNE, "fit", "--model", model, *SETTINGS, "--max-steps", steps, "--seed", seed, "--output", output)
    return output


def grown_run(scratch, model, stages, seed):
    file, output = scratch / "stages.yaml", scratch / f"grown-{seed}"
    first, *others = stages
    text = f"- max_steps: {first[1]}\n"
    file.write_text(text + "".join(f"- layers: {layers}\n  max_steps: {steps}\n" for layers, steps in others))
    run(PORTATUNE, "fit", "--grow", file, "--model", model, *SETTINGS, "--seed", seed, "--output", output)
    return [output / f"stage-{i + 1}" for i in range(len(stages))]


def curve(runs):
    """Points of TFLOP and held-out loss, over consecutive runs with their operations of a step."""
    points, done = [], 0
    for folder, flops in runs:
        lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
        evaluations = {line["step"]: line["eval_loss"] for line in lines if "eval_loss" in line}
        points += [((done + step * flops) / 1e12, loss) for step, loss in evaluations.items()]
        done += max(evaluations) * flops
    return points


def operations_until(points, loss):
    """TFLOP of the first point from which the loss stays at most this; None: there is none."""
    last_above = max((i for i, (_, y) in enumerate(points) if y > loss), default=-1)
    return points[last_above + 1][0] if last_above + 1 < len(points) else None


def report(curves):
    for name, of_seeds in curves.items():
        last = [points[-1][1] for points in of_seeds]
        deviation = statistics.stdev(last) if len(last) > 1 else 0
        print(f"{name}: {of_seeds[0][-1][0]:.2f} TFLOP, held-out loss {statistics.mean(last):.3f} ± {deviation:.3f}")
    whole, grown = curves.values()
    for points, grown_points in zip(whole, grown):
        reached = operations_until(grown_points, points[-1][1])
        share = "not reached" if reached is None else f"{reached / points[-1][0]:.0%}"
        print(f"operations of the grown model until the last loss of the other one: {share}")


def plot(curves, width=640, height=360, left=56, bottom=44, top=16, right=16):
    """The curves as SVG, one line for each seed."""
    points = [point for of_seeds in curves.values() for one in of_seeds for point in one if point[0] > 0]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    low, high, end = min(ys) - 0.1, max(ys) + 0.1, max(xs)

    def place(x, y):
        across = left + x / end * (width - left - right)
        down = top + (high - y) / (high - low) * (height - top - bottom)
        return f"{across:.1f},{down:.1f}"

    def text(x, y, words, anchor="middle", colour="#333"):
        return svg_text(x, y, words, text_anchor=anchor, fill=colour)

    parts = []
    for i in range(6):
        x, y = end * i / 5, low + (high - low) * i / 5
        across, down = (float(part) for part in place(x, y).split(","))
        parts.append(text(f"{across:.1f}", height - bottom + 18, f"{x:.2f}"))
        parts.append(text(left - 8, f"{down + 4:.1f}", f"{y:.2f}", "end"))
        parts.append(f'<path d="M{left},{down:.1f}H{width - right}" stroke="#ddd"/>')
    parts.append(text((left + width) // 2, height - 8, "TFLOP of matrix products"))
    parts.append(text(left + 4, top + 12, "held-out loss", "start"))
    for i, (name, of_seeds) in enumerate(curves.items()):
        parts.append(text(width - right - 8, top + 16 + 18 * i, name, "end", COLOURS[name]))
        for one in of_seeds:
            line = " ".join(place(x, y) for x, y in one if x > 0)
            parts.append(f'<polyline points="{line}" fill="none" stroke="{COLOURS[name]}" stroke-width="1.5"/>')
    return svg(width, height, 12, parts)


if __name__ == "__main__":
    main()
