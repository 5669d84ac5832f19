"""`portatune recipes --schema`: the JSON Schema accepts the recipes that the command accepts, and rejects others."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

try:
    import jsonschema
    import yaml
except ImportError:
    jsonschema = yaml = None

COMMAND = os.environ["PORTATUNE_COMMAND"]
RECIPES = pathlib.Path(__file__).parents[2] / "recipes"

GOOD = [
    "task: text-classification\nmodel: bert\ntrain_file: a.csv",
    "learning_rate: 2e-5\nnum_train_epochs: 3\nresume: true",
    "lr: 0.1\nbf16: true",
    "column_names: [a, b]\nlabels: [0, 1]\nvalidation_file: [a.csv, b.csv]",
    "dtype: bf16\npadding: max_length\nquiet: false",
    "report_to: none\ndataloader_num_workers: 4\ntorch_compile: true",
]
BAD = [
    ("learning_rat: 1", "learning_rat"),
    ("epochs: many", "many"),
    ("epochs: -1", "-1"),
    ("adam_beta1: 1", "1 is"),
    ("batch_size: 1.5", "1.5"),
    ("dtype: float17", "float17"),
    ("resume: 3", "3"),
    ("model: [a, b]", "'b'"),
    ("task: text-classification\ndoc_stride: 3", "False schema"),
    ("task: text-classification\ndoc-stride: 3", "False schema"),
    ("task: guessing", "guessing"),
    ("report_to: wandb", "wandb"),
    ("recipe: other.yaml", "recipe"),
    ("print_config: true", "print_config"),
    ("train:\n  files: a.csv", "files"),
]


def loader():
    """Scalars by the core schema of YAML 1.2, as editors read them: 2e-5 is a number, and no is a text."""
    class Loader(yaml.SafeLoader):
        pass

    Loader.yaml_implicit_resolvers = {}
    for tag, pattern, first in (("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
                                ("null", r"null|~|", "n~"),
                                ("int", r"[-+]?[0-9]+", "-+0123456789"),
                                ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789")):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), list(first))
    return Loader


@unittest.skipUnless(jsonschema, "Python lacks jsonschema or yaml")
class RecipeSchema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads(subprocess.run([COMMAND, "recipes", "--schema"], stdout=subprocess.PIPE, check=True).stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)

    def errors(self, text):
        return [error.message for error in self.validator.iter_errors(yaml.load(text, loader()))]

    def is_accepted_by_the_command(self, text):
        with tempfile.TemporaryDirectory() as folder:
            recipe = pathlib.Path(folder) / "r.yaml"
            recipe.write_text(text)
            finished = subprocess.run([COMMAND, "fit", "--model", "m", "--train", "t.csv", "--output", "o", "--recipe",
                                       recipe, "--print-config"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return finished.returncode == 0

    def test_accepts_the_recipes_of_the_repository(self):
        recipes = list(RECIPES.rglob("*.yaml"))
        self.assertGreater(len(recipes), 8)
        for recipe in recipes:
            self.assertEqual(self.errors(recipe.read_text()), [], recipe)

    def test_accepts_what_the_command_accepts(self):
        for text in GOOD:
            self.assertEqual(self.errors(text), [], text)
            self.assertTrue(self.is_accepted_by_the_command(text), text)

    def test_rejects_what_the_command_rejects(self):
        for text, culprit in BAD:
            errors = self.errors(text)
            self.assertEqual(len(errors), 1, (text, errors))
            self.assertIn(culprit, errors[0])
            if "stride" not in text:  # the command looks at the options of the task when it runs
                self.assertFalse(self.is_accepted_by_the_command(text), text)

    def test_a_printed_config_is_a_recipe(self):
        config = subprocess.run([COMMAND, "fit", "--recipe", "glue/cola", "--model", "m", "--output", "o",
                                 "--early-stopping-patience", "2", "--no-cache", "--print-config"],
                                stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(self.errors(config), [])


if __name__ == "__main__":
    unittest.main()
