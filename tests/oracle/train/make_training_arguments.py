#!/usr/bin/env python3
"""Writes the names of transformers.TrainingArguments.

    pip install torch==2.15.0 transformers==5.23.0
    python tests/oracle/train/make_training_arguments.py

tests/data/train/training_arguments.json: for each name a text that the argument may have: its default, or true for a
flag, or "x" where the default is None.
"""

import dataclasses
import json
import pathlib

import transformers

DATA = pathlib.Path(__file__).parent.parent.parent / "data"


def text_for(field):
    if isinstance(field.default, bool):
        return "True"
    missing = field.default is dataclasses.MISSING or field.default is None
    return "x" if missing else str(field.default)


def main():
    fields = dataclasses.fields(transformers.TrainingArguments)
    texts = {field.name: text_for(field) for field in fields}
    (DATA / "train" / "training_arguments.json").write_text(json.dumps(texts, indent=1) + "\n")


if __name__ == "__main__":
    main()
