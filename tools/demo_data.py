#!/usr/bin/env python3
"""tools/demo_data.py ARCHIVE FOLDER: makes FOLDER/train.tsv and FOLDER/validation.tsv, the demo's movie reviews.

ARCHIVE is the source archive of vaderSentiment 3.3.2. It carries the data of Hutto & Gilbert 2014 (ICWSM): snippets of
film reviews, each with the mean of its human ratings from -4 to 4. A review is positive (label 1) when that mean is
above 0; the 37 reviews at exactly 0 are left out. A fifth, chosen by the md5 of the id, is held out for validation.
Columns of the result: id, label, text, separated by tabs, with a header.
"""

import hashlib
import io
import pathlib
import sys
import tarfile

INNER_ARCHIVE = "vaderSentiment-3.3.2/additional_resources/hutto_ICWSM_2014.tar.gz"
REVIEWS = "hutto_ICWSM_2014/movieReviewSnippets_GroundTruth.txt"
HEADER = "id\tlabel\ttext\n"


def main(archive, folder):
    splits = {"train": [], "validation": []}
    for identity, rating, text in read_reviews(archive):
        if rating != 0:
            splits[split_of(identity)].append(f"{identity}\t{int(rating > 0)}\t{text}\n")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    for name, rows in splits.items():
        (folder / f"{name}.tsv").write_text(HEADER + "".join(rows), encoding="utf-8", newline="\n")
        print(f"portatune set-up: {len(rows)} movie reviews in {name}.tsv", file=sys.stderr)


def read_reviews(archive):
    """Yields (id, mean rating, text) for every line of the file."""
    with tarfile.open(archive) as outer:
        inner_bytes = outer.extractfile(INNER_ARCHIVE).read()
    with tarfile.open(fileobj=io.BytesIO(inner_bytes)) as inner:
        lines = inner.extractfile(REVIEWS).read().decode("utf-8").splitlines()
    for line in lines:
        identity, rating, text = line.split("\t")
        yield identity, float(rating), text


def split_of(identity):
    """The side of the split depends on the id alone, so that it is the same on every machine and for ever."""
    return "validation" if int(hashlib.md5(identity.encode()).hexdigest(), 16) % 5 == 0 else "train"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
