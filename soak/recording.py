"""Reads the record of inject.c: a program's calls and their changes to files."""

import collections
import dataclasses

NUMBER_OF_PATHS = {"link": 2, "rename": 2, "exchange": 2}


@dataclasses.dataclass(frozen=True)
class Change:
    """A change of files: create, mkdir, write, truncate, fsync, unlink, link, rename or exchange."""

    kind: str
    paths: tuple
    offset: int = 0  # offset of a write, or the new size after truncate
    content: bytes = b""


def read(file):
    """Yields the changes, and the name (a string) of each call that may fail."""
    content, at = file.read_bytes(), 0
    while at < len(content):
        end = content.index(b"\n", at)
        kind, *fields = content[at:end].decode().split("\t")
        at = end + 1
        if kind == "call":
            yield fields[0]
        elif kind == "write":
            path, offset, size = fields[0], int(fields[1]), int(fields[2])
            yield Change(kind, (path,), offset, content[at:at + size])
            at += size
        elif kind == "truncate":
            yield Change(kind, (fields[0],), int(fields[1]))
        else:
            yield Change(kind, tuple(fields[:NUMBER_OF_PATHS.get(kind, 1)]))


def count_calls(file):
    return collections.Counter(entry for entry in read(file) if isinstance(entry, str))


def changes(file):
    return [entry for entry in read(file) if isinstance(entry, Change)]
