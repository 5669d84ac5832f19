"""Runs commands in separate folders, and inspects their output."""

import collections
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time

import hub
import recording
import settings
import toys

CHECKPOINT = re.compile(r"checkpoint-(\d+)")
OURS = {"toys", "cache", "tmp", "log", "fired", "record"}  # entries of a trial's folder that the harness makes
# Records of a run in its output folder. They contain times, so they differ between equal runs.
RECORDS = {"metrics.jsonl", "evaluations.jsonl", "training_args.json", "trainer_state.json", "README.md", "report.html",
           "report.json", "runs"}
LAUNCH_VARIABLES = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "PORTATUNE_LAUNCH_TIMEOUT_S")
LAUNCH_TIMEOUT_S = 20  # the longest wait for a process that was killed before it joined
REMOTE_TIMEOUT_S = 5  # the longest wait for the Hub


class Hang(Exception):
    """A process did not end by itself within the time limit."""


@dataclasses.dataclass
class Ended:
    """How the processes of a command ended."""

    codes: list  # exit codes as of a shell: 128 + n for the end by signal n
    peak_bytes: int  # the largest resident memory of a process
    fired: bool  # whether the injector has caused its fault


@dataclasses.dataclass
class Baseline:
    """An undisturbed run of a setting."""

    cache: pathlib.Path  # the compiled programs
    folder: pathlib.Path  # folder of the run
    seconds: float
    seconds_to_output: float  # time until it begins to write a result or a checkpoint
    calls: collections.Counter  # number of calls that the injector counts, by name
    results: dict  # value of results_in()
    paths: set  # value of paths_in()


class Run:
    """A started command: one process, or several that train together."""

    def __init__(self, processes, trial, timeout):
        self.processes = processes
        self.trial = trial
        self.begin = time.monotonic()
        self._timed_out = threading.Event()
        self._timer = threading.Timer(timeout, self._end_all)
        self._timer.start()

    def _end_all(self):
        self._timed_out.set()
        for rank in range(len(self.processes)):
            self.signal(signal.SIGKILL, rank)

    def signal(self, number, rank=0):
        """Sends a signal, unless wait() has collected the process. Popen.send_signal() would collect it itself."""
        process = self.processes[rank]
        if process.returncode is None:
            os.kill(process.pid, number)

    def has_ended(self, rank=0):
        """Whether a process has ended; wait() can still collect it."""
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.processes[rank].pid, flags) is not None

    def wait(self):
        codes, peak = [], 0
        for process in self.processes:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            codes.append(process.returncode if process.returncode >= 0 else 128 - process.returncode)
            peak = max(peak, usage.ru_maxrss * 1024)
        self._timer.cancel()
        if self._timed_out.is_set():
            raise Hang
        return Ended(codes, peak, (self.trial.folder / "fired").exists())


class Trial:
    """A folder in which one command runs repeatedly."""

    def __init__(self, lab, setting, folder, cache=None):
        self.lab, self.setting, self.folder = lab, setting, folder
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "tmp").mkdir(parents=True)
        (folder / "toys").symlink_to(lab.toys)
        if cache:
            shutil.copytree(cache, folder / "cache")
        else:
            (folder / "cache").mkdir()

    def start(self, injection=None, injected_rank=None, words=None):
        """Starts the processes of the command.

        injection  variables of the injector (inject.c), for the process `injected_rank` or, without a rank, for all
        """
        (self.folder / "fired").unlink(missing_ok=True)
        port = free_port() if self.setting.processes > 1 else None
        processes = []
        for rank in range(self.setting.processes):
            environment = self.environment()
            if port:
                values = (rank, self.setting.processes, "127.0.0.1", port, LAUNCH_TIMEOUT_S)
                environment.update(zip(LAUNCH_VARIABLES, map(str, values)))
            if injection and injected_rank in (None, rank):
                environment.update(injection, LD_PRELOAD=str(self.lab.injector), SOAK_FIRED=str(self.folder / "fired"),
                                   SOAK_UNDER=f"{self.folder}:{self.lab.toys}")
            with open(self.folder / "log", "ab") as log:
                processes.append(subprocess.Popen(
                    [self.lab.command, *(words or self.setting.words)], cwd=self.folder, env=environment,
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True))
        return Run(processes, self, self.lab.timeout)

    def environment(self):
        """Returns the environment without variables that change the command: those of a launcher or an outer soak."""
        ours = {name: value for name, value in os.environ.items()
                if not name.startswith("SOAK_") and name not in LAUNCH_VARIABLES}
        return ours | {"XDG_CACHE_HOME": str(self.folder / "cache"), "TMPDIR": str(self.folder / "tmp"),
                       "HF_HOME": str(self.folder / "hub"), "HF_ENDPOINT": self.lab.hub.url,
                       "HF_HUB_OFFLINE": "0" if self.setting.downloads else "1", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
                       "PORTATUNE_REMOTE_TIMEOUT": str(REMOTE_TIMEOUT_S)}

    def run(self, injection=None, words=None):
        return self.start(injection, words=words).wait()

    def log(self):
        return (self.folder / "log").read_text(errors="replace")


