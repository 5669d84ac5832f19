"""Copies of models."""

import os
import pathlib
import shutil
import tempfile

from portatune._errors import usage_error
from portatune._rows import Path


def copy_model(model: pathlib.Path, folder: Path) -> pathlib.Path:
    """Copies a model without its checkpoints to a new or empty folder, completely or not at all; returns its path.

    Raises:
        UsageError: the folder is not empty
    """
    target = pathlib.Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise usage_error("save", f"{target}, which {'is not empty' if target.is_dir() else 'is a file'}",
                          "a new or an empty folder", "choose another folder, or remove this one")
    target.parent.mkdir(parents=True, exist_ok=True)
    staging = tempfile.mkdtemp(prefix=f"tmp.{target.name}.", dir=target.parent)
    try:
        shutil.copytree(model, staging, ignore=shutil.ignore_patterns("checkpoint-*"), dirs_exist_ok=True)
        os.rename(staging, target)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise
    return target
