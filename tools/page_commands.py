#!/usr/bin/env python3
"""Runs every command of the README and of the pages of docs/ on tiny models and toy data.

usage: tools/page_commands.py BUILD [--page FILE]... [--only TEXT] [--cache FOLDER] [--list]

BUILD     a build folder: README's build/portatune is its command
--page    a page; README.md and all pages of docs/ by default
--only    commands that contain TEXT
--cache   a folder for compiled programs, which later calls load; by default they are not kept
--list    prints the commands and the action for each, and runs none

Commands are the lines of code blocks (with a prompt `$ `, if a block has prompts). The commands of a page run as
written, one after the other, in one folder with the files of page_data.py, so a page may predict with the model that it
has trained. In the README, the code in tables and sentences that begins like a command runs, too; for a command that a
sentence mentions without options, the help is shown. There a command unknown to this script is an error; blocks of
other pages may have other lines. A command that does not end as RULES expects is an error.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import page_data

ROOT = pathlib.Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PROGRAMS = re.compile(r"(\w+=\S* )*(build/portatune|portatune|mpirun|make|git|P)( |$)")
# Lines of blocks of docs/ that run, with the programs that prepare or read the files of a command.
COMMANDS = re.compile(r"(\w+=\S* )*(build/portatune|portatune|mpirun|cp|grep|printf|zcat) ")
# README may define the first word P of a command.
SHORT = re.compile(r"`P` is short for `([^`]+)`")
# Options that `...` means, unless the command has them.
REST = "--model bert --train train.csv --validation dev.csv --output tuned"
# Commands that make the output folders and files that pages begin with.
PREPARATION = (
    f"portatune fit {REST}",
    "cp -r tuned faster && cp -r tuned seed7",
    "for name in train dev; do portatune tfrecord write --input $name.csv --output $name.tfrecord; done",
)
# Commands that cannot end with 0 here: their beginning or a part of them, the action, and the reason. The first match
# counts. A number is the expected exit code: the command line is parsed, and the run ends there.
DRY = "dry run"
SKIP = "not run"
RULES = (
    (r"^git clone", SKIP, "the repository is there"),
    (r"^portatune run ", SKIP, "the script is the reader's own"),
    (r"^make ", DRY, "the commands run with what make build has built"),
    (r"machine\d|/shared/|--hostfile", SKIP, "needs several machines"),
    (r"\bhf:", 2, "no network: data of the Hub are refused"),
    (r"\b(s3://|gs://|https://)", 74, "no network"),
    (r"plugin install", 74, "no network: the package index is an address where nothing listens"),
    (r"--device (cuda|tpu)|--against (cuda|tpu)", 69, "no plugin and no such device"),
    (r"parity --against bfloat16", 1, "the gradients of so small a model differ by more than the tolerance"),
    (r"--train scores.csv .*--output tuned$", 76, "the page shows a loss that is not finite"),
    (r"plan --on (cuda|tpu):[^, ]+(,(cuda|tpu):[^, ]+)* ", 69, "no plugin"),
)


def blocks(text):
    """The code blocks of a Markdown text, fenced or indented, as lists of lines."""
    block, fence = [], None
    for line in text.splitlines() + [""]:
        marker = re.match(r"```(\w*)", line)
        if marker and fence is None:
            fence = marker[1]
        elif marker:
            if fence in ("", "sh", "bash", "console", "shell"):
                yield block
            block, fence = [], None
        elif fence is not None:
            block.append(line)
        elif line.startswith("    "):
            block.append(line[4:])
        elif block:
            yield block
            block = []


def commands_of_block(lines):
    joined = "\n".join(lines).replace("\\\n", " ").splitlines()
    prompted = [line[2:] for line in joined if line.startswith("$ ")]
    return [line for line in prompted or joined if line.strip()]


def extract(text):
    """The commands of a README, without repetitions. Raises UnknownCommand for a line that is none."""
    found = [line for block in blocks(text) for line in commands_of_block(block)]
    for line in found:
        if not PROGRAMS.match(line):
            raise UnknownCommand(line)
    prose = re.sub(r"(?ms)^```.*?^```$|^    [^\n]*$", "", text)
    short = SHORT.search(prose)
    for code in re.findall(r"`([^`]+)`", SHORT.sub("", prose).replace("\n", " ")):
        if PROGRAMS.match(code) and " " in code:
            found.append(code + " --help" if re.fullmatch(r"portatune \S+", code) else code)
    return list(dict.fromkeys(in_full(command, short[1] if short else "P") for command in found))


def extract_blocks(text):
    """The commands of the blocks of a page, in their order."""
    found = [line for block in blocks(text) for line in commands_of_block(block)]
    return [in_full(line, "P") for line in found if COMMANDS.match(line)]


def in_full(command, short):
    """The command without abbreviations and comments."""
    words = re.sub(r"\s#.*", "", re.sub(r"^P ", f"{short} ", command)).split()
    if words[0] == "make":
        words = words[:2]
    if "..." in words:
        pairs = re.findall(r"(--\S+) (\S+)", REST)
        at = words.index("...")
        words[at:at + 1] = [word for pair in pairs if pair[0] not in words for word in pair]
    return " ".join(words)


def files_of(text):
    """The files that a page shows: names and contents of blocks of YAML whose first line is a comment with the name."""
    return dict(re.findall(r"(?ms)^```yaml\n# (\S+\.yaml)\n(.*?)^```$", text))


class UnknownCommand(Exception):
    """A line of a code block that does not begin with a program of PROGRAMS."""


def rule_of(command):
    for pattern, what, reason in RULES:
        if re.search(pattern, command):
            return what, reason
    return 0, "done"


class Folder:
    """A folder with the files that commands name."""

    def __init__(self, path, build, cache):
        self.path = path
        self.build = build
        self.cache = cache
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("PORTATUNE_", "HF_"))},
            "PATH": f"{build}:{os.environ['PATH']}",
            "HOME": str(path),
            "XDG_CACHE_HOME": str(cache),
            "HF_HUB_CACHE": str(path / "hub"),
            "HF_HUB_OFFLINE": "1",
            "PIP_INDEX_URL": "http://127.0.0.1:9/",  # the discard port has no listener
            "PORTATUNE_REMOTE_TIMEOUT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
        }

    def fill(self):
        """Writes the toy data, and the output folders of a run."""
        self.path.mkdir()
        page_data.write_all(self.path)
        (self.path / ".config" / "fish" / "completions").mkdir(parents=True)
        (self.path / "build").symlink_to(self.build)
        for command in PREPARATION:
            code, printed = self.run(command)
            if code != 0:
                sys.exit(f"{command}\n{printed}")

    def copy(self, name):
        return Folder(shutil.copytree(self.path, self.path.parent / name, symlinks=True), self.build, self.cache)

    def run(self, command):
        """The exit code and the output of a command."""
        done = subprocess.run(["bash", "-c", command], cwd=self.path, env=self.environment, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def run_again(self, command):
        """The same for a command whose output folder may have the model of an earlier one, which a new run refuses to
        replace. The earlier model stays if the command writes none."""
        output = re.search(r"\b(?:fit|sweep) .*--output (\S+)", command)
        if output is None or "--resume" in command or not (self.path / output[1]).exists():
            return self.run(command)
        folder = self.path / output[1]
        earlier = folder.rename(self.path / f"{output[1]}.earlier")
        result = self.run(command)
        if folder.exists():
            shutil.rmtree(earlier)
        else:
            earlier.rename(folder)
        return result


def check(folder, command):
    """Whether a command has the expected result, and the lines about it."""
    expected, reason = rule_of(command)
    if expected == SKIP:
        return True, f"{SKIP}  {command}\n    {reason}"
    begin = time.monotonic()
    if expected == DRY:
        command, expected = f"make --directory {ROOT} --dry-run {command[5:]}", 0
    code, printed = folder.run_again(command)
    lines = f"exit {code}  {command}\n    {reason}, {time.monotonic() - begin:.1f} s"
    if code != expected:
        lines += f"\n    expected exit code {expected}; tools/page_data.py makes the files of commands.\n{printed}"
    return code == expected, lines


class Page:
    def __init__(self, file, only):
        self.text = file.read_text()
        self.name = str(file.resolve().relative_to(ROOT))
        commands = extract(self.text) if file.resolve() == README else extract_blocks(self.text)
        self.commands = [command for command in commands if only in command]

    def execute(self, data):
        """Runs the commands in a copy of the folder `data`, and prints lines about each. Returns whether each has the
        expected result."""
        folder = data.copy(self.name.replace("/", "-"))
        for name, content in files_of(self.text).items():
            (folder.path / name).write_text(content)
        results = [check(folder, command) for command in self.commands]
        shutil.rmtree(folder.path)
        print("\n".join([f"## {self.name}", *(lines for _, lines in results)]), flush=True)
        return [is_right for is_right, _ in results]


def all_pages():
    """The README and the pages of docs/. Decisions may name earlier options."""
    return [README, *(file for file in sorted((ROOT / "docs").rglob("*.md")) if "adr" not in file.parts)]


def pages_of(arguments):
    try:
        pages = [Page(file, arguments.only) for file in arguments.page or all_pages()]
    except UnknownCommand as line:
        sys.exit(f"{README}: a code block has a line that is no known command:\n  {line}\n"
                 f"Add its program to PROGRAMS of {__file__}, or put other text into a block of another language.")
    return [page for page in pages if page.commands]


def execute(pages, build, cache=None):
    """Runs the commands of pages, several pages at a time. Returns whether each command has the expected result."""
    with tempfile.TemporaryDirectory() as temporary:
        data = Folder(pathlib.Path(temporary) / "data", build, cache or pathlib.Path(temporary) / "cache")
        data.fill()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return [result for page in pool.map(lambda page: page.execute(data), pages) for result in page]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path, action="append")
    parser.add_argument("--only", default="")
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    pages = pages_of(arguments)
    if arguments.list:
        for command in (command for page in pages for command in page.commands):
            print(*rule_of(command), command, sep="\t")
        return
    results = execute(pages, arguments.build.resolve(), arguments.cache)
    print(f"{sum(results)} of {len(results)} commands of {len(pages)} pages do what the pages say")
    sys.exit(not results or not all(results))


if __name__ == "__main__":
    main()
