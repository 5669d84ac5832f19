#!/usr/bin/env python3
"""bench/mesh.py: seconds of a training step on eight virtual devices of the CPU, which share its cores, compared with
one device: the same 64 rows in all.

Needs `make build` and the demo's model (tools/setup.sh --demo).
"""

import argparse
import math

from harness import MINILM, PORTATUNE, json_line, run

ROWS = 64
MESHES = ["data=1", "data=8", "fsdp=8", "data=2,fsdp=4", "fsdp=4,tensor=2", "data=2,tensor=4"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=MINILM, help="folder of a BERT encoder")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, in each of which every mesh is timed once")
    parser.add_argument("--steps", type=int, default=5, help="timed steps of a mesh in a round")
    options = parser.parse_args()
    for dtype in ("float32", "bfloat16"):
        seconds = {mesh: [] for mesh in MESHES}
        for _ in range(options.rounds):
            for mesh, found in seconds.items():
                found += step_seconds(options, dtype, mesh)
        one = min(seconds["data=1"])
        for mesh, found in seconds.items():
            print(f"{dtype} {mesh:14} min {min(found):7.3f} s   {min(found) / one:5.2f} of one device", flush=True)


def step_seconds(options, dtype, mesh):
    sizes = dict(axis.split("=") for axis in mesh.split(","))
    sharing = math.prod(int(sizes.get(axis, 1)) for axis in ("data", "fsdp"))  # along tensor the rows are the same
    rows = ["--batch-size", ROWS // sharing, "--max-length", 128, "--mesh", mesh]
    printed, _ = run(PORTATUNE, "bench", "--model", options.model, *rows, "--dtype", dtype, "--steps", options.steps)
    return json_line(printed)["step_seconds"]


if __name__ == "__main__":
    main()