class Lab:
    """The toys, and the baselines of settings, below one folder."""

    def __init__(self, command, injector, folder, timeout=120, most_settings=None):
        self.command, self.injector = command.resolve(), injector.resolve()
        self.folder, self.timeout, self.most_settings = folder.resolve(), timeout, most_settings
        self.toys = self.folder / "toys"
        self.hub = hub.Hub(self.toys)
        self._made, self._locks = {}, collections.defaultdict(threading.Lock)
        toys.make_all(self.toys)
        for name, words in settings.MORE_TOYS.items():
            trial = Trial(self, settings.command(name, words), self.folder / "more")
            self.run_well(trial)
            (trial.folder / name).rename(self.toys / name)

    def some(self, options):
        """Returns the first settings of a list, at most `most_settings`."""
        return options[:self.most_settings]

    @staticmethod
    def run_well(trial, injection=None):
        ended = trial.run(injection)
        if any(ended.codes):
            raise RuntimeError(f"{trial.setting.name} ends with {ended.codes}:\n{trial.log()[-2000:]}")

    def trial(self, setting, name, cold=False):
        return Trial(self, setting, self.folder / "trials" / name, None if cold else self.baseline(setting).cache)

    def baseline(self, setting):
        return self.once(f"baseline of {setting.name}", lambda: self._measure(setting))

    def once(self, name, make):
        """Returns the result of `make`, which is called only the first time."""
        with self._locks[name]:
            if name not in self._made:
                self._made[name] = make()
            return self._made[name]

    def _measure(self, setting):
        folder = self.folder / "baselines" / setting.name.replace(" ", "_")
        first = Trial(self, setting, folder / "first")
        self.run_well(first)
        cache = first.folder / "cache"
        recorded = Trial(self, setting, folder / "recorded", cache)
        self.run_well(recorded, {"SOAK_RECORD": str(recorded.folder / "record")})
        trial = Trial(self, setting, folder / "again", cache)
        run = trial.start()
        wait_for_output(run)
        seconds_to_output = time.monotonic() - run.begin
        run.wait()
        baseline = Baseline(
            cache=cache, folder=trial.folder, seconds=time.monotonic() - run.begin, seconds_to_output=seconds_to_output,
            calls=recording.count_calls(recorded.folder / "record"), results=results_in(trial), paths=paths_in(trial))
        for other in (first, recorded):
            if results_in(other) != baseline.results:
                raise RuntimeError(f"{setting.name}: two undisturbed runs differ: {first.folder} and {other.folder}")
        return baseline


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


def wait_for_output(run, rank=0):
    """Returns when the command has begun to write a result or a checkpoint, or has ended."""
    folders = (run.trial.folder, run.trial.folder / "out")
    before = {entry for folder in folders for entry in names_in(folder)} | OURS | RECORDS | {"out", ".portatune-lock"}
    while not run.has_ended(rank) and all(names_in(folder) <= before for folder in folders):
        time.sleep(0.002)


def names_in(folder):
    try:
        return set(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return set()


def new_entries_of(folder):
    return (entry for entry in folder.iterdir() if entry.name not in OURS)


def is_in_checkpoint(path):
    return any(CHECKPOINT.fullmatch(part) for part in path.parts)


def is_record(path):
    return not RECORDS.isdisjoint(path.parts)


def paths_in(trial):
    """Returns the paths in the folder, without the harness's own files, records, and the contents of checkpoints."""
    entries = new_entries_of(trial.folder)
    paths = {path.relative_to(trial.folder) for entry in entries for path in (entry, *entry.rglob("*"))}
    temporary = {f"tmp/{path.name}" for path in (trial.folder / "tmp").iterdir()}
    return {str(path) for path in paths if not is_in_checkpoint(path) and not is_record(path)} | temporary


def results_in(trial):
    """Returns {path: hash} of the files of the result, and of the arrays of the newest checkpoint."""
    files = [trial.folder / path for path in paths_in(trial)]
    for folder, step in checkpoints_in(trial.folder).items():
        files += sorted((trial.folder / folder / f"checkpoint-{step}").glob("*.safetensors"))
    return {str(file.relative_to(trial.folder)): hash_of(file, trial.folder) for file in files if file.is_file()}


def hash_of(file, folder):
    """Returns a hash of a file's content that does not depend on the path of the folder in it."""
    return hashlib.sha256(file.read_bytes().replace(str(folder).encode(), b"FOLDER")).hexdigest()


def checkpoints_in(folder):
    """Returns {folder with checkpoints: the step of the newest complete one}."""
    newest = {}
    for path in folder.glob("out/**/checkpoint-*"):
        step, parent = CHECKPOINT.fullmatch(path.name), str(path.parent.relative_to(folder))
        is_unfinished = "/tmp." in parent  # a staging folder is renamed or removed as a whole
        if step and not is_unfinished and is_whole(path):
            newest[parent] = max(newest.get(parent, -1), int(step[1]))
    return newest


def is_whole(checkpoint):
    arrays = list(checkpoint.glob("*.safetensors"))
    return (checkpoint / "training_state.json").exists() and len(arrays) >= 2 and all(map(is_whole_file, arrays))


def is_whole_file(file):
    """Whether a safetensors file is as long as its header says."""
    content = file.read_bytes()
    if len(content) < 8:
        return False
    (size,) = struct.unpack("<Q", content[:8])
    try:
        header = json.loads(content[8:8 + size])
    except ValueError:
        return False
    ends = [tensor["data_offsets"][1] for name, tensor in header.items() if name != "__metadata__"]
    return len(content) == 8 + size + max(ends, default=0)
