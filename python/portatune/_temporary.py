"""Folders that live as long as an object."""

import os
import pathlib
import shutil
import tempfile
import weakref


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
