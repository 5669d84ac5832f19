"""Includes: a folder includes headers of itself and of the folders that its CMakeLists.txt says it uses, and no others."""

import functools
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "portatune"
PUBLIC = ROOT / "include" / "portatune"

# The folder that implements each public header; those of tasks are in a folder of that name. portatune.h includes all
# of them.
FOLDERS_OF_PUBLIC_HEADERS = {
    "audio": ["audio"],
    "base": ["error", "option_fields", "process_group", "tensor"],
    "chat": ["chat"],
    "data": ["data", "packing", "sources"],
    "generate": ["generation"],
    "graph": ["convolution", "ctc_loss", "graph", "ops"],
    "hub": ["hub"],
    "image": ["image"],
    "io": ["json_object"],
    "metrics": ["metrics"],
    "models": ["audio_models", "color_models", "models", "speech_models"],
    "nn": ["nn"],
    "run": ["run"],
    "runtime": ["device"],
    "tasks": ["tasks"],
    "text": ["text", "text_languages"],
    "train": ["train"],
}  # fmt: skip
LIBRARY = re.compile(r"portatune_library\((\w+)(.*?)\)\n", re.DOTALL)
INCLUDE = re.compile(r'^#include "portatune/([^"]+)"', re.MULTILINE)


@functools.cache
def uses():
    """Folder of each library -> folders that it uses directly."""
    found = {}
    for path in SOURCES.rglob("CMakeLists.txt"):
        for name, rest in LIBRARY.findall(path.read_text()):
            found[folder_of_library(name)] = {folder_of_library(used) for used in re.findall(r"portatune_(\w+)", rest)}
    return found


def folder_of_library(name):
    return "kernels" if name == "kernels_cpu" else name


@functools.cache
def usable_from(folder):
    found = {folder}
    for used in uses()[folder]:
        found |= usable_from(used)
    return found


def folder_of_header(header):
    if "/" in header:
        return header.split("/")[0]
    return next(folder for folder, names in FOLDERS_OF_PUBLIC_HEADERS.items() if header.removesuffix(".h") in names)


class Layers(unittest.TestCase):
    def test_every_public_header_has_one_folder(self):
        listed = sorted(name for names in FOLDERS_OF_PUBLIC_HEADERS.values() for name in names)
        self.assertEqual(listed, sorted(path.stem for path in PUBLIC.glob("*.h") if path.stem != "portatune"))

    def test_sources_include_used_folders_alone(self):
        for folder in uses():
            for path in sorted((SOURCES / folder).rglob("*")):
                if path.suffix in (".h", ".cpp"):
                    self.check(path, folder)

    def test_public_headers_include_used_folders_alone(self):
        for folder, names in FOLDERS_OF_PUBLIC_HEADERS.items():
            for name in names:
                self.check(PUBLIC / f"{name}.h", folder)
        for path in PUBLIC.glob("*/*.h"):
            self.check(path, path.parent.name)

    # An installation has no headers of src.
    def test_public_headers_include_public_headers_alone(self):
        for path in sorted(PUBLIC.rglob("*.h")):
            for header in INCLUDE.findall(path.read_text()):
                with self.subTest(file=path.name, includes=header):
                    self.assertTrue((PUBLIC / header).is_file())

    def check(self, path, folder):
        for header in INCLUDE.findall(path.read_text()):
            if header != "portatune.h":
                with self.subTest(file=str(path.relative_to(ROOT)), includes=header):
                    self.assertIn(folder_of_header(header), usable_from(folder))


if __name__ == "__main__":
    unittest.main()
