"""Records what Python's csv module reads from the hand-made files in tests/data/csv.

Run from the repository's root: python3 tests/oracle/data/make_csv_golden.py (checked with Python 3.11).
Each NAME gets a NAME.json: a list of rows, each a list of fields. Empty lines are skipped, as in csv.DictReader.
"""

import csv
import json
import pathlib

FOLDER = pathlib.Path("tests/data/csv")
FORMATS = {
    "nasty.csv": dict(delimiter=",", strict=True),
    "nasty.tsv": dict(delimiter="\t", quoting=csv.QUOTE_NONE),
}

for name, options in FORMATS.items():
    with open(FOLDER / name, encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.reader(file, **options) if row]
    (FOLDER / f"{name}.json").write_text(json.dumps(rows, indent=0) + "\n")
