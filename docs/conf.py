"""The documentation as a site: `make docs`. The pages are those of the repository. The site adds the menu, which follows
the tables of docs/README.md, the help texts of all commands (docs/options.md), the functions of the Python package
(docs/python-reference.md) and the public headers (docs/development/headers.md)."""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import python_reference  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]

project = "Portatune"
version = release = re.search(r"project\(\w+\s+VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
extensions = ["myst_parser"]
root_doc = "docs/README"
include_patterns = ["*.md", "docs/**.md"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"Portatune {version}"
html_copy_source = False
html_show_copyright = False
pygments_style, pygments_dark_style = "friendly", "monokai"
# Code of indented blocks is mostly commands, or output.
highlight_language = "none"

PROJECT_PAGES = ("README", "CHANGELOG", "ARCHITECTURE", "CONTRIBUTING", "SECURITY")


def menu(index):
    """A toctree for each section of the index, of the pages that it links to."""
    trees = []
    for section in re.split(r"(?m)^##? ", index)[1:]:
        pages = re.findall(r"\]\(([\w/-]+)\.md\)", section)
        if pages:
            trees.append((section.splitlines()[0], dict.fromkeys(pages)))
    trees.append(("Project", [f"../{page}" for page in PROJECT_PAGES]))
    return "".join(f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"
                   for caption, pages in trees)


def help_of(words):
    return subprocess.run([os.environ["PORTATUNE_COMMAND"], *words, "--help-all"], check=True, capture_output=True,
                          text=True).stdout


def verbs(help_text):
    """The commands that a help text lists."""
    listed = re.search(r"(?ms)^Commands\n(.*?)\n\n", help_text + "\n\n")
    return re.findall(r"(?m)^  ([a-z-]+)(?:\s|$)", listed[1]) if listed else []


def all_helps(words=()):
    text = help_of(words)
    inner = verbs(text)
    if words:
        yield f"\n## portatune {' '.join(words)}\n\n```none\n{text.rstrip()}\n```\n"
    for verb in inner:
        yield from all_helps((*words, verb))


def all_headers():
    """The public headers, each below the sentence that begins it."""
    for header in sorted((ROOT / "include" / "portatune").rglob("*.h")):
        text = header.read_text()
        comment = re.match(r"(?://.*\n)+", text)[0]
        about = " ".join(line.removeprefix("//").strip() for line in comment.splitlines())
        code = text[len(comment):].replace("#pragma once\n", "").strip()
        yield f"\n## {header.relative_to(ROOT / 'include')}\n\n{about}\n\n```cpp\n{code}\n```\n"


def complete(app, page, source):
    if page == root_doc:
        source[0] += menu(source[0])
    if page == "docs/options":
        source[0] += "".join(all_helps())
    if page == "docs/python-reference":
        stubs = pathlib.Path(os.environ["PORTATUNE_COMMAND"]).parent / "python" / "portatune" / "lib" / "_core"
        source[0] += "".join(python_reference.reference(stubs))
    if page == "docs/development/headers":
        source[0] += "".join(all_headers())


def add_start(app, error):
    """Forwards index.html to the page of the index."""
    if error is None:
        (pathlib.Path(app.outdir) / "index.html").write_text(
            '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=docs/README.html">'
            '<title>Portatune</title><a href="docs/README.html">Portatune</a>\n')


def setup(app):
    app.connect("source-read", complete)
    app.connect("build-finished", add_start)
