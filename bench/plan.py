#!/usr/bin/env python3
"""bench/plan.py: seconds of a training step as `portatune plan --on cpu` estimates them, compared with measured ones.

A roofline gives the shortest possible time of a step: the estimate is below the measured time, and the ratio shows how
far. Needs `make build` and the demo's model (tools/setup.sh --demo).
"""

import argparse
import pathlib
import statistics
import tempfile

from harness import MINILM, PORTATUNE, json_line, run

# batch size, tokens per row
SIZES = [(8, 32), (16, 128), (32, 128), (8, 512)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=MINILM, help="folder of a BERT encoder")
    parser.add_argument("--steps", type=int, default=10, help="timed steps for each size")
    options = parser.parse_args()
    print(f"{'':24}{'GFLOP/s':>9}{'GB/s':>7}{'compute':>10}{'memory':>10}{'estimate':>10}{'best':>10}{'median':>10}{'ratio':>8}")
    for dtype in ("float32", "bfloat16"):
        for batch_size, max_length in SIZES:
            compare(options, dtype, batch_size, max_length)


def compare(options, dtype, batch_size, max_length):
    sizes = ["--model", options.model, "--batch-size", batch_size, "--max-length", max_length, "--dtype", dtype]
    target = planned(sizes)
    seconds = json_line(run(PORTATUNE, "bench", *sizes, "--steps", options.steps)[0])["step_seconds"]
    step, shape, peaks = target["step_seconds"], target["shapes"][0], target["peaks"]
    print(
        f"{dtype + f' {batch_size} x {max_length}':24}"
        f"{peaks[dtype + '_flops_per_second'] / 1e9:9.0f}{peaks['bytes_per_second'] / 1e9:7.1f}"
        f"{shape['compute_seconds']:10.4f}{shape['memory_seconds']:10.4f}{step:10.4f}"
        f"{min(seconds):10.4f}{statistics.median(seconds):10.4f}{min(seconds) / step:8.2f}",
        flush=True,
    )


def planned(sizes):
    with tempfile.TemporaryDirectory() as folder:
        rows = pathlib.Path(folder, "train.csv")
        rows.write_text("text,label\nyes,1\nno,0\n", encoding="utf-8")
        printed, _ = run(PORTATUNE, "plan", "--on", "cpu", "--train", rows, "--head", "softmax", *sizes, "--json")
    return json_line(printed)["targets"][0]


if __name__ == "__main__":
    main()
