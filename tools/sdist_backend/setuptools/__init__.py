"""Stands in for setuptools while tools/setup.sh downloads a source archive. See build_meta.py."""
