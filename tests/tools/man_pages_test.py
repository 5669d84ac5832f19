"""`portatune man`: pages that man(1) shows without a warning, with all options."""

import os
import re
import shutil
import subprocess
import unittest

COMMAND = os.environ["PORTATUNE_COMMAND"]


def page(*topic):
    return subprocess.run([COMMAND, "man", *topic], stdout=subprocess.PIPE, text=True, check=True).stdout


def shown(text):
    """The page as man(1) shows it, and its warnings."""
    settings = {**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""}
    finished = subprocess.run(["man", "--warnings", "--local-file", "-"], input=text, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=settings, check=True)
    return finished.stdout, finished.stderr


@unittest.skipUnless(shutil.which("man"), "no man")
class ManPages(unittest.TestCase):
    def test_no_page_has_a_warning(self):
        topics = page("--list").splitlines()
        self.assertIn("tfrecord write", topics)
        for topic in ["", *topics]:
            text, warnings = shown(page(*topic.split()))
            self.assertEqual(warnings, "", topic)
            self.assertIn("NAME", text)

    def test_the_first_page_names_the_commands(self):
        text, _ = shown(page())
        self.assertIn("portatune-fit(1)", text)
        self.assertIn("Fine-tune a model.", text)

    def test_the_synopsis_has_the_arguments_that_a_command_needs(self):
        for topic, line in {"fit": "portatune fit --model PATH --train FILE... --output PATH [OPTIONS]",
                            "report": "portatune report PATH... [OPTIONS]",
                            "recipes": "portatune recipes [NAME] [OPTIONS]",
                            "tfrecord": "portatune tfrecord COMMAND [OPTIONS]"}.items():
            text, _ = shown(page(topic))
            self.assertIn(f"SYNOPSIS\n       {line}\n", text)

    def test_the_page_of_a_command_has_the_options_of_its_help(self):
        text, _ = shown(page("fit"))
        listing = subprocess.run([COMMAND, "fit", "--help-all"], stdout=subprocess.PIPE, text=True, check=True).stdout
        options = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", listing, re.MULTILINE))
        self.assertGreater(len(options), 80)
        self.assertEqual([option for option in sorted(options) if option not in text], [])
        self.assertIn("--model, --model-name-or-path PATH\n", text)
        self.assertIn("portatune fit --recipe glue/cola --model bert --output cola\n", text)


if __name__ == "__main__":
    unittest.main()
