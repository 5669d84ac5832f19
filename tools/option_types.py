#!/usr/bin/env python3
"""Writes python/portatune/options.pyi, the types of the keywords of the Python functions.

usage: tools/option_types.py COMMAND > python/portatune/options.pyi

COMMAND is build/portatune, whose `recipes --schema --command NAME` describes the options of a command.
"""

import json
import re
import subprocess
import sys
import textwrap

# Class -> the command, the functions that take these keywords, and the options that are no keywords of them: arguments
# with a place of their own, and what only the command does.
_OF_COMMAND = {"folds", "grow", "hang_timeout", "json", "print_config"}
CLASSES = {
    "FitOptions": ("fit", ["fit()", "Trainer"], {"model", "train", "validation", "task", "output"}),
    "CrossValidateOptions": ("fit", ["cross_validate()"], {"model", "train", "output"}),
    "SweepOptions": ("sweep", ["sweep()"], {"model", "train", "validation", "output", "grid"}),
    "EvaluateOptions": ("evaluate", ["evaluate()"], {"model", "data"}),
    "PredictOptions": ("predict", ["predict()"], {"model", "data", "output"}),
    "LoadOptions": ("predict", ["load()"], {"model", "data", "output", "text", "batch_size", "max_predict_samples"}),
    "GenerateOptions": ("generate", ["generate()"], {"model", "prompt", "input"}),
    "PlanOptions": ("plan", ["plan()"], {"model", "train", "on", "output"}),
    "TokenizerOptions": ("tokenizer train", ["train_tokenizer()"], {"files", "output"}),
    "ParityOptions": ("parity", ["parity()"], {"case"}),
}
# Keywords whose values are objects of Python, or that a recipe cannot have.
TYPES = {"task": "str | Task", "recipe": "Text"}
HEADER = '''"""The types of the keywords of fit() and the other functions, by which mypy and editors check and complete them.

tools/option_types.py has written this file from the options of the command. A wrapper of a function has its keywords:

    from typing import Unpack
    from portatune.options import FitOptions

    def train(**options: Unpack[FitOptions]) -> portatune.Run:
        return portatune.fit("tiny", "train.csv", **options)

None is no value. Options with a value of their own, such as enums of transformers, take this value or its text.
"""

import enum
import os
from collections.abc import Mapping, Sequence
from typing import TypedDict

from portatune._tasks import Task

Text = str | float | os.PathLike[str] | enum.Enum
Texts = Text | Sequence[Text] | Mapping[str, Text]
'''


def schema_of(command, name):
    done = subprocess.run([command, "recipes", "--schema", "--command", name], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def names_in(pattern):
    """The names that a pattern of other names accepts, as keywords: "^(num[_-]epochs|bf16)$"."""
    return re.sub(r"^\^\((.*)\)\$?$", r"\1", pattern).replace("[_-]", "_").split("|")


def type_of(name, schema, properties):
    """The type of an option in Python."""
    if name in TYPES:
        return TYPES[name]
    if "$ref" in schema:
        key = schema["$ref"].rpartition("/")[2]
        return type_of(key, properties[key], properties)
    if name.endswith("_kwargs"):
        return "Mapping[str, object] | str"
    kind = schema.get("type")
    if isinstance(kind, str):
        return {"boolean": "bool", "integer": "int", "number": "float"}.get(kind, "Text")
    if "anyOf" in schema:
        return "Texts"
    return "Text" if kind or "enum" in schema else "object"


def keywords(command, name, left_out):
    """The keywords of a command with their types."""
    schema = schema_of(command, name)
    properties = schema["properties"]
    found = {key: type_of(key, value, properties) for key, value in properties.items()}
    found["recipe"] = TYPES["recipe"]
    for pattern, value in schema["patternProperties"].items():
        for key in names_in(pattern):
            key = key.replace("-", "_").rstrip("_")
            found.setdefault(key, type_of(key, value, properties))
    return {key: kind for key, kind in sorted(found.items()) if key.isidentifier() and key not in left_out | _OF_COMMAND}


def class_of(name, bases, functions, fields):
    head = f"class {name}({', '.join(bases or ['TypedDict'])}, total=False):"
    lines = textwrap.wrap(head, 120, subsequent_indent=" " * (head.index("(") + 1))
    lines += textwrap.wrap(f'"""Keywords of {list_of(functions)}."""', 120, initial_indent=" " * 4,
                           subsequent_indent=" " * 4)
    lines += ["", *(f"    {key}: {kind} | None" for key, kind in fields.items())] if fields else []
    return "\n".join(lines) + "\n"


def list_of(words):
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def grouped(keywords_of):
    """The keywords by the classes that have them with one type: tuple of classes -> keywords with their types."""
    classes = {}
    for name, fields in keywords_of.items():
        for field in fields.items():
            classes.setdefault(field, []).append(name)
    groups = {}
    for (key, kind), names in sorted(classes.items()):
        groups.setdefault(tuple(names), {})[key] = kind
    return groups


def main():
    keywords_of = {name: keywords(sys.argv[1], command, left_out) for name, (command, _, left_out) in CLASSES.items()}
    groups = grouped(keywords_of)
    shared = sorted((names for names in groups if len(names) > 1), key=lambda names: (-len(names), names))
    parts, bases = [HEADER], {name: [] for name in CLASSES}
    for number, names in enumerate(shared, 1):
        base = f"_Shared{number}"
        parts.append(class_of(base, [], [one for name in names for one in CLASSES[name][1]], groups[names]))
        for name in names:
            bases[name].append(base)
    for name, (_, functions, _) in CLASSES.items():
        parts.append(class_of(name, bases[name], functions, groups.get((name,), {})))
    print("\n\n".join(parts), end="")


if __name__ == "__main__":
    main()
