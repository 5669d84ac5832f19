"""Chains: a command is disturbed and repeated several times, and must give the result of an undisturbed run."""

import dataclasses
import pathlib
import random
import re

import hazards
import lab
import settings


@dataclasses.dataclass
class Outcome:
    """The result of a trial."""

    what: str  # description of the trial
    tried: int = 0  # kills, signals, faults, states or inputs
    problems: list = dataclasses.field(default_factory=list)  # (kind, what was seen)
    skipped: bool = False  # whether there is no trial of this number
    is_last: bool = False  # whether there is none of a higher number either

    def add(self, kind, text):
        self.problems.append((kind, f"{self.what}: {text}"))


LONGEST = 6  # maximal number of links of a chain
# Paths of models and checkpoints that could not replace their target (docs/training/checkpoints.md).
RESCUED = re.compile(r"(.*/)?[\w-]+\.rescued-\w+")
# The rest of an older output if calls fail until the end: it may contain files of users.
REST = re.compile(r"(.*/)?rest\.")


def kills(the_lab, index, rng):
    """SIGKILL at random times and at chosen calls."""
    setting, number = choice(2 * the_lab.some(settings.FITS) + the_lab.some(settings.COMMANDS), index)

    def draw(baseline, link):
        if rng.random() < 0.5:
            return hazards.kill(rng)
        return hazards.kill_at(setting, baseline, number * LONGEST + link)

    return chain(the_lab, f"kills-{index}", setting, draw, rng.randint(1, LONGEST), cold=rng.random() < 0.03)


def faults(the_lab, index, rng):
    """Calls that fail."""
    setting, number = choice(2 * the_lab.some(settings.FITS) + the_lab.some(settings.COMMANDS), index)

    def draw(baseline, link):
        return hazards.fault(setting, baseline, number * LONGEST + link, rng)

    return chain(the_lab, f"faults-{index}", setting, draw, rng.randint(1, LONGEST), cold=rng.random() < 0.03)


def signals(the_lab, index, rng):
    """SIGTERM, SIGINT, SIGHUP and SIGUSR1, one or two in a row."""
    setting, _ = choice(the_lab.some(settings.FITS) + the_lab.some(settings.COMMANDS), index)
    return chain(the_lab, f"signals-{index}", setting, lambda baseline, link: hazards.stop(rng), rng.randint(1, 4),
                 cold=rng.random() < 0.1)


def processes(the_lab, index, rng):
    """Several processes: one is killed or stopped, or cannot read or write."""
    setting, number = choice(the_lab.some(settings.GROUPS), index)

    def draw(baseline, link):
        rank = rng.randrange(setting.processes)
        kind = rng.choice(("kill", "kill", "kill at", "stop", "fault"))
        return hazards.of_kind(kind, setting, baseline, number * LONGEST + link, rng, rank)

    return chain(the_lab, f"processes-{index}", setting, draw, rng.randint(1, 3))


def downloads(the_lab, index, rng):
    """Models of the Hub: the command is killed, or calls fail, also those of the network."""
    setting, number = choice(the_lab.some(settings.DOWNLOADS), index)

    def draw(baseline, link):
        kind = rng.choice(("kill", "kill at", "fault", "fault"))
        return hazards.of_kind(kind, setting, baseline, number * LONGEST + link, rng)

    return chain(the_lab, f"downloads-{index}", setting, draw, rng.randint(1, LONGEST))


def choice(options, index):
    """Returns (an option, the number of its earlier turns); the options take turns in a fixed random order."""
    order = list(options)
    random.Random(0).shuffle(order)
    return order[index % len(order)], index // len(order)


def chain(the_lab, name, setting, draw, length, cold=False):
    outcome = Outcome(setting.name)
    baseline = the_lab.baseline(setting)
    trial = the_lab.trial(setting, name, cold)
    drawn = [draw(baseline, i) for i in range(length)]
    try:
        finished = any(link(trial, baseline, hazard, outcome) for hazard in drawn)
        if not finished:
            require_end(trial, outcome)
        compare(trial, baseline, outcome)
        is_lasting = any(isinstance(hazard, hazards.Fault) and hazard.is_lasting for hazard in drawn)
        look_for_leftovers(trial, baseline, outcome, allowed=(RESCUED, REST) if is_lasting else (RESCUED,))
    except lab.Hang:
        outcome.add("hangs", f"no end within {the_lab.timeout} s")
    return outcome


