#!/usr/bin/env python3
"""bench/first_model.py: from `pip install` in an empty environment to the first trained model, and the bytes installed.

Both sides install from the package index without pip's cache, and then train the demo: MiniLM in float32 on 8,448 movie
reviews, two epochs of 150 steps of 32 rows, with the defaults of both: packed texts here, padding to the longest text of
a batch there. Portatune is installed from the wheel of `make wheel`, with its XLA plugin from the index; the peer is
`transformers[torch]`, with scikit-learn for the scores.

    --wheel FILE    the wheel (default: the newest in dist/)
"""

import argparse
import pathlib
import resource
import sys
import tempfile
import time

from harness import PEERS, ROOT, install, report_load, run
from accuracy import ARGUMENTS, STEPS


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wheel", type=pathlib.Path)
    options = parser.parse_args()
    wheels = sorted((ROOT / "dist").glob("portatune-*.whl"), key=lambda file: file.stat().st_mtime)
    if options.wheel is None and not wheels:
        sys.exit("no wheel in dist/: make it by `make wheel`, or name it by --wheel FILE")
    wheel = (options.wheel or wheels[-1]).resolve()
    schedule = ["--epochs", 2, "--steps-per-epoch", STEPS]
    report_load("first_model: ")
    ours = measure("portatune", [wheel], lambda python, folder: [
        python.parent / "portatune", "fit", *ARGUMENTS, *schedule, "--output", folder / "model"])
    peers = measure("transformers[torch]", ["transformers[torch]", "scikit-learn"], lambda python, folder: [
        python, PEERS / "trainer.py", *ARGUMENTS, "--head", "softmax", "--padding", "longest", "--max-steps", 2 * STEPS])
    print(f"RATIO first_model {peers[0] / ours[0]:.2f}")
    print(f"RATIO installed_bytes {peers[1] / ours[1]:.2f}")


def measure(name, packages, training):
    """Seconds to install the packages and to train, and the bytes that the packages take."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        empty = size_of(install(folder / "venv", "--dry-run", "pip").parents[1])
        begin, begin_cpu = time.perf_counter(), cpu_seconds()
        python = install(folder / "venv", "--no-cache-dir", *packages)
        installed = time.perf_counter() - begin
        size = size_of(folder / "venv") - empty
        _, seconds = run(*training(python, folder), environment={"XDG_CACHE_HOME": folder / "cache"})
        print(f"{name:20} install {installed:7.1f} s   {size / 1e6:7.0f} MB   first model {seconds:7.1f} s   "
              f"both {cpu_seconds() - begin_cpu:7.1f} CPU s", flush=True)
        return installed + seconds, size


def cpu_seconds():
    """CPU seconds of all finished child processes, which depend less on other load than the time does."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def size_of(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())


if __name__ == "__main__":
    main()
