"""Includes: a folder includes headers of itself and of the folders that its CMakeLists.txt says it uses, and no others."""

import functools
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "portatune"
PUBLIC = ROOT / "include" / "portatune"

# The folders that implement the public headers; those of tasks are in a folder of that name. portatune.h includes all of
# them.
FOLDERS_OF_PUBLIC_HEADERS = {
    "base": ["error", "option_fields", "process_group", "tensor"],
    "chat": ["chat"],
    "data": ["data", "sources"],
    "generate": ["generation"],
    "graph": ["graph", "ops"],
    "hub": ["hub"],
    "io": ["json_object"],
    "media/audio": ["media"],
    "media/image": ["media"],
    "metrics": ["metrics"],
    "models": ["media_models", "models"],
    "nn": ["nn"],
    "run": ["run"],
    "runtime": ["device"],
    "tasks": ["tasks"],
    "text": ["text"],
    "train": ["train"],
}  # fmt: skip
# The module of Python is no library of portatune_library(), but has its folders in one call, too.
LIBRARY = re.compile(r"(?:portatune_library\(|target_link_libraries\(portatune_(?=python))(\w+)(.*?)\)\n", re.DOTALL)
INCLUDE = re.compile(r'^#include "portatune/([^"]+)"', re.MULTILINE)


@functools.cache
def uses():
    """Folder of each library -> folders of the libraries that it uses directly."""
    libraries = {
        name: (path.parent.relative_to(SOURCES).as_posix(), re.findall(r"portatune_(?!warnings)(\w+)", rest))
        for path in SOURCES.rglob("CMakeLists.txt")
        for name, rest in LIBRARY.findall(path.read_text())
    }
    return {folder: {libraries[used][0] for used in names} for folder, names in libraries.values()}


def folder_of(path):
    """The folder of the library that has a file, by the path of the file in src/portatune."""
    return next((str(folder) for folder in path.parents if str(folder) in uses()), path.parts[0])


@functools.cache
def usable_from(folder):
    found = {folder}
    for used in uses()[folder]:
        found |= usable_from(used)
    return found


def folders_of_header(header):
    if "/" in header:
        return {folder_of(pathlib.PurePath(header))}
    return {folder for folder, names in FOLDERS_OF_PUBLIC_HEADERS.items() if header.removesuffix(".h") in names}


class Layers(unittest.TestCase):
    def test_every_public_header_has_a_folder(self):
        listed = {name for names in FOLDERS_OF_PUBLIC_HEADERS.values() for name in names}
        self.assertEqual(listed, {path.stem for path in PUBLIC.glob("*.h") if path.stem != "portatune"})

    def test_sources_include_used_folders_alone(self):
        for folder in uses():
            for path in sorted((SOURCES / folder).rglob("*")):
                if path.suffix in (".h", ".cpp") and folder_of(path.relative_to(SOURCES)) == folder:
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
                    folders = folders_of_header(header)
                    self.assertFalse(folders.isdisjoint(usable_from(folder)), f"{folder} does not use {folders}")


if __name__ == "__main__":
    unittest.main()
