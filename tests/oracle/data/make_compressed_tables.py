#!/usr/bin/env python3
"""Writes tests/data/compressed: tables and a TFRecord file, compressed by Python's gzip and Arrow's zstd.

    python3 tests/oracle/data/make_compressed_tables.py

Needs pyarrow.
"""

import gzip
import pathlib
import struct

import pyarrow

FOLDER = pathlib.Path(__file__).parent.parent.parent / "data" / "compressed"
CSV = "text,label\n" + "".join(f"row {i},{i % 2}\n" for i in range(1000))
LINES = "".join(f'{{"text": "row {i}", "label": {i % 2}}}\n' for i in range(1000))
MEGABYTES_80 = 80 << 20


def gz(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


def zst(data: bytes) -> bytes:
    target = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(target, "zstd") as stream:
        stream.write(data)
    return target.getvalue().to_pybytes()


def skippable_frame(content: bytes) -> bytes:
    return struct.pack("<II", 0x184D2A50, len(content)) + content


FILES = {
    "table.csv.gz": gz(CSV),
    "members.csv.gz": gz(CSV[:5000]) + gz("") + gz(CSV[5000:]),
    "padded.csv.gz": gz(CSV) + bytes(1000),
    "table.jsonl.zst": zst(LINES.encode()),
    "frames.jsonl.zst": zst(LINES[:7000].encode()) + skippable_frame(b"note") + zst(LINES[7000:].encode()),
    # 100,000 lines, far more than a block: 1.4 MB of text.
    "lines.txt.gz": gz("the same line\n" * 100_000),
    "examples.tfrecord.zst": zst((FOLDER.parent / "tfrecord" / "examples.tfrecord").read_bytes()),
    # A line of 80 MB between two of normal length.
    "long_line.txt.zst": zst(b"first\n" + b"a" * MEGABYTES_80 + b"\nlast\n"),
}

FOLDER.mkdir(parents=True, exist_ok=True)
for name, data in FILES.items():
    (FOLDER / name).write_bytes(data)
