#!/usr/bin/env python3
"""CPU seconds of one thread to read TFRecord files of tf.train.Example into batches and to write them: Portatune and
TensorFlow.

    python3 bench/tfrecord.py [--rounds 5] [--passes 3] [--tokens 20000] [--texts 100000] [--images 2000]
Three kinds of examples: token ids (three lists of 128 int64), sentences (60 bytes on average), images (30 kB); each
with a label. Reading: read_tfrecord(...).batch(n) and TFRecordDataset(...).batch(n).map(parse_example), where n is
256, and 32 for images; all checksums of both sides are compared. Writing: TfrecordWriter, and tf.train.Example,
SerializeToString and TFRecordWriter in Python, the usual way to write such files. The files are in memory (/dev/shm,
or --folder). Build with: ninja portatune_tfrecord_bench. PORTATUNE_BENCH_TF names an environment with tensorflow; by
default the run makes one with tensorflow-cpu 2.21.0.

The last lines are `RATIO tfrecord <read or write> <kind> <value>`: how many times faster Portatune is, by the best
round of each.
"""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile

from harness import PEERS, ROOT, install, run

BENCH = ROOT / "build" / "bench" / "portatune_tfrecord_bench"
KINDS = ("tokens", "texts", "images")


def main():
    options = parse_options()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        scratch = pathlib.Path(folder)
        python = peer_python(scratch)
        for kind in KINDS:
            file = scratch / f"{kind}.tfrecord"
            count = getattr(options, kind)
            run(BENCH, "make", kind, count, file)
            for command in ("read", "write"):
                times = measure(command, kind, file, python, options)
                report(f"{command} {kind}", times, count, file.stat().st_size)


def parse_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=20_000)
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--images", type=int, default=2_000)
    parser.add_argument("--folder", default="/dev/shm")
    return parser.parse_args()


def peer_python(scratch):
    if "PORTATUNE_BENCH_TF" in os.environ:
        return pathlib.Path(os.environ["PORTATUNE_BENCH_TF"], "bin", "python")
    return install(scratch / "venv", "tensorflow-cpu==2.21.0")


def measure(command, kind, file, python, options):
    """{side: seconds of each round}"""
    sides = {"portatune": [BENCH], "tensorflow": [python, PEERS / "tfrecord.py"]}
    times, sums = {side: [] for side in sides}, set()
    for _ in range(options.rounds):
        for side, program in sides.items():
            seconds, *what_was_read = run(*program, command, kind, file, options.passes)[0].split()
            times[side].append(float(seconds))
            sums.update(what_was_read)
    if len(sums) > 1:
        sys.exit(f"the two sides have read different values: {sums}")
    if command == "write" and file.with_suffix(".tfrecord.portatune").stat().st_size != file.stat().st_size:
        sys.exit("the file that was written is another")
    return times


def report(name, times, count, size):
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{name}: {count} examples, {size / 1e6:.1f} MB, {os.cpu_count()} CPUs, load {load}")
    for side, seconds in times.items():
        best = min(seconds)
        print(f"  {side:10} min {best:8.4f} s   median {statistics.median(seconds):8.4f} s   "
              f"{1e6 * best / count:7.2f} us an example   {size / 1e6 / best:7.0f} MB/s")
    print(f"RATIO tfrecord {name} {min(times['tensorflow']) / min(times['portatune']):.2f}", flush=True)


if __name__ == "__main__":
    main()
