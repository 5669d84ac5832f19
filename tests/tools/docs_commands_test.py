"""The commands on the pages of docs/ have verbs and options that the command knows."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ["PORTATUNE_COMMAND"]
sys.path.insert(0, str(ROOT / "tools"))

import page_commands  # noqa: E402


def commands_of(page):
    """The lines of code blocks, and the code in sentences, that call portatune: the words after its name."""
    text = page.read_text()
    lines = [line for block in page_commands.blocks(text) for line in page_commands.commands_of_block(block)]
    lines += re.findall(r"`([^`\n]+)`", re.sub(r"(?ms)^```.*?^```$|^    [^\n]*$", "", text))
    for line in lines:
        called = re.match(r"(?:\w+=\S* )*(?:mpirun .*?|srun .*?|bash )?(?:\S*/)?portatune(?:\.sh)? ([^#|>&]*)", line)
        if called:
            yield called[1].split()


class Helps:
    """The help texts of verbs."""

    def __init__(self):
        self.texts = {}

    def of(self, verb):
        """The help of a verb such as "fit" or "plugin install"; empty if there is no such verb."""
        if verb not in self.texts:
            done = subprocess.run([COMMAND, *verb.split(), "--help-all"], capture_output=True, text=True, check=False)
            self.texts[verb] = done.stdout if done.returncode == 0 else ""
        return self.texts[verb]


class DocsCommands(unittest.TestCase):
    helps = Helps()

    def problem_of(self, words):
        """What the command does not know of a command line; empty if it knows all."""
        if not words or words[0].startswith(("-", "VERB", "COMMAND")):
            return ""
        two = " ".join(words[:2])
        nested = len(words) > 1 and re.fullmatch("[a-z]+", words[1]) and self.helps.of(two) != self.helps.of(words[0])
        verb = two if nested and self.helps.of(two) else words[0]
        known = self.helps.of(verb)
        if not known:
            return f"no command {verb}"
        for word in words:
            option = re.match(r"--(?!help)[a-z][a-z0-9-]*", word)
            if option and not re.search(rf"(?<![\w-]){option[0]}(?![\w-])", known):
                return f"portatune {verb}: no option {option[0]}"
        return ""

    def test_pages_have_commands_of_this_version(self):
        count = 0
        for page in sorted((ROOT / "docs").glob("**/*.md")):
            if "adr" in page.parts:  # decisions may name earlier options
                continue
            for words in commands_of(page):
                count += 1
                with self.subTest(page=str(page.relative_to(ROOT)), command=" ".join(words)):
                    self.assertEqual(self.problem_of(words), "")
        self.assertGreater(count, 150)


if __name__ == "__main__":
    unittest.main()
