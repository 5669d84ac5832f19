#!/usr/bin/env python3
"""bench/python.py: seconds per training step from Python, beside those of the command for the same run.

The sides of each case take turns: the command, Trainer.fit() and a loop of one's own. In the case `quest` both have a
task written in Python, and fit_cpp is Trainer.fit() with the same task in C++ (examples/qa_regression.cpp), as the
command has it. Python runs with each of the chosen allocators. A figure is the mean of all steps of a turn after the
first five: wall seconds, and seconds of all cores, which depend less on other work. A ratio is the command's best over
that of Python; of task_in_python, C++'s best over that of Python. Needs `make build`, the target portatune_python and
the demo's model (tools/setup.sh --demo); the Python of the peers, for NumPy.
"""

import argparse
import csv
import importlib.util
import json
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from harness import MINILM, PORTATUNE, REVIEWS, ROOT, json_line, peer_python, report_load, run

OWN_TASK = "qa-regression"  # which examples/python/quest.py has in Python
WINDOW = 5  # steps between two records of times
OPTIONS = {"batch_size": 16, "max_length": 128, "padding": "max_length", "logging_steps": WINDOW, "quiet": True}
# Allocators of Python's process: the environment that it starts with.
ALLOCATORS = {
    "glibc": {},
    "unset_glibc": {"MALLOC_ARENA_MAX": "16"},  # the default; with a variable, the module changes no settings
    "one_arena": {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)},
    "huge_pages": {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"},
    "tcmalloc": {"LD_PRELOAD": "libtcmalloc_minimal.so.4"},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each side")
    parser.add_argument("--steps", type=int, default=20, help="timed steps in a turn")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--dtypes", nargs="+", choices=["float32", "bfloat16"], default=["float32", "bfloat16"])
    parser.add_argument("--kinds", nargs="+", choices=["fit", "loop"], default=["fit", "loop"])
    parser.add_argument("--allocators", nargs="+", choices=ALLOCATORS, default=["glibc", "tcmalloc"])
    parser.add_argument("--turn", help=argparse.SUPPRESS)  # of Python: a JSON object with what it runs
    arguments = parser.parse_args()
    if arguments.turn:
        return print(json.dumps({"times": turn(**json.loads(arguments.turn))}))
    with tempfile.TemporaryDirectory() as folder:
        for case in arguments.cases:
            options = {**OPTIONS, **CASES[case](pathlib.Path(folder)), "max_steps": WINDOW + arguments.steps}
            for dtype in arguments.dtypes:
                compare(f"{case}_{dtype}", {**options, "dtype": dtype}, arguments)


def reviews(_):
    """The options of a run on the demo's movie reviews."""
    return {"model": str(MINILM), "train": str(REVIEWS / "train.tsv"), "task": "text-classification"}


def quest(folder):
    """The options of the task of examples/python/quest.py, which the command has in C++, on words of the reviews."""
    words = (REVIEWS / "train.tsv").read_text(encoding="utf-8").split()
    choice = random.Random(0)
    with open(ROOT / "tests" / "data" / "quest" / "train.csv", encoding="utf-8", newline="") as file:
        columns = next(csv.reader(file))  # the texts, then the targets
    with open(folder / "quest.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, columns)
        table.writeheader()
        for _ in range(400):
            texts = {name: " ".join(choice.sample(words, 100)) for name in columns[:3]}
            table.writerow({**texts, **{name: choice.random() for name in columns[3:]}})
    return {"model": str(MINILM), "train": str(folder / "quest.csv"), "task": OWN_TASK, "batch_size": 8}


CASES = {"reviews": reviews, "quest": quest}


def example():
    spec = importlib.util.spec_from_file_location("quest", ROOT / "examples" / "python" / "quest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compare(name, options, arguments):
    """Prints the figures of a case: the seconds of a step on each side, and the page faults of its run."""
    sides = {"command": lambda: command(options)}
    kinds = ["fit_cpp", *arguments.kinds] if options["task"] == OWN_TASK else arguments.kinds
    for allocator in arguments.allocators:
        for kind in kinds:
            sides[f"{kind} {allocator}"] = lambda kind=kind, allocator=allocator: python(kind, options, allocator)
    wall, cores, faults = ({side: [] for side in sides} for _ in range(3))
    for _ in range(arguments.rounds):
        for side, one in sides.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
            times = one()
            faults[side].append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before)
            # A run records the loss of a step while it computes later ones, so single records are early or late.
            (begin, begin_cores), (end, end_cores), steps = times[0], times[-1], WINDOW * (len(times) - 1)
            wall[side].append((end - begin) / steps)
            cores[side].append((end_cores - begin_cores) / steps)
    report_load(f"{name}: ")
    for side in sides:
        print(f"  {side:16} wall min {min(wall[side]):7.4f} s   median {statistics.median(wall[side]):7.4f} s   "
              f"cores min {min(cores[side]):7.4f} s   page faults {min(faults[side]):9,}")
        report_ratios(f"{name}_{side.replace(' ', '_')}", wall, cores, "command", side)
    for allocator in arguments.allocators:
        of_cpp, of_python = f"fit_cpp {allocator}", f"fit {allocator}"
        if {of_cpp, of_python} <= sides.keys():
            report_ratios(f"{name}_task_in_python_{allocator}", wall, cores, of_cpp, of_python)


def report_ratios(name, wall, cores, first, second):
    """Prints the best seconds of the first side over those of the second one."""
    for kind, seconds in (("wall", wall), ("cores", cores)):
        print(f"RATIO {name}_{kind} {min(seconds[first]) / min(seconds[second]):.3f}", flush=True)


def command(options):
    """Times of the steps of the command, (wall, cores)."""
    words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items() if name != "quiet"]
    with tempfile.TemporaryDirectory() as folder:
        return logged([PORTATUNE, "fit", *words, "--quiet"], {}, pathlib.Path(folder, "model"), "--output")


def python(kind, options, allocator):
    """Times of the steps of Python, (wall, cores)."""
    environment = {"PYTHONPATH": f"{ROOT / 'build' / 'python'}:{ROOT / 'bench'}", **ALLOCATORS[allocator]}
    words = [peer_python(), __file__, "--turn", json.dumps({"kind": kind, "options": options})]
    if kind == "loop":
        return json_line(run(*words, environment=environment)[0])["times"]
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder, "model")
        words[-1] = json.dumps({"kind": kind, "options": {**options, "output": str(output)}})
        return logged(words, environment, output)


