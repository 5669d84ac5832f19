"""Crash states: the files that a power cut during a command can leave, and the result of the next start."""

import collections
import dataclasses
import os
import pathlib

import chains
import lab
import power_cut
import recording
import settings


@dataclasses.dataclass(frozen=True)
class Scenario:
    """A command that is cut off, in a folder with the output of an older command."""

    setting: settings.Setting
    older: str = ""
    cold: bool = False  # whether it compiles, so that the cut also affects the cache of programs


OVERWRITE = f"fit {settings.TABLE} --output out --overwrite-output"
SCENARIOS = (
    Scenario(settings.fit("checkpoints and final save", settings.TABLE)),
    Scenario(settings.fit("one checkpoint is kept", f"{settings.TABLE} --keep-checkpoints 1 --max-steps 4", every=1)),
    Scenario(settings.fit("checkpoints of two processes", f"{settings.BERT} --train toys/train.csv --batch-size 16 "
                          "--epochs 2 --mesh fsdp=2", processes=2)),
    Scenario(settings.command("model in place of an older one", OVERWRITE),
             older=f"fit {settings.TABLE} --output out --checkpoint-every 4 --seed 7"),
    Scenario(settings.command("cache of programs", f"{OVERWRITE} --steps-per-epoch 1"), cold=True),
    Scenario(settings.SHARDS, older=" ".join(settings.SHARDS.words).replace("train.csv", "more.csv")),
    Scenario(settings.command("predictions", "predict --model toys/tuned --data toys/validation.csv --output out.jsonl",
                              "out.jsonl"), older="predict --model toys/tuned --data toys/more.csv --output out.jsonl"),
)


class Starts:
    """The starts of a scenario that had the right result. A start does the same from another state that has the same
    names, and the same bytes in all files that it has seen."""

    def __init__(self):
        self.number = 0
        self._by_names = collections.defaultdict(list)  # (tree, files whose bytes do not matter)

    def add(self, tree, unseen):
        self.number += 1
        self._by_names[names_in(tree)].append((tree, unseen))

    def covers(self, tree):
        """Whether a start from this state would do what one of these starts has done."""
        return any(all(content == other[path] or path in unseen for path, content in tree.items())
                   for other, unseen in self._by_names[names_in(tree)])


def names_in(tree):
    return frozenset((path, content is None) for path, content in tree.items())


@dataclasses.dataclass
class Recording:
    """An undisturbed run of a scenario, and the states that a power cut can leave."""

    history: power_cut.History
    states: list
    older: dict  # results before the run
    newer: dict
    starts: Starts = dataclasses.field(default_factory=Starts)
    checked: set = dataclasses.field(default_factory=set)  # hashes of (length, finished files) of states without losses
    left: set | None = None  # numbers of the states that have had no trial


def crashes(the_lab, index, rng):
    """Starts the command from a state that a power cut can leave. `rng` is not used: states have numbers."""
    scenario, number = SCENARIOS[index % len(SCENARIOS)], index // len(SCENARIOS)
    recorded = recorded_run(the_lab, scenario)
    if number >= len(recorded.states):
        is_last = all(not recorded_run(the_lab, other).states[number:] for other in SCENARIOS)
        return chains.Outcome(scenario.setting.name, skipped=True, is_last=is_last)
    outcome = crash(the_lab, scenario, recorded, recorded.states[number], f"crashes-{index}")
    recorded.left.discard(number)
    if not recorded.left:
        print(f"{scenario.setting.name}: all states are tried, by {recorded.starts.number} starts", flush=True)
    return outcome


def recorded_run(the_lab, scenario):
    return the_lab.once(scenario.setting.name, lambda: record(the_lab, scenario))


