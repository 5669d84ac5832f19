"""The compiled part of the package: its functions as `core`, and its classes."""

import os

from portatune import _command

_missing = _command._missing_instructions()
if _missing:
    raise ImportError(f"portatune: this CPU lacks {', '.join(_missing)}; "
                      "expected a CPU of 2013 or later: Intel Haswell, AMD Excavator")

from portatune.lib import _core as core  # noqa: E402  (after the check: it runs such instructions)

__all__ = ["Batch", "Completion", "Encoding", "Model", "Scope", "Step", "Tokenizer", "Value", "core"]

Batch = core.Batch
Completion = core.Completion
Encoding = core.Encoding
Model = core.Model
Scope = core.Scope
Step = core.Step
Tokenizer = core.Tokenizer
Value = core.Value

# The library looks for XLA plugins where these variables point to.
os.environ.update(_command._plugins(_command._package_folders()))
