#!/usr/bin/env python3
"""CPU time from a JPEG to a normalised tensor on one thread: Portatune, and Pillow or torchvision with the image
processors of transformers.

    python3 bench/images.py PICTURE ... [--rounds 5] [--passes 20] [--size 224] [--scale 1]
Each PICTURE (a file that Pillow reads) becomes a JPEG of quality 90, --scale times as wide and high. Build with:
ninja portatune_images_bench. Each round starts the programs one after the other; times are CPU times of the fastest
pass over all pictures. In exact mode Portatune's pixels must be those of Pillow and the Pillow backend, bit for bit.

The last lines are `RATIO <mode> <peer> <value>`: how many times faster Portatune is, by the best round of each.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile

from harness import PEERS, ROOT, peer_python, run

BENCH = ROOT / "build" / "bench" / "portatune_images_bench"
TO_JPEG = """
import sys
from PIL import Image
image = Image.open(sys.argv[1]).convert("RGB")
size = [round(side * float(sys.argv[3])) for side in image.size]
image.resize(size, Image.Resampling.BICUBIC).save(sys.argv[2], quality=90)
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pictures", type=pathlib.Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--passes", type=int, default=20)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--scale", type=float, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch, python = pathlib.Path(folder), peer_python()
        write_inputs(options, scratch, python)
        programs = {f"portatune {mode}": [BENCH, scratch, options.passes, mode] for mode in ("exact", "reduced")}
        for peer in ("pillow", "torchvision"):
            programs[peer] = [python, PEERS / "images.py", scratch, options.passes, peer]
        times = {name: [] for name in programs}
        for _ in range(options.rounds):
            for name, command in programs.items():
                times[name].append(float(run(*command)[0].split()[-1]))
        check_pixels(scratch)
        report(times, len(options.pictures))


def write_inputs(options, folder, python):
    size = {"height": options.size, "width": options.size}
    config = {"image_processor_type": "ViTImageProcessor", "size": size}
    (folder / "preprocessor_config.json").write_text(json.dumps(config))
    for number, picture in enumerate(options.pictures):
        run(python, "-c", TO_JPEG, picture, folder / f"{number}.jpg", options.scale)


def check_pixels(folder):
    if (folder / "portatune-exact.pixels").read_bytes() != (folder / "pillow.pixels").read_bytes():
        sys.exit("the pixels of portatune and Pillow differ")


def report(times, images):
    print(f"{images} pictures, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors, exact pixels agree")
    print(f"{'':18}{'ms a picture: best':>20}{'median':>9}")
    for name, seconds in times.items():
        best, median = (1e3 * value / images for value in (min(seconds), statistics.median(seconds)))
        print(f"{name:18}{best:20.2f}{median:9.2f}")
    for mode in ("exact", "reduced"):
        for peer in ("pillow", "torchvision"):
            print(f"RATIO {mode} {peer} {min(times[peer]) / min(times[f'portatune {mode}']):.2f}")


if __name__ == "__main__":
    main()
