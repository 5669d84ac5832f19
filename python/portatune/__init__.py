"""Portatune as a Python package. It holds the command `portatune`; there is no Python API yet."""
