"""Hazards of a run: kills, signals, and system calls that fail."""

import dataclasses
import errno
import random
import signal
import time

import lab

KILLED = 128 + signal.SIGKILL
# Exit codes of a run that could not read or write: see README.md.
REFUSED = {74, 77}

# Faults of each kind of call: errors, or fewer bytes. "+" means that all later calls fail, too.
FAULTS = {
    "write": ("ENOSPC", "EIO", "EINTR", "EDQUOT", "EFBIG", "short", "ENOSPC+", "EIO+", "short+"),
    "read": ("EIO", "EINTR", "short", "EIO+", "short+"),
    "open": ("EIO", "ENOSPC", "EMFILE", "EACCES", "EIO+", "EMFILE+"),
    "fsync": ("EIO", "ENOSPC", "EIO+"),
    "rename": ("EIO", "ENOSPC", "EACCES", "EIO+"),
    "mkdir": ("EIO", "ENOSPC", "EACCES", "ENOSPC+"),
    "unlink": ("EIO", "EACCES", "EROFS", "EIO+", "EACCES+"),
    "link": ("EMLINK", "ENOSPC", "EPERM", "EIO", "EPERM+"),
    "fallocate": ("ENOSPC", "EOPNOTSUPP", "EINTR", "EIO", "ENOSPC+", "EOPNOTSUPP+"),
    "close": ("EIO", "ENOSPC", "EINTR", "EIO+"),
    "flock": ("EIO", "ENOLCK", "EINTR", "ENOLCK+"),
    "mmap": ("ENOMEM", "ENODEV", "ENOMEM+"),
    "stat": ("EIO", "EACCES", "ENOMEM", "EIO+"),
    "list": ("EIO", "EMFILE", "EACCES", "EIO+"),
    "chmod": ("EPERM", "EIO", "EROFS", "EPERM+"),
    "connect": ("ECONNREFUSED", "ETIMEDOUT", "ENETUNREACH", "ECONNREFUSED+"),
    "send": ("ECONNRESET", "EPIPE", "EINTR", "short", "EPIPE+", "short+"),
    "recv": ("ECONNRESET", "ETIMEDOUT", "EINTR", "short", "ECONNRESET+", "short+"),
}
NETWORK = {"connect", "send", "recv"}


@dataclasses.dataclass(frozen=True)
class Moment:
    """A share of an undisturbed run's time, counted from its start or from its first output."""

    from_output: bool
    share: float

    @staticmethod
    def draw(rng):
        return Moment(rng.random() < 0.75, rng.uniform(0, 1.05))

    def wait(self, run, baseline, rank=0):
        begin, seconds = run.begin, baseline.seconds
        if self.from_output:
            lab.wait_for_output(run, rank)
            begin, seconds = time.monotonic(), baseline.seconds - baseline.seconds_to_output
        while time.monotonic() < begin + self.share * seconds and not run.has_ended(rank):
            time.sleep(0.001)


@dataclasses.dataclass(frozen=True)
class Signals:
    """One or two signals to one process at a moment; they may be SIGKILL."""

    numbers: tuple
    moment: Moment
    gap_s: float = 0.0  # between the first and the second signal
    rank: int = 0
    injection = None

    def act(self, run, baseline):
        """Returns the number of signals that the live process has received."""
        sent = 0
        self.moment.wait(run, baseline, self.rank)
        for i, number in enumerate(self.numbers):
            if i > 0:
                time.sleep(self.gap_s)
            if run.has_ended(self.rank):
                break
            run.signal(number, self.rank)
            sent += 1
        return sent

    def allows(self, code):
        """Whether a process may end with `code`. A stopped process has saved, or had nothing to save."""
        if signal.SIGKILL in self.numbers:
            return code in (0, KILLED)
        return code in (0, 75) or code - 128 in self.numbers

    def __str__(self):
        return f"signals {self.numbers} at {self.moment}"


@dataclasses.dataclass(frozen=True)
class Fault:
    """A fault of the injector at one call, or at this call and all later ones."""

    call: str
    count: int
    what: str
    rank: int = 0
    downloads: bool = False  # whether calls of the network reach the Hub, not another process

    @property
    def is_lasting(self):
        """Whether calls fail until the end of the run."""
        return self.what.endswith("+")

    @property
    def injection(self):
        name = self.what.rstrip("+")
        action = name if ":" in name or name == "short" else f"fail:{getattr(errno, name)}"
        later = {"SOAK_ON": "1"} if self.what.endswith("+") else {}
        return {"SOAK_CALL": self.call, "SOAK_AT": str(self.count), "SOAK_DO": action, **later}

    def act(self, run, baseline):
        return 0  # the injector acts

    def allows(self, code):
        if self.what == f"signal:{int(signal.SIGKILL)}":
            return code in (0, KILLED)
        if self.call in NETWORK:
            return code in ((0, 74) if self.downloads else (0, 69))
        is_unread = self.call in ("open", "read", "mmap", "stat", "list")  # such a file may be reported as damaged
        return code == 0 or code in REFUSED or (is_unread and code == 65)

    def __str__(self):
        return f"{self.what} at {self.call} {self.count}"


def kill(rng, rank=0):
    return Signals((signal.SIGKILL,), Moment.draw(rng), rank=rank)


def stop(rng, rank=0):
    """One or two signals; the second may come at once or a little later."""
    numbers = rng.choices((signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1), k=rng.choice((1, 1, 1, 2, 2)))
    return Signals(tuple(numbers), Moment.draw(rng), gap_s=rng.choice((0, 0.001, 0.02, 0.1)), rank=rank)


def place(setting, baseline, index):
    """Returns (name, count) of a call of an undisturbed run; all calls take turns, in a random order."""
    places = [(name, count + 1) for name, calls in sorted(baseline.calls.items()) for count in range(calls)]
    # Reads and opens are many and alike, so every kind of call is tried equally often.
    names = sorted(baseline.calls)
    name = names[index % len(names)]
    of_name = [place for place in places if place[0] == name]
    random.Random(f"{setting.name}/{name}").shuffle(of_name)
    return of_name[index // len(names) % len(of_name)]


def kill_at(setting, baseline, index, rank=0):
    name, count = place(setting, baseline, index)
    return Fault(name, count, f"signal:{int(signal.SIGKILL)}", rank)


def fault(setting, baseline, index, rng, rank=0):
    name, count = place(setting, baseline, index)
    return Fault(name, count, rng.choice(FAULTS[name]), rank, setting.downloads)


def of_kind(kind, setting, baseline, index, rng, rank=0):
    if kind == "kill":
        return kill(rng, rank)
    if kind == "stop":
        return stop(rng, rank)
    if kind == "kill at":
        return kill_at(setting, baseline, index, rank)
    return fault(setting, baseline, index, rng, rank)
