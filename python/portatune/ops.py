"""Operations on values of the graph, for Task.forward(). Operators (+, @, x[:, 0]) and methods (x.sum(-1)) are those of
Value."""

from portatune._native import core

_names = [name for name in dir(core.ops) if not name.startswith("_")]
globals().update({name: getattr(core.ops, name) for name in _names})
__all__ = _names
