"""The states that a power cut can leave of recorded changes, by the guarantees of POSIX alone.

Bytes of a file are durable after an fsync of the file, a name after an fsync of its folder (of both folders, if a
rename has two). Of changes that are not durable any part may exist: each write or its first half, each name, in any
order. A rename is complete or absent. (As in ALICE: Pillai et al. 2014, "All file systems are not created equal".)
"""

import dataclasses
import itertools
import os
import random

ROOT = 0


@dataclasses.dataclass(eq=False)
class Step:
    """One change: bytes of a file, or names in folders. Files and folders have numbers, like inodes."""

    index: int  # index in the record
    text: str
    names: tuple = ()  # entries that it sets: (folder, name, file or None)
    file: int = None
    offset: int = 0
    content: bytes = None  # None: the file is cut to `offset` bytes
    unsynced: set = dataclasses.field(default_factory=set)  # files and folders that still need an fsync
    durable_from: float = float("inf")  # index of the fsync that makes it durable


class History:
    """The changes below a folder, starting from its content before.

    before   {path: bytes, or None for a folder}, all durable
    """

    def __init__(self, folder, before, changes):
        self.folder = folder
        self.folders = {ROOT: {}}  # the present state as the program sees it: {folder: {name: file}}
        self.initial_names, self.initial_bytes, self.steps = [], {}, []
        self._contents = {}
        self.synced_names = []  # (index, folder's path, names that its fsync has made durable)
        self._next = ROOT + 1
        for path, content in sorted(before.items()):
            self._set_initial(path, content)
        self.length = len(changes)
        for index, change in enumerate(changes):
            if all(self._is_below(path) for path in change.paths):
                self._add(index, change)

    def _is_below(self, path):
        return path.startswith(str(self.folder) + "/") or path == str(self.folder)

    def _set_initial(self, path, content):
        parent, name = self._find(os.path.dirname(path)), os.path.basename(path)
        file = self._new(is_folder=content is None)
        self.folders[parent][name] = file
        self.initial_names.append((parent, name, file))
        if content is not None:
            self.initial_bytes[file] = content

    def _new(self, is_folder):
        file, self._next = self._next, self._next + 1
        if is_folder:
            self.folders[file] = {}
        return file

    def _find(self, path):
        """Returns the number of a path relative to the folder; None if nothing exists there."""
        file = ROOT
        for name in filter(None, path.split("/")):
            file = self.folders.get(file, {}).get(name)
        return file

    def _place(self, path):
        path = os.path.relpath(path, self.folder)
        return self._find(os.path.dirname(path)), os.path.basename(path)

    def _file(self, path):
        return self._find("" if path == str(self.folder) else os.path.relpath(path, self.folder))

    def _add(self, index, change):
        text = " ".join((change.kind, *(os.path.relpath(path, self.folder) for path in change.paths)))
        if change.kind == "fsync":
            self._sync(index, self._file(change.paths[0]))
        elif change.kind in ("write", "truncate"):
            file = self._file(change.paths[0])
            content = change.content if change.kind == "write" else None
            self.steps.append(Step(index, text, file=file, offset=change.offset, content=content, unsynced={file}))
        else:
            names = self._names_set_by(change)
            for folder, name, file in names:
                if file is None:
                    self.folders[folder].pop(name, None)
                else:
                    self.folders[folder][name] = file
            self.steps.append(Step(index, text, names=names, unsynced={folder for folder, _, _ in names}))

    def _names_set_by(self, change):
        places = [self._place(path) for path in change.paths]
        files = [self._file(path) for path in change.paths]
        if change.kind in ("create", "mkdir"):
            return ((*places[0], self._new(change.kind == "mkdir")),)
        if change.kind == "unlink":
            return ((*places[0], None),)
        if change.kind == "link":
            return ((*places[1], files[0]),)
        if change.kind == "rename":
            return ((*places[0], None), (*places[1], files[0]))
        if change.kind == "exchange":
            return ((*places[0], files[1]), (*places[1], files[0]))
        raise ValueError(change.kind)

    def _sync(self, index, file):
        names = []
        for step in self.steps:
            if file in step.unsynced:
                step.unsynced.discard(file)
                if not step.unsynced:
                    step.durable_from = index
                    names += [name for folder, name, entry in step.names if folder == file and entry is not None]
        if names:
            self.synced_names.append((index, self._path_of(file), names))

    def _path_of(self, wanted, folder=ROOT, path=""):
        if folder == wanted:
            return path
        for name, entry in self.folders[folder].items():
            if entry in self.folders:
                found = self._path_of(wanted, entry, f"{path}/{name}".lstrip("/"))
                if found is not None:
                    return found
        return None

    def pending(self, length):
        """Returns the steps of the first `length` changes that are not durable at that point."""
        return [step for step in self.steps if step.index < length <= step.durable_from]

    def tree(self, length, omitted=(), torn=None):
        """Returns the files after a cut behind the first `length` changes: {path: bytes, or None for a folder}."""
        folders, writes = {}, {}
        for folder, name, file in self.initial_names:
            folders.setdefault(folder, {})[name] = file
        for step in self.steps:
            if step.index >= length:
                break
            if step in omitted:
                continue
            for folder, name, file in step.names:
                folders.setdefault(folder, {})[name] = file
            if step.file is not None:
                writes.setdefault(step.file, []).append((step, step is torn))
        return dict(self._walk(ROOT, "", folders, writes))

    def _content(self, file, writes):
        """Returns the bytes of a file after its writes (step, is_torn); the same object for the same writes."""
        key = (file, *writes)
        if key not in self._contents:
            content = self.initial_bytes.get(file, b"")
            for step, is_torn in writes:
                content = changed(content, step, is_torn)
            self._contents[key] = content
        return self._contents[key]

    def _walk(self, folder, path, folders, writes):
        for name, file in sorted(folders.get(folder, {}).items()):
            if file is None:
                continue
            place = f"{path}{name}"
            if file in self.folders:
                yield place, None
                yield from self._walk(file, place + "/", folders, writes)
            else:
                yield place, self._content(file, writes.get(file, ()))


