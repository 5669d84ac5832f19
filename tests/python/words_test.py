"""Keywords as words of the command line."""

import enum
import pathlib
import unittest

import toy
from portatune import _words


class Strategy(enum.Enum):
    EPOCH = "epoch"


class Words(unittest.TestCase):
    def test_values_have_the_form_of_the_command(self):
        options = {"learning_rate": 5e-5, "resume": True, "quiet": False, "task": None, "model": pathlib.Path("a/b"),
                   "eval_strategy": Strategy.EPOCH, "labels": ["a", 1], "rename_columns": {"old": "new"}, "text": ""}
        self.assertEqual(_words.words("fit", options), [
            "fit", "--learning-rate=5e-05", "--resume=true", "--quiet=false", "--model=a/b", "--eval-strategy=epoch",
            "--labels=a", "--labels=1", "--rename-columns=old=new", "--text="])  # fmt: skip

    def test_none_does_not_replace_an_option_of_a_task(self):
        task = type("Task", (), {"_options": lambda self: {"task": "mine", "max_length": 64}})()
        self.assertEqual(_words.words("fit", {"task": task, "max_length": None}),
                         ["fit", "--task=mine", "--max-length=64"])

    def test_arguments_of_other_functions_are_json(self):
        options = {"chat_template_kwargs": {"enable_thinking": False}, "lr_scheduler_kwargs": {}}
        self.assertEqual(_words.words("fit", options), [
            "fit", '--chat-template-kwargs={"enable_thinking": false}', "--lr-scheduler-kwargs={}"])  # fmt: skip


if __name__ == "__main__":
    toy.main()
