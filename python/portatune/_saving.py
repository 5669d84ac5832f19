"""Copies of models."""

import os
import pathlib
import shutil
import tempfile

from portatune._errors import usage_error
from portatune._rows import Path


def copy_model(model: pathlib.Path, folder: Path) -> pathlib.Path:
    """Copies a model without its checkpoints to a new or empty folder and returns its path. A copy that fails leaves
    nothing.

    Raises:
        UsageError: the path is a file, or a folder that is not empty
    """
    target = pathlib.Path(folder).resolve()
    exists = target.is_dir()
    if target.exists() and not exists:
        raise usage_error("save", f"{target}, which is a file", "a new or an empty folder", "choose another path")
    if exists and any(target.iterdir()):
        raise usage_error("save", f"{target}, which is not empty", "a new or an empty folder",
                          "choose another folder, or remove this one")
    target.parent.mkdir(parents=True, exist_ok=True)
    # An existing folder may be a volume of a container, which cannot be replaced.
    staging = pathlib.Path(tempfile.mkdtemp(prefix=f"tmp.{target.name}.", dir=target if exists else target.parent))
    try:
        shutil.copytree(model, staging, ignore=shutil.ignore_patterns("checkpoint-*"), dirs_exist_ok=True)
        if exists:
            for entry in staging.iterdir():
                entry.rename(target / entry.name)
            staging.rmdir()
        else:
            os.rename(staging, target)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise
    return target