def changed(content, step, is_torn):
    if step.content is None:
        return content[:step.offset].ljust(step.offset, b"\0")
    part = step.content[:len(step.content) // 2] if is_torn else step.content
    return content[:step.offset].ljust(step.offset, b"\0") + part + content[step.offset + len(part):]


@dataclasses.dataclass(frozen=True)
class State:
    """The state after a power cut."""

    length: int  # number of changes before the cut
    text: str  # the missing changes
    omitted: frozenset
    torn: Step


def states(history, rng, samples=2):
    """All cuts: all steps, durable steps only, without one pending step or with half of it, and random samples."""
    for length in range(history.length + 1):
        pending = history.pending(length)
        yield State(length, "nothing missing", frozenset(), None)
        yield State(length, "without all pending steps", frozenset(pending), None)
        for step in pending:
            yield State(length, f"without {step.text}", frozenset([step]), None)
            if step.content:
                yield State(length, f"with half of {step.text}", frozenset(), step)
        for _ in range(samples if len(pending) > 1 else 0):
            omitted = [step for step in pending if rng.random() < 0.5]
            yield State(length, "without " + "; ".join(step.text for step in omitted), frozenset(omitted), None)


def finished(tree):
    """Returns the part of a tree that is not in unfinished folders (tmp.*), which the next start removes."""
    return {path: content for path, content in tree.items()
            if not any(part.startswith("tmp.") for part in path.split("/")[:-1])}


def distinct(history, rng):
    """Returns (one state of each class, other distinct states); a class differs only in unfinished folders (tmp.*)."""
    seen, classes = set(), set()
    first, others = [], []
    for state in states(history, rng):
        tree = history.tree(state.length, state.omitted, state.torn)
        key = hash(frozenset(tree.items()))
        if key in seen:
            continue
        seen.add(key)
        visible = hash(frozenset(finished(tree).items()))
        (others if visible in classes else first).append(state)
        classes.add(visible)
    for group in (first, others):
        rng.shuffle(group)
    return first, others


def shuffled(history, seed):
    """Returns all distinct states in the order of trials: first one of each class, alternately a cut at the end and an
    earlier cut."""
    first, others = distinct(history, random.Random(seed))
    ends = [state for state in first if state.length == history.length]
    cuts = [state for state in first if state.length < history.length]
    in_turn = [state for pair in itertools.zip_longest(ends, cuts) for state in pair if state]
    return in_turn + others
