"""The script `portatune`: replaces this process with the command, which then has the same signals and exit code.

The command finds its own files beside itself. This module gives it the places of XLA plugins in Python packages. It
imports as little as it can, because each start of the command waits for that.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn

_HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = os.path.join(_HERE, "bin", "portatune")

# Environment variable of a plugin -> its places below a folder of packages.
_PLUGINS = {
    "PORTATUNE_CPU_PLUGIN": ["xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"],
    "PORTATUNE_CUDA_PLUGIN": ["jax_plugins/xla_cuda13/xla_cuda_plugin.so", "jax_plugins/xla_cuda12/xla_cuda_plugin.so"],
    "PORTATUNE_TPU_PLUGIN": ["libtpu/libtpu.so"],
}

_CPU_FACTS = "/proc/cpuinfo"
# Instruction sets of x86-64-v3, which the command is compiled for, by their names in /proc/cpuinfo.
_INSTRUCTIONS = {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}


def _missing_instructions() -> list[str]:
    """Returns the names of instruction sets that the command needs and this CPU lacks."""
    try:
        with open(_CPU_FACTS, encoding="ascii", errors="replace") as file:
            flags = next((line for line in file if line.startswith("flags")), None)
    except OSError:
        return []
    # Other architectures have no such line.
    return sorted(_INSTRUCTIONS - set(flags.split(":", 1)[1].split())) if flags else []


def _plugins(folders: Iterable[str]) -> dict[str, str]:
    """Returns the paths of plugins by environment variable, without those that the user has set."""
    found = {}
    for variable, places in _PLUGINS.items():
        if os.environ.get(variable):
            continue
        paths = (os.path.join(folder, place) for folder in folders for place in places)
        path = next(filter(os.path.exists, paths), None)
        if path:
            found[variable] = path
    return found


def _package_folders() -> list[str]:
    """Returns the folders of Python packages. That of this package is first: its dependencies are usually there."""
    return [os.path.dirname(_HERE), *filter(None, sys.path)]


def main() -> NoReturn:
    """Runs the command with the arguments of this process. Does not return."""
    missing = _missing_instructions()
    if missing:
        sys.exit(f"portatune: this CPU lacks {', '.join(missing)}\n"
                 "  expected  a CPU of 2013 or later: Intel Haswell, AMD Excavator")
    python = {"PORTATUNE_PYTHON": os.environ.get("PORTATUNE_PYTHON") or sys.executable}  # of `portatune run`
    os.execve(COMMAND, [COMMAND, *sys.argv[1:]], {**os.environ, **python, **_plugins(_package_folders())})
