#!/usr/bin/env python3
"""Writes tests/data/arrow: tables with columns of all types, written by pyarrow, and their rows as JSON Lines.

    python3 tests/oracle/data/make_arrow_tables.py

Needs pyarrow.
"""

import datetime
import decimal
import io
import json
import pathlib
import struct
import wave

import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = pathlib.Path(__file__).parent.parent.parent / "data" / "arrow"

CHAT = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
MESSAGES = [
    [{"role": "user", "content": 'Say "hi"\n\t\\'}, {"role": "assistant", "content": "hi, caf\u00e9 \u4e2d"}],
    [],
    None,
]
DAY = datetime.date(2026, 11, 21)

# Name, type, three values, and their texts in Portatune.
COLUMNS = [
    ("text", pa.string(), ["one", "", None], ["one", "", ""]),
    ("large", pa.large_string(), ["a", "b,\"c\"", "caf\u00e9"], ["a", "b,\"c\"", "caf\u00e9"]),
    ("view", pa.string_view(), ["short", "longer than twelve bytes", None], ["short", "longer than twelve bytes", ""]),
    ("label", pa.dictionary(pa.int8(), pa.string()), ["neg", "pos", "neg"], ["neg", "pos", "neg"]),
    ("int8", pa.int8(), [-128, 127, None], ["-128", "127", ""]),
    ("uint8", pa.uint8(), [0, 255, 1], ["0", "255", "1"]),
    ("int64", pa.int64(), [-(2**63), 2**63 - 1, 0], ["-9223372036854775808", "9223372036854775807", "0"]),
    ("uint64", pa.uint64(), [0, 2**64 - 1, 7], ["0", "18446744073709551615", "7"]),
    ("float", pa.float32(), [0.1, -2.0, None], ["0.1", "-2", ""]),
    ("double", pa.float64(), [0.1, 1e300, 3.0], ["0.1", "1e+300", "3"]),
    ("bool", pa.bool_(), [True, False, None], ["true", "false", ""]),
    ("nothing", pa.null(), [None, None, None], ["", "", ""]),
    ("ints", pa.list_(pa.int32()), [[1, None, -3], [], None], ["[1,null,-3]", "[]", ""]),
    ("fixed", pa.list_(pa.float32(), 2), [[0.5, 1.0], [2.5, 3.0], None], ["[0.5,1]", "[2.5,3]", ""]),
    ("nested", pa.large_list(pa.list_(pa.bool_())), [[[True], []], [None], []], ["[[true],[]]", "[null]", "[]"]),
    ("messages", CHAT, MESSAGES,
     ['[{"role":"user","content":"Say \\"hi\\"\\n\\u0009\\\\"},{"role":"assistant","content":"hi, caf\u00e9 \u4e2d"}]',
      "[]", ""]),
    ("map", pa.map_(pa.string(), pa.int32()), [[("a", 1), ("b", None)], [], None], ['{"a":1,"b":null}', "{}", ""]),
    ("date", pa.date32(), [DAY, None, DAY], ["2026-11-21", "", "2026-11-21"]),
    ("decimal", pa.decimal128(5, 2), [decimal.Decimal("1.50"), None, decimal.Decimal("-0.25")], ["1.50", "", "-0.25"]),
    ("bytes", pa.binary(), [b"\xff\x00", b"", None], ["\xff\x00", "", ""]),
    ("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())]),
     [{"bytes": b"\x89PNG", "path": "a.png"}, {"bytes": None, "path": "b.png"}, None], ["\x89PNG", "b.png", ""]),
]


def table() -> pa.Table:
    return pa.table({name: pa.array(values, type=type_) for name, type_, values, _ in COLUMNS})


def rows(count: int) -> pa.Table:
    return pa.table({"text": [f"row {i}" for i in range(count)], "label": [i % 2 for i in range(count)]})


def speech() -> pa.Table:
    """The audio of Hugging Face datasets with its bytes, samples of 1 to 500, and with its path alone."""
    file = io.BytesIO()
    with wave.open(file, "wb") as wav:
        wav.setparams((1, 2, 16_000, 0, "NONE", ""))
        wav.writeframes(struct.pack("<500h", *range(1, 501)))
    audio = [{"bytes": file.getvalue(), "path": "a.wav"}, {"bytes": None, "path": "clips/b.wav"}]
    type_ = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    return pa.table({"audio": pa.array(audio, type=type_), "text": ["One two.", "three"]})