def logged(words, environment, output, *option):
    """Runs a process to its end. Returns its times at each record of metrics.jsonl in the folder `output`."""
    words = [*map(str, words), *([*option, str(output)] if option else [])]
    process = subprocess.Popen(words, env={**os.environ, "HF_HUB_OFFLINE": "1", **environment},
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    times = []
    while process.poll() is None:
        time.sleep(0.01)
        records = losses(output / "metrics.jsonl")
        if len(records) > len(times):
            times.append((records[-1]["seconds"], cores_of(process.pid)))
    if process.returncode != 0:
        sys.exit(f"{' '.join(words)}\nfailed with exit code {process.returncode}:\n{process.stderr.read()[-2000:]}")
    return times


def losses(path):
    """The records of steps in the log of a running program."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    return [record for record in (json.loads(line) for line in lines if line.endswith("\n")) if "loss" in record]


def cores_of(process):
    """Seconds that all threads of a process have computed."""
    fields = pathlib.Path("/proc", str(process), "stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def turn(kind, options):
    """Runs steps in this process, by fit() or by a loop. Returns the times of a loop."""
    import portatune

    if options["task"] == OWN_TASK and kind != "fit_cpp":
        options["task"] = example().Quest()
    trainer = portatune.Trainer(**options)
    if kind != "loop":
        return trainer.fit().result
    times = []
    for batch in trainer.batches():
        step = trainer.step(batch)
        if step.step % WINDOW == 0:
            float(step)  # waits for the step
            times.append((time.perf_counter(), time.process_time()))
    return times


if __name__ == "__main__":
    sys.exit(main())
