"""Folders of runs, and those that live as long as an object."""

import os
import pathlib
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from typing import Any

from portatune import _errors
from portatune._native import core


def output_of(output: Any, options: Mapping[str, Any]) -> pathlib.Path | None:
    """Returns the output of a run, given or of its recipe; None for a temporary folder, which has nothing to resume."""
    recipe = options.get("recipe")
    if output is None and isinstance(recipe, (str, os.PathLike)):
        output = core.output_of(os.fspath(recipe)) or None
    if output is None:
        if options.get("resume") or options.get("resume_from_checkpoint") is True:
            raise _errors.usage_error("resume", "no output", "the folder of the run that continues",
                                      "output=\"FOLDER\"")
        return None
    if not isinstance(output, (str, os.PathLike)):
        raise _errors.usage_error("output", _errors.kind_of(output), "a path")
    return pathlib.Path(output)


class TemporaryFolder:
    """A temporary folder, which is removed with this object."""

    path: pathlib.Path

    def __init__(self) -> None:
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="portatune-"))
        self._remove = weakref.finalize(self, _remove, self.path, os.getpid())

    def keep_checkpoints(self) -> None:
        """Leaves the folder where it is, if a model in it has checkpoints."""
        if any(self.path.glob("*/checkpoint-*")):
            self._remove.detach()


def _remove(folder: pathlib.Path, process: int) -> None:
    """Removes a folder, unless this is a forked copy of the process that made it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