def write_ipc(name: str, data: pa.Table, opener, batch_rows: int, compression=None) -> None:
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with opener(str(FOLDER / name), data.schema, options=options) as writer:
        writer.write_table(data, max_chunksize=batch_rows)


def varint(number: int) -> bytes:
    """A positive integer in Thrift's compact protocol."""
    number *= 2
    encoded = bytearray()
    while number >= 128:
        encoded.append(number & 127 | 128)
        number >>= 7
    return bytes(encoded) + bytes([number])


def hungry_parquet() -> bytes:
    """A small file whose only page claims a decompressed size of 2 GB."""
    stream = io.BytesIO()
    pq.write_table(pa.table({"text": ["a" * 40] * 3}), stream, store_schema=False, write_statistics=False,
                   compression="snappy", use_dictionary=False)
    whole = stream.getvalue()
    column = pq.ParquetFile(io.BytesIO(whole)).metadata.row_group(0).column(0)
    footer_bytes = struct.unpack("<I", whole[-8:-4])[0]
    pages, footer = whole[: -8 - footer_bytes], whole[-8 - footer_bytes : -8]
    # A page begins with its type, 0 for data, and its size when decompressed, here a number of two bytes.
    honest, lie = pages[4:9], b"\x15\x00\x15" + varint(2**31 - 1)
    assert honest[:3] == lie[:3] and honest[3] >= 128 > honest[4]
    pages = pages.replace(honest, lie, 1)
    size = column.total_compressed_size
    footer = footer.replace(b"\x16" + varint(size), b"\x16" + varint(size + len(lie) - len(honest)))
    return pages + footer + struct.pack("<I", len(footer)) + b"PAR1"


def hungry_arrow() -> bytes:
    """A small stream whose batch claims a size of 137 GB."""
    data = pa.table({"text": ["a" * 40] * 3})
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, data.schema) as writer:
        writer.write_table(data)
    messages = pa.ipc.MessageReader.open_stream(io.BytesIO(stream.getvalue()))
    messages.read_next_message()
    body = struct.pack("<q", messages.read_next_message().body.size)
    assert stream.getvalue().count(body) >= 1
    return stream.getvalue().replace(body, struct.pack("<q", 137 << 30), 1)


FOLDER.mkdir(parents=True, exist_ok=True)
types = table()
# Parquet has no views, and gives dictionaries the type of their values.
pq.write_table(types.drop_columns(["view"]), FOLDER / "types.parquet")
write_ipc("types.arrow", types, pa.ipc.new_stream, 2)
write_ipc("types_file.arrow", types, pa.ipc.new_file, 2)
pq.write_table(rows(3000), FOLDER / "rows.parquet", row_group_size=1000, compression="zstd")
write_ipc("data-00000-of-00001.arrow", rows(3000), pa.ipc.new_stream, 1000, compression="zstd")
pq.write_table(speech(), FOLDER / "speech.parquet")
pq.write_table(rows(0), FOLDER / "empty.parquet")
odd = pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1]), pa.array(["a"])])
write_ipc("union.arrow", pa.table({"odd": odd, "text": ["a"]}), pa.ipc.new_stream, 1)
latin = pa.array([b"one", "caf\u00e9".encode("latin-1"), b"three"], pa.binary()).view(pa.string())
write_ipc("latin.arrow", pa.table({"text": latin, "label": [0, 1, 2]}), pa.ipc.new_stream, 3)
pq.write_table(pa.table({"text": latin, "label": [0, 1, 2]}), FOLDER / "latin.parquet")
# A row whose JSON would take 10 GB.
nulls = pa.ListArray.from_arrays(pa.array([0, 2**31 - 1], pa.int32()), pa.nulls(2**31 - 1))
write_ipc("nulls.arrow", pa.table({"text": nulls}), pa.ipc.new_stream, 1)
(FOLDER / "hungry.parquet").write_bytes(hungry_parquet())
(FOLDER / "hungry.arrow").write_bytes(hungry_arrow())
expected = {name: texts for name, _, _, texts in COLUMNS}
(FOLDER / "types.json").write_text(json.dumps(expected, indent=1) + "\n")
