"""Makes tests/data/tasks/multiple_choice.json: rows as run_swag.py of transformers prepares them.

Run by hand from the root of the repository, with transformers 5.23.0:
    python tests/oracle/tasks/make_multiple_choice_cases.py
"""

import json
import pathlib

import transformers

DATA = pathlib.Path("tests/data")
ROWS = [
    {"sent1": "The film was good.", "sent2": "We", "ending": ["saw it", "liked the book", "", "and the music was bad"]},
    {"sent1": "", "sent2": "the Play", "ending": ["☃", "was awful and poor and dreary and we saw it", "xy z", " it "]},
    {"sent1": "the story was fine and the end was poor and the music was great", "sent2": "", "ending": ["a", "b", "c", "d"]},
]


def prepare(tokenizer, row, max_length):
    """preprocess_function of examples/pytorch/multiple-choice/run_swag.py, for one row, with --pad_to_max_length."""
    first_sentences = [row["sent1"]] * 4
    second_sentences = [f"{row['sent2']} {ending}" for ending in row["ending"]]
    return dict(
        tokenizer(first_sentences, second_sentences, truncation=True, max_length=max_length, padding="max_length")
    )


tokenizer = transformers.AutoTokenizer.from_pretrained(DATA / "tiny_bert")
CASES = [{"row": row, "max_length": n, **prepare(tokenizer, row, n)} for row in ROWS for n in (10, 24)]
(DATA / "tasks" / "multiple_choice.json").write_text(
    json.dumps({"transformers": transformers.__version__, "cases": CASES}, ensure_ascii=False) + "\n"
)
print(len(CASES), "cases")
