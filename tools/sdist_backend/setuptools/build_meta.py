"""Answers pip's questions about a source archive without running anything that the archive contains.

`pip download` of a source archive asks a build backend for the name and version. To us the archive is a data file:
the answer is its own PKG-INFO, its setup.py never runs, and the user's Python needs no setuptools.
"""

import email
import pathlib


class MetadataOnly:
    """The two hooks of PEP 517 that `pip download` calls; pip starts them in the unpacked archive."""

    def get_requires_for_build_wheel(self, config_settings=None):
        return []

    def prepare_metadata_for_build_wheel(self, metadata_directory, config_settings=None):
        package_info = pathlib.Path("PKG-INFO").read_text(encoding="utf-8")
        fields = email.message_from_string(package_info)
        dist_info = pathlib.Path(metadata_directory, f"{fields['Name']}-{fields['Version']}.dist-info")
        dist_info.mkdir()
        (dist_info / "METADATA").write_text(package_info, encoding="utf-8")
        return dist_info.name


__legacy__ = MetadataOnly()  # the name that pip uses for archives without a pyproject.toml
