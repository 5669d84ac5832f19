"""Reads the record of inject.c: a program's calls and their changes to files."""

import collections
import dataclasses

NUMBER_OF_PATHS = {"link": 2, "rename": 2, "exchange": 2}
SEEING_CALLS = {"open", "read", "mmap", "stat"}


@dataclasses.dataclass(frozen=True)
class Change:
    """A change of files: create, mkdir, write, truncate, fsync, unlink, link, rename or exchange."""

    kind: str
    paths: tuple
    offset: int = 0  # offset of a write, or the new size after truncate
    content: bytes = b""


@dataclasses.dataclass(frozen=True)
class Call:
    """A call that may fail, such as read, and the path of its file or folder."""

    name: str
    path: str


def read(file):
    """Yields the calls and the changes."""
    content, at = file.read_bytes(), 0
    while at < len(content):
        end = content.index(b"\n", at)
        kind, *fields = content[at:end].decode().split("\t")
        at = end + 1
        if kind == "call":
            yield Call(*fields)
        elif kind == "write":
            path, offset, size = fields[0], int(fields[1]), int(fields[2])
            yield Change(kind, (path,), offset, content[at:at + size])
            at += size
        elif kind == "truncate":
            yield Change(kind, (fields[0],), int(fields[1]))
        else:
            yield Change(kind, tuple(fields[:NUMBER_OF_PATHS.get(kind, 1)]))


def calls(file):
    return [entry for entry in read(file) if isinstance(entry, Call)]


def count_calls(file):
    return collections.Counter(call.name for call in calls(file))


def changes(file):
    return [entry for entry in read(file) if isinstance(entry, Change)]


def seen_paths(file):
    """Returns the paths of files and folders that a program has opened, or whose status it knows, by the names that
    they had when it started."""
    paths, moves = set(), []
    for entry in read(file):
        if isinstance(entry, Change):
            moves += [entry] if len(entry.paths) == 2 else []
        elif entry.name in SEEING_CALLS:
            paths.add(path_before(moves, entry.path))
    return paths


def path_before(moves, path):
    """Returns the name that a path had before links, renames and exchanges."""
    for move in reversed(moves):
        old, new = move.paths
        if is_at_or_below(path, new):
            path = old + path[len(new):]
        elif move.kind == "exchange" and is_at_or_below(path, old):
            path = new + path[len(old):]
    return path


def is_at_or_below(path, folder):
    return path == folder or path.startswith(folder + "/")
