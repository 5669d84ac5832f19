#!/usr/bin/env python3
"""Makes an archive of at most 60 MB that checks a GPU on a machine without a network: `make gpu-check`.

usage: tools/gpu_check_archive.py WHEEL CPU_PLUGIN ARCHIVE

The archive, a .tar.xz, has the command and the libraries of the wheel, the XLA plugin for CPUs, tools/gpu_check.py and
the data that it needs: of the test cases, those that go first and one of each architecture. There:

    tar xf portatune-gpu-check.tar.xz
    portatune-gpu-check/run --budget 600
"""

import pathlib
import shutil
import sys
import tarfile
import tempfile
import zipfile

import gpu_check

ROOT = pathlib.Path(__file__).resolve().parents[1]
NAME = "portatune-gpu-check"
FILES = ("tools/gpu_check.py", "tools/page_data.py", "bench/peers/train_step.py")
# What page_data.py reads of tests/data, and the test cases that it needs beside those of gpu_check.py.
DATA = ("tiny_bert", "chat", "image/processors", "tokenizer/languages.json", "tokenizer/marian.json", "quest/train.csv",
        "arrow", "coltran", "speech_languages", "speech_seq2seq")
PAGE_CASES = ("ast_softmax", "bigbirdpegasus_lm", "bigbirdsparse_softmax", "electra_pretraining", "marian_lm", "mbart_lm",
              "qwen2_lm", "wav2vec2_language", "wav2vec2_model", "wav2vec2_pretraining_noise", "wav2vec2_stable")
# Parts of the wheel that the command can do without.
UNUSED = ("portatune/lib/_core*", "**/libportatune_arrow.so", "share")
RUN = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec python3 -B "$here/tools/gpu_check.py" --command "$here/wheel/portatune/bin/portatune" "$@"
"""


def cases():
    """Returns the names of the test cases in the archive."""
    first_of_architecture = {}
    for name in sorted(path.name for path in gpu_check.CASES.iterdir()):
        first_of_architecture.setdefault(name.split("_")[0], name)
    return {*gpu_check.FIRST_CASES, *PAGE_CASES, *first_of_architecture.values()}


def copy(path, folder):
    """Copies a file or folder of this repository to the same place below `folder`."""
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if (ROOT / path).is_dir():
        shutil.copytree(ROOT / path, target)
    else:
        shutil.copy(ROOT / path, target)


def fill(folder, wheel, plugin):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "wheel")
    for pattern in UNUSED:
        for path in (folder / "wheel").glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    command = folder / "wheel" / "portatune" / "bin" / "portatune"
    command.chmod(0o755)
    shutil.copy(plugin, command.parent)
    for path in (*FILES, *(f"tests/data/{name}" for name in DATA), *(f"tests/data/models/{name}" for name in cases())):
        copy(path, folder)
    run = folder / "run"
    run.write_text(RUN)
    run.chmod(0o755)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    wheel, plugin, archive = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary, NAME)
        fill(folder, wheel, plugin)
        archive.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive, "w:xz", preset=9) as packed:
            packed.add(folder, NAME)
    print(f"{archive}: {archive.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
