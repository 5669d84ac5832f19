"""Code shared by the tests of this folder. CTest sets PORTATUNE_BUILD to the folder in which they build."""

import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
PROJECT = pathlib.Path(__file__).resolve().parent / "project"
# A folder beside the build folder of the tests, so that ccache finds the same files by the same relative paths.
BUILD = pathlib.Path(os.environ["PORTATUNE_BUILD"])

# Open MPI refuses root and more processes than cores by default.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def run(*words, **settings):
    """Runs a command; a failure includes its output."""
    done = attempt(*words, **settings)
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode}: {done.args}\n{done.stdout}{done.stderr}")
    return done.stdout


def attempt(*words, environment=None, **settings):
    return subprocess.run([str(word) for word in words], env={**os.environ, **(environment or {})}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **settings)


def make(*words):
    """Runs make in the repository for the build folder BUILD, independent of a make that runs the tests."""
    alone = {name: "" for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    run("make", *words, f"BUILD={BUILD}", cwd=ROOT, environment=alone)


def fit(output, *more):
    """The arguments of a short training run on toy data."""
    return ["fit", "--model", DATA / "tiny_bert", "--train", DATA / "toy" / "train.csv", "--max-length", 16,
            "--batch-size", 4, "--max-steps", 2, "--output", output, *more]


def empty(folder):
    shutil.rmtree(folder, ignore_errors=True)
    return folder