def crash(the_lab, scenario, recorded, state, name):
    where = f"{scenario.setting.name}, cut at {state.length} of {recorded.history.length}, {state.text}"
    outcome = chains.Outcome(where, tried=1)
    tree = recorded.history.tree(state.length, state.omitted, state.torn)
    finished = power_cut.finished(tree)
    is_covered, key = recorded.starts.covers(finished), hash((state.length, frozenset(finished.items())))
    if is_covered and key in recorded.checked:
        return outcome
    baseline = the_lab.baseline(scenario.setting)
    trial = the_lab.trial(scenario.setting, name, scenario.cold or is_covered)
    write_tree(trial.folder, tree)
    for kind, text in losses(trial, state, recorded):
        outcome.add(kind, text)
    if not outcome.problems:
        recorded.checked.add(key)
    if is_covered:
        return outcome
    try:
        chains.require_end(trial, outcome, {"SOAK_RECORD": str(trial.folder / "record")})
        seen = {os.path.relpath(path, trial.folder) for path in recording.seen_paths(trial.folder / "record")}
        for path in (tree.keys() - finished.keys()) & seen:
            if tree[path] is not None:
                outcome.add("leftovers", f"{path} is used")
        unseen = unseen_files(trial, finished, seen)
        chains.compare(trial, baseline, outcome)
        chains.look_for_leftovers(trial, baseline, outcome)
    except lab.Hang:
        outcome.add("hangs", "no end")
    if not outcome.problems:
        recorded.starts.add(finished, unseen)
    return outcome


def unseen_files(trial, tree, seen):
    """Returns the files of a tree that the start has not seen and that are not part of its result."""
    return {path for path, content in tree.items() if content is not None and path not in seen
            and (lab.is_record(pathlib.Path(path)) or not (trial.folder / path).exists())}


def record(the_lab, scenario):
    baseline = the_lab.baseline(scenario.setting)
    trial = the_lab.trial(scenario.setting, f"recording of {scenario.setting.name}", scenario.cold)
    if scenario.older:
        alone = dataclasses.replace(scenario.setting, words=tuple(scenario.older.split()), processes=1)
        older_trial = lab.Trial(the_lab, alone, trial.folder, baseline.cache)
        the_lab.run_well(older_trial)
    before = read_tree(trial.folder, scenario.cold)
    older = lab.results_in(trial)
    file = trial.folder / "record"
    the_lab.run_well(trial, {"SOAK_RECORD": str(file)})
    ours = [f"{trial.folder}/{name}/" for name in lab.OURS - ({"cache"} if scenario.cold else set())]
    changes = [change for change in recording.changes(file)
               if not any(path.startswith(folder) for path in change.paths for folder in ours)]
    history = power_cut.History(trial.folder, before, changes)
    if history.tree(history.length) != read_tree(trial.folder, scenario.cold):
        raise RuntimeError(f"{scenario.setting.name}: the replay of the record differs from the command's files")
    states = power_cut.shuffled(history, seed=1)
    print(f"{scenario.setting.name}: a power cut can leave {len(states)} states", flush=True)
    return Recording(history, states, older, baseline.results, left=set(range(len(states))))


def read_tree(folder, with_cache):
    """Returns {path: bytes, or None for a folder} of the command's output."""
    entries = [*lab.new_entries_of(folder), *([folder / "cache"] if with_cache else [])]
    paths = [path for entry in entries for path in (entry, *entry.rglob("*"))]
    return {str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes() for path in paths}


def write_tree(folder, tree):
    for path, content in tree.items():
        if content is None:
            (folder / path).mkdir(exist_ok=True)
        else:
            (folder / path).write_bytes(content)


def losses(trial, state, recorded):
    """Yields (kind, text) of promised files that are missing, and of files that are neither old nor new."""
    results = lab.results_in(trial)
    if state.length == recorded.history.length:
        missing = sorted(path for path, content in recorded.newer.items() if results.get(path) != content)
        if missing:
            yield "lost", f"the command had ended, and {', '.join(missing)} is missing"
    for folder, step in promised(state.length, recorded.history).items():
        is_finished = (trial.folder / folder / "training_run.json").exists()
        if not is_finished and lab.checkpoints_in(trial.folder).get(folder, -1) < step:
            yield "lost", f"{folder}/checkpoint-{step} was saved, and is missing"
    for path, content in recorded.older.items():
        if lab.is_in_checkpoint(pathlib.Path(path)) or path.endswith("training_run.json"):
            continue
        if results.get(path) not in (content, recorded.newer.get(path)):
            yield "different bits", f"{path} is neither the older one nor the new one"


def promised(length, history):
    """Returns {folder: step of the newest checkpoint whose name an fsync has made durable before the cut}."""
    steps = {}
    for index, folder, names in history.synced_names:
        for name in names:
            match = lab.CHECKPOINT.fullmatch(name)
            if match and index < length and not folder.startswith("tmp."):
                steps[folder] = max(steps.get(folder, -1), int(match[1]))
    return steps
