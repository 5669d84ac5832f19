#!/usr/bin/env python3
"""bench/startup.py: wall seconds of a run that ends after its first training step, Portatune and transformers
alternately.

Both read the demo's 8,448 reviews and take one step of MiniLM in float32 on 16 x 128 tokens. Portatune also writes
the model at the end, the peer writes nothing. A cold run has an empty compilation cache; the warm run repeats it.

Then the time of Python with `import numpy`, with `import portatune` and with transformers' Trainer beside it, and of
`portatune --help`: of the build folder, which needs the target portatune_python, or with --environment of a virtual
environment into which pip has installed the wheel and numpy.
"""

import argparse
import pathlib
import statistics
import tempfile

from harness import MINILM, PEERS, PORTATUNE, REVIEWS, ROOT, TASK, peer_python, report_seconds, run

ARGUMENTS = ["--model", MINILM, "--train", REVIEWS / "train.tsv", "--batch-size", 16, "--max-length", 128]
ARGUMENTS += ["--max-steps", 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="turns of each side")
    parser.add_argument("--imports", type=int, metavar="N", help="only the imports and --help, N turns of each")
    parser.add_argument("--environment", type=pathlib.Path, help="virtual environment with the wheel, for the imports")
    options = parser.parse_args()
    python = peer_python()
    if options.imports:
        return report_imports(python, options.imports, options.environment)
    cold, warm, peer = [], [], []
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(portatune_seconds(cache))
            warm.append(portatune_seconds(cache))
        peer.append(run(python, PEERS / "trainer.py", *ARGUMENTS)[1])
    report_seconds("startup_cold", cold, peer)
    report_seconds("startup_warm", warm, peer)
    report_imports(python, options.rounds, options.environment)


def report_imports(peer, rounds, environment):
    codes = {"numpy": "import numpy", "module": "import numpy, portatune; portatune.fit",
             "peer": "import numpy; from transformers import Trainer"}  # fmt: skip
    script, python, path = PORTATUNE, peer, {"PYTHONPATH": ROOT / "build" / "python"}
    if environment:
        script, python, path = environment / "bin" / "portatune", environment / "bin" / "python", {}
    seconds = {name: [] for name in [*codes, "help"]}
    for _ in range(rounds):
        for name, code in codes.items():
            seconds[name].append(run(peer if name == "peer" else python, "-c", code, environment=path)[1])
        seconds["help"].append(run(script, "--help")[1])
    for name, what in (("numpy", codes["numpy"]), ("module", "portatune with it"), ("peer", "transformers with it"),
                       ("help", "portatune --help")):  # fmt: skip
        best, median = 1000 * min(seconds[name]), 1000 * statistics.median(seconds[name])
        print(f"  {what:20} min {best:8.1f} ms   median {median:8.1f} ms", flush=True)


def portatune_seconds(cache):
    """Seconds of a run whose cache, and so its compiled programs, is in the folder `cache`."""
    with tempfile.TemporaryDirectory() as folder:
        command = [PORTATUNE, "fit", *TASK, *ARGUMENTS, "--output", f"{folder}/model"]
        return run(*command, environment={"XDG_CACHE_HOME": cache})[1]


if __name__ == "__main__":
    main()
