"""Layers with new parameters, for Task.forward(). The first argument is the scope that has them: model / "head"."""

from portatune._native import core

_names = [name for name in dir(core.nn) if not name.startswith("_")]
globals().update({name: getattr(core.nn, name) for name in _names})
__all__ = _names
