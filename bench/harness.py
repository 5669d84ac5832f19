"""Code shared by the benchmarks: paths, runs of both sides, and reports of figures.

A figure is a table of Portatune and its peer, measured alternately within one run so that both have the same
conditions, and a last line `RATIO <name> <value>`: the peer's best time over Portatune's, so above 1 Portatune is
faster. Other work on the machine affects the best (smallest) time least; the table also has the median.
"""

import html
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "portatune")
PORTATUNE = ROOT / "build" / "portatune"
PEERS = ROOT / "bench" / "peers"
MINILM = CACHE / "demo" / "minilm"
REVIEWS = CACHE / "demo" / "movie_reviews"
# Options of `portatune fit` for the demo's task.
TASK = ["--task", "text-classification", "--text-column", "text", "--label-column", "label", "--head", "sigmoid"]


def peer_python():
    """The Python of the environment PORTATUNE_BENCH_VENV, or of one in the cache with the peers (several GB)."""
    folder = pathlib.Path(os.environ.get("PORTATUNE_BENCH_VENV") or CACHE / "bench" / "venv")
    python = folder / "bin" / "python"
    complete = folder / ".complete"
    if "PORTATUNE_BENCH_VENV" not in os.environ and not complete.exists():
        print(f"installing the peers into {folder}", file=sys.stderr)
        install(folder, "-r", PEERS / "requirements.txt")
        complete.touch()
    return python


def install(folder, *packages):
    """Makes a virtual environment with the packages; returns its Python."""
    venv.create(folder, with_pip=True, clear=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return python


def run(*command, environment=None):
    """Runs a command to its end; returns (its standard output, seconds from its start to its end)."""
    begin = time.perf_counter()
    done = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, "HF_HUB_OFFLINE": "1", **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nfailed with exit code {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout, seconds


def json_line(printed):
    """The last line of what a command printed that is a JSON object."""
    return json.loads([line for line in printed.splitlines() if line.startswith("{")][-1])


def compare_by_seed(name, seeds, figure, portatune, peer):
    """Prints a figure whose best value is 1: of both sides for each seed, their means, and the ratio of mean errors."""
    values = {"portatune": [], "peer": []}
    for seed in seeds:
        values["portatune"].append(portatune(seed))
        values["peer"].append(peer(seed))
        print(f"seed {seed}: {figure} portatune {values['portatune'][-1]:.4f}   peer {values['peer'][-1]:.4f}", flush=True)
    for side, of_side in values.items():
        mean = statistics.mean(of_side)
        print(f"  {side:8} mean {mean:.4f}   lowest {min(of_side):.4f}   highest {max(of_side):.4f}")
    error, error_of_peer = (1 - statistics.mean(of_side) for of_side in values.values())
    print(f"RATIO {name} {error_of_peer / error if error else math.inf:.3f}", flush=True)


def svg_text(x, y, words, **attributes):
    given = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x}" y="{y}"{given}>{html.escape(words)}</text>'


def svg(width, height, font_size, parts):
    """A picture with a white background."""
    body = "\n".join([f'<rect width="{width}" height="{height}" fill="white"/>', *parts])
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
            f'font-size="{font_size}">\n{body}\n</svg>\n')  # fmt: skip


def report_load(prefix=""):
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{prefix}{os.cpu_count()} CPUs, load {load}", flush=True)


def report_seconds(name, portatune, peer):
    report_load(f"{name}: ")
    for side, seconds in (("portatune", portatune), ("peer", peer)):
        print(f"  {side:8} min {min(seconds):8.3f} s   median {statistics.median(seconds):8.3f} s   n {len(seconds)}")
    print(f"RATIO {name} {min(peer) / min(portatune):.3f}", flush=True)
