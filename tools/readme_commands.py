#!/usr/bin/env python3
"""Runs every command of a README on tiny models and toy data.

usage: tools/readme_commands.py BUILD [--readme FILE] [--only TEXT] [--list]

BUILD     a build folder: README's build/portatune is its command
--only    commands that contain TEXT
--list    prints the commands and the action for each, and runs none

Commands are the lines of code blocks (with a prompt `$ `, if a block has prompts) and the code in tables and sentences
that begins like a command; for a command that a sentence mentions without options, the help is shown. Each runs as
written, in a separate folder with the files of readme_data.py. A command unknown to this script is an error, and so is
a command that does not end as RULES expects.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import readme_data

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = re.compile(r"(\w+=\S* )*(build/portatune|portatune|mpirun|make|git|P)( |$)")
# README may define the first word P of a command.
SHORT = re.compile(r"`P` is short for `([^`]+)`")
# Meaning of `...` in a command.
REST = "--model bert --train train.csv --validation dev.csv --output tuned"
# Commands that cannot end with 0 here: their beginning or a part of them, the action, and the reason. The first match
# counts. A number is the expected exit code: the command line is parsed, and the run ends there.
DRY = "dry run"
SKIP = "not run"
RULES = (
    (r"^git clone", SKIP, "the repository is there"),
    (r"^make ", DRY, "the commands run with what make build has built"),
    (r"plugin install", 74, "no network: the package index is an address where nothing listens"),
    (r"--device (cuda|tpu)|--against (cuda|tpu)", 69, "no plugin and no such device"),
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
    """The commands of a Markdown text, without repetitions. Raises UnknownCommand for a line that is none."""
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


def in_full(command, short):
    """The command without abbreviations and comments."""
    words = re.sub(r"\s#.*", "", re.sub(r"^P ", f"{short} ", command)).split()
    if words[0] == "make":
        words = words[:2]
    return " ".join(REST if word == "..." else word for word in words)


class UnknownCommand(Exception):
    """A line of a code block that does not begin with a program of PROGRAMS."""


def rule_of(command):
    for pattern, what, reason in RULES:
        if re.search(pattern, command):
            return what, reason
    return 0, "done"


class Runner:
    def __init__(self, build, folder):
        self.folder = folder
        self.data = folder / "data"
        self.data.mkdir()
        readme_data.write_all(self.data)
        (self.data / "build").symlink_to(build)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PORTATUNE_")},
            "PATH": f"{build}:{os.environ['PATH']}",
            "XDG_CACHE_HOME": str(folder / "cache"),
            "PIP_INDEX_URL": "http://127.0.0.1:9/",  # the discard port has no listener
            "PORTATUNE_REMOTE_TIMEOUT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
        }

    def run(self, number, command):
        """The exit code and the output of a command."""
        work = self.folder / str(number)
        shutil.copytree(self.data, work, symlinks=True)
        if "--output tuned" in command:
            shutil.rmtree(work / "tuned")
        done = subprocess.run(["bash", "-c", command], cwd=work, env=self.environment, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        shutil.rmtree(work)
        return done.returncode, done.stdout


def execute(runner, number, command):
    """True if a command has the expected result; prints a line about it."""
    expected, reason = rule_of(command)
    if expected == SKIP:
        print(f"{SKIP}  {command}\n    {reason}", flush=True)
        return True
    if expected == DRY:
        done = subprocess.run(f"make --dry-run {command[5:]}", shell=True, cwd=ROOT, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        code, printed, expected = done.returncode, done.stdout, 0
    else:
        begin = time.monotonic()
        code, printed = runner.run(number, command)
        reason += f", {time.monotonic() - begin:.1f} s"
    print(f"exit {code}  {command}\n    {reason}", flush=True)
    if code != expected:
        print(f"    expected exit code {expected}; tools/readme_data.py makes the files of commands.\n{printed}", flush=True)
    return code == expected


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--readme", type=pathlib.Path, default=ROOT / "README.md")
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    try:
        commands = extract(arguments.readme.read_text())
    except UnknownCommand as line:
        sys.exit(f"{arguments.readme}: a code block has a line that is no known command:\n  {line}\n"
                 f"Add its program to PROGRAMS of {__file__}, or put other text into a block of another language.")
    commands = [command for command in commands if arguments.only in command]
    if arguments.list:
        for command in commands:
            print(*rule_of(command), command, sep="\t")
        return
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments.build.resolve(), pathlib.Path(folder))
        fine = [execute(runner, number, command) for number, command in enumerate(commands)]
    print(f"{sum(fine)} of {len(fine)} commands of {arguments.readme.name} do what it says")
    sys.exit(not fine or not all(fine))


if __name__ == "__main__":
    main()
