#!/usr/bin/env python3
"""soak/soak.py: disturbs the command in every way that it promises to survive, and compares bits. `make soak` runs it.

Each trial is a function of --seed, its part and its number. A failure prints the command that repeats it. Trials write
to one folder, which is removed at the end unless a trial has failed. The exit code is 0 without failures, else 1.
"""

import argparse
import collections
import itertools
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback

import chains
import crashes
import lab
import mutants

# Each part with its share of the trials.
PARTS = {"kills": (chains.kills, 5), "faults": (chains.faults, 5), "signals": (chains.signals, 2),
         "processes": (chains.processes, 1), "downloads": (chains.downloads, 1), "crashes": (crashes.crashes, 5),
         "mutants": (mutants.mutants, 5)}
KINDS = ("different bits", "lost", "leftovers", "exit codes", "hangs")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command portatune")
    parser.add_argument("--injector", type=pathlib.Path, required=True, help="the library of inject.c")
    parser.add_argument("--minutes", type=float, help="minutes during which trials are started")
    parser.add_argument("--trials", type=int, help="number of trials, in place of --minutes")
    parser.add_argument("--parts", default=",".join(PARTS), help="parts to run, separated by commas")
    parser.add_argument("--settings", type=int, help="number of settings of each kind (default: all)")
    parser.add_argument("--only", metavar="PART:NUMBER", help="run this trial alone")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first trial of each part")
    parser.add_argument("--jobs", type=int, default=2, help="number of parallel trials")
    parser.add_argument("--timeout", type=float, default=120, help="seconds after which a run counts as a hang")
    parser.add_argument("--scratch", type=pathlib.Path, help="folder for the trials (default: temporary)")
    return parser.parse_args()


def plan(options, report):
    """Yields (part, number) of each trial, until no part has further ones."""
    if options.only:
        part, number = options.only.split(":")
        yield part, int(number)
        return
    cycle = [part for part in options.parts.split(",") for _ in range(PARTS[part][1])]
    random.Random(0).shuffle(cycle)
    numbers = {part: itertools.count(options.first) for part in PARTS}
    parts = itertools.cycle(cycle)
    limit = itertools.count() if options.trials is None else range(options.trials)
    for _ in limit:
        if report.exhausted.issuperset(cycle):
            return
        part = next(part for part in parts if part not in report.exhausted)
        yield part, next(numbers[part])


def shortened(text, most=1000):
    return text if len(text) <= most else f"{text[:most // 2]} ... {text[-most // 2:]}"


class Report:
    """Counts the problems of trials; prints each problem when it is found, and a table at the end."""

    def __init__(self, repeat):
        self.repeat = repeat  # the command line of a trial without --only
        self.parts = collections.defaultdict(collections.Counter)
        self.lock = threading.Lock()
        self.exhausted = set()  # parts without further trials
        self.broken = ""  # the reason why no more trials can run
        self.stopped = False  # whether the user has stopped the trials

    def add(self, part, number, outcome):
        with self.lock:
            counts = self.parts[part]
            counts["trials"] += not outcome.skipped
            if outcome.is_last:
                self.exhausted.add(part)
            counts["tried"] += outcome.tried
            counts["survived"] += outcome.tried if not outcome.problems else 0
            for kind in {kind for kind, _ in outcome.problems}:
                counts[kind] += 1
            for kind, text in outcome.problems:
                print(f"{kind}: {shortened(text)}\n  repeat with  {self.repeat} --only {part}:{number}", flush=True)

    @property
    def failures(self):
        return sum(counts[kind] for counts in self.parts.values() for kind in KINDS)

    def table(self):
        columns = ("trials", "tried", "survived", *KINDS)
        lines = [["part", *columns]]
        for part in PARTS:
            if part in self.parts:
                lines.append([part, *(str(self.parts[part][column]) for column in columns)])
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in lines)


def run(the_lab, options, report):
    """Runs all trials, several at a time."""
    minutes = float("inf") if options.minutes is None else options.minutes
    deadline, trials, lock = time.monotonic() + 60 * minutes, plan(options, report), threading.Lock()
    workers = [threading.Thread(target=work, args=(the_lab, trials, lock, deadline, options.seed, report))
               for _ in range(options.jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def work(the_lab, trials, lock, deadline, seed, report):
    """Runs trials until none is left, the time is over, or the harness itself fails."""
    while time.monotonic() < deadline and not report.broken and not report.stopped:
        with lock:
            trial = next(trials, None)
        if trial is None:
            return
        part, number = trial
        try:
            outcome = PARTS[part][0](the_lab, number, random.Random(f"{seed}/{part}/{number}"))
        except Exception:
            report.broken = f"trial {part}:{number} fails in the harness:\n{traceback.format_exc()}"
            return
        report.add(part, number, outcome)
        if not outcome.problems:
            shutil.rmtree(the_lab.folder / "trials" / f"{part}-{number}", ignore_errors=True)


def handle_signals(report):
    """Lets Ctrl-C and SIGTERM end the soak with the table. Handlers keep commands from inheriting nohup's ignored signals."""
    def stop(*_):
        report.stopped = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    for number in (signal.SIGHUP, signal.SIGUSR1):
        signal.signal(number, lambda *_: None)


def main():
    options = arguments()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="portatune-soak.", dir=options.scratch))
    repeat = f"python3 {sys.argv[0]} --command {options.command} --injector {options.injector} --seed {options.seed}"
    if options.settings:
        repeat += f" --settings {options.settings}"
    report = Report(repeat)
    handle_signals(report)
    the_lab = lab.Lab(options.command, options.injector, folder, options.timeout, options.settings)
    run(the_lab, options, report)
    print(report.table())
    if report.broken:
        print(report.broken)
    if report.failures or report.broken:
        print(f"{report.failures} failures; their folders are in {folder / 'trials'}")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