def link(trial, baseline, hazard, outcome):
    """Runs the command under a hazard; returns whether it has succeeded."""
    before = unfinished_checkpoints(trial)
    log = len(trial.log()) if (trial.folder / "log").exists() else 0
    run = trial.start(hazard.injection, hazard.rank)
    sent = hazard.act(run, baseline)
    ended = run.wait()
    outcome.tried += max(sent, ended.fired)
    for rank, code in enumerate(ended.codes):
        if not (hazard.allows(code) if rank == hazard.rank else is_end_of_other(hazard, code, trial.setting)):
            outcome.add("exit codes", f"{hazard}: process {rank} ends with {code}: {tail(trial)}")
    lost = lost_checkpoints(trial, before)
    if lost:
        outcome.add("lost", f"{hazard}: {lost}")
    # A failed call may make a checkpoint unreadable, so that the run starts again.
    is_whole_run = not any(ended.codes) and not isinstance(hazard, hazards.Fault)
    if is_whole_run and before and trial.setting.trains and "resuming from" not in trial.log()[log:]:
        outcome.add("lost", f"{hazard}: the run ignores {before}")
    for output in damaged_outputs(trial, baseline):
        outcome.add("different bits", f"{hazard}: {output} is not whole")
    return not any(ended.codes)


def is_end_of_other(hazard, code, setting):
    """Whether a process that was not hit may end with `code`: that of the hit process, or 69 or 75 in a process group."""
    return hazard.allows(code) and code != hazards.KILLED or (setting.processes > 1 and code in (69, 75))


def unfinished_checkpoints(trial):
    """Returns {folder: step} of the newest checkpoints of runs that have not finished."""
    return {folder: step for folder, step in lab.checkpoints_in(trial.folder).items()
            if not (trial.folder / folder / "training_run.json").exists()}


def lost_checkpoints(trial, before):
    after = lab.checkpoints_in(trial.folder)
    for folder, step in before.items():
        is_finished = (trial.folder / folder / "training_run.json").exists()
        if not is_finished and after.get(folder, -1) < step:
            return f"{folder}/checkpoint-{step} is no longer there"
    return None


def damaged_outputs(trial, baseline):
    """Returns the output files that exist and differ from the baseline: a file must be absent or complete."""
    results = {} if trial.setting.trains else lab.results_in(trial)
    return [path for path in results.keys() & set(trial.setting.outputs) if results[path] != baseline.results[path]]


def require_end(trial, outcome, injection=None):
    ended = trial.run(injection)
    if any(ended.codes):
        outcome.add("exit codes", f"undisturbed: {ended.codes}: {tail(trial)}")


def compare(trial, baseline, outcome):
    results = lab.results_in(trial)

    def is_same(path):
        if path not in results:  # a failed save of the last checkpoint is a warning, as the model is saved
            return lab.is_in_checkpoint(pathlib.Path(path))
        return results[path] == baseline.results[path]

    different = sorted(path for path in baseline.results if not is_same(path))
    # Calls that fail to the end may leave no checkpoint of the best step.
    may_lack_best = "--load-best-model-at-end" in trial.setting.words
    is_reported = "has no valid checkpoint: the model is that of step" in trial.log()
    if different and not (may_lack_best and is_reported):
        outcome.add("different bits", ", ".join(different))


def look_for_leftovers(trial, baseline, outcome, allowed=(RESCUED,)):
    """Checks that another start removes the leftovers of killed runs, except outputs rescued to another folder."""
    if not leftovers(trial, baseline, allowed):
        return
    require_end(trial, outcome)
    left = leftovers(trial, baseline, allowed)
    if left:
        outcome.add("leftovers", ", ".join(left))


def leftovers(trial, baseline, allowed):
    more = sorted(lab.paths_in(trial) - baseline.paths)
    return [path for path in more if not any(pattern.match(path) for pattern in allowed)]


def tail(trial):
    """Returns the last lines of the command's report."""
    return " | ".join(trial.log().strip().split("\n")[-4:])
