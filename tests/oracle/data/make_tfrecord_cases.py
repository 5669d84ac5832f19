#!/usr/bin/env python3
"""Writes tests/data/tfrecord: files of TensorFlow, the features that it reads from unusual records, and its order of
shards.

    python3 tests/oracle/data/make_tfrecord_cases.py        needs tensorflow 2.21 (tensorflow-cpu), tokenizers 0.23

examples.json               features of each record: {name: [kind, values]}, bytes in hexadecimal
examples.tfrecord, .gz, .zlib
                            these records, serialized deterministically, as TensorFlow writes them
odd_records.json            records of unusual encoding, and the features that protobuf finds in them (null: it refuses)
padded.json                 texts, and their token ids in features of fixed length, as `tokenizers` pads them and
                            tf.io.FixedLenFeature reads them
order.json                  the records of shards, in the order of tf.data.TFRecordDataset(num_parallel_reads=...)
"""

import json
import os
import pathlib
import struct
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf  # noqa: E402
import tokenizers  # noqa: E402

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "data" / "tfrecord"


def main():
    DATA.mkdir(exist_ok=True)
    examples = [features for features in example_features()]
    dump("examples.json", [{name: [kind, shown(values)] for name, (kind, values) in e.items()} for e in examples])
    records = [example_of(features).SerializeToString(deterministic=True) for features in examples]
    for suffix, compression in {"": "", ".gz": "GZIP", ".zlib": "ZLIB"}.items():
        write_records(DATA / f"examples.tfrecord{suffix}", records, compression)
    dump("odd_records.json", [{"what": what, "record": r.hex(), "features": features_in(r)} for what, r in odd_records()])
    dump("padded.json", list(padded_rows(length=8)))
    dump("order.json", [{"shards": shards, "reads": reads, "order": order_of(shards, reads)}
                        for shards in ([3, 1, 2, 4], [1, 1, 1], [0, 2, 0, 5, 1], [2, 2, 2, 2]) for reads in (2, 3)])


def example_features():
    """{name: (kind, values)} of each record."""
    yield {"sentence": ("bytes", [b"The sailors rode the breeze clear of the rocks."]), "label": ("int64", [1])}
    yield {"sentence": ("bytes", ["Zo\u00eb \u4f60\u597d".encode()]), "label": ("int64", [-1])}
    yield {"input_ids": ("int64", [101, 7592, 127, 128, 16383, 16384, 2097151, 2097152, 2**31 - 1, 2**63 - 1, -(2**63), 102]),
           "attention_mask": ("int64", [1] * 12), "score": ("float", [0.5])}
    yield {"floats": ("float", [0.1, -1.5, 3e38, 1e-45, 0.0]), "empty_floats": ("float", []), "empty_ints": ("int64", []),
           "empty_bytes": ("bytes", []), "raw": ("bytes", [bytes(range(256))]), "words": ("bytes", [b"one", b"", b"three"])}
    yield {}
    yield {"long": ("int64", list(range(300))), "bytes_of_300": ("bytes", [b"x" * 300]), "\u00e9": ("int64", [7])}


def example_of(features):
    lists = {"bytes": lambda v: {"bytes_list": tf.train.BytesList(value=v)},
             "float": lambda v: {"float_list": tf.train.FloatList(value=v)},
             "int64": lambda v: {"int64_list": tf.train.Int64List(value=v)}}
    return tf.train.Example(features=tf.train.Features(
        feature={name: tf.train.Feature(**lists[kind](values)) for name, (kind, values) in features.items()}))


def write_records(path, records, compression=""):
    with tf.io.TFRecordWriter(str(path), options=tf.io.TFRecordOptions(compression_type=compression)) as writer:
        for record in records:
            writer.write(record)


# ---- records by hand

def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def number(value):
    """An unpacked int64 of a list."""
    return b"\x08" + varint(value)


def entry(name, feature):
    return field(1, field(1, name) + field(2, feature))


def record(*entries):
    return field(1, b"".join(entries))


def odd_records():
    ints, floats = field(1, b"\x01\x02"), field(1, struct.pack("<ff", 1.5, -2.0))
    unpacked = b"\x0d" + struct.pack("<f", 0.25) + b"\x0d" + struct.pack("<f", 4.0)
    yield "unpacked int64", record(entry(b"a", field(3, number(3) + number(300) + number(2**64 - 1))))
    yield "unpacked floats", record(entry(b"a", field(2, unpacked)))
    yield "packed and unpacked by turns", record(entry(b"a", field(3, ints + number(9) + ints)))
    yield "floats packed and unpacked", record(entry(b"a", field(2, floats + unpacked)))
    yield "a name twice: the last counts", record(entry(b"a", field(3, ints)), entry(b"b", field(2, floats)), entry(b"a", field(3, number(9))))
    yield "features in two parts", record(entry(b"a", field(3, ints))) + record(entry(b"b", field(2, floats)))
    yield "a list in two parts", record(entry(b"a", field(3, ints) + field(3, number(9))))
    yield "two kinds: the last counts", record(entry(b"a", field(3, ints) + field(2, floats)))
    yield "kinds by turns", record(entry(b"a", field(3, ints) + field(2, floats) + field(3, number(9))))
    yield "a value in two parts", record(field(1, field(1, b"a") + field(2, field(3, ints)) + field(2, field(3, number(9)))))
    yield "a value before its name", record(field(1, field(2, field(3, ints)) + field(1, b"a")))
    yield "no name", record(field(1, field(2, field(3, ints))))
    yield "no value", record(field(1, field(1, b"a")))
    yield "no kind", record(entry(b"a", b""))
    yield "unknown fields", b"\x10\x01" + record(entry(b"a", field(3, ints + b"\x10\x05") + field(9, b"xyz"))) + b"\x1d\x00\x00\x00\x00"
    yield "a number in ten bytes", record(entry(b"a", field(3, field(1, b"\xff" * 9 + b"\x01"))))
    yield "a number in more bytes than it needs", record(entry(b"a", field(3, field(1, b"\x81\x80\x80\x00"))))
    yield "an empty record", b""
    yield "empty features", record()
    yield "a number cut short", record(entry(b"a", field(3, field(1, b"\x81"))))
    yield "a number of eleven bytes", record(entry(b"a", field(3, field(1, b"\xff" * 10 + b"\x01"))))
    yield "a float cut short", record(entry(b"a", field(2, field(1, b"\x00\x00\x00"))))
    yield "a list beyond its end", record(entry(b"a", b"\x1a\x09\x0a\x01\x01"))
    yield "a name that is not UTF-8", record(entry(b"\xff", field(3, ints)))
    yield "field 0", b"\x00\x01"
    yield "no message", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"


def features_in(record):
    try:
        example = tf.train.Example.FromString(record)
    except Exception:
        return None
    features = {}
    for name, feature in example.features.feature.items():
        kind = feature.WhichOneof("kind")
        features[name] = [kind[: -len("_list")], shown(getattr(feature, kind).value)] if kind else ["no values", []]
    return features


def shown(values):
    return [value.hex() if isinstance(value, bytes) else value for value in values]


# ---- token ids of fixed length

def padded_rows(length):
    tokenizer = tokenizers.Tokenizer.from_file(str(DATA.parent / "tiny_bert" / "tokenizer.json"))
    tokenizer.enable_truncation(length)
    tokenizer.enable_padding(length=length, pad_id=tokenizer.token_to_id("[PAD]"))
    names = ["input_ids", "token_type_ids", "attention_mask"]
    for text, pair in [("the film", "good"), ("the good film the good film", "the film the film"), ("", "")]:
        encoding = tokenizer.encode(text, pair)
        columns = zip(names, [encoding.ids, encoding.type_ids, encoding.attention_mask])
        example = example_of({name: ("int64", values) for name, values in columns})
        features = {name: tf.io.FixedLenFeature((length,), tf.int64) for name in names}
        parsed = tf.io.parse_single_example(example.SerializeToString(), features)
        yield {"text": text, "pair": pair, "features": {name: parsed[name].numpy().tolist() for name in names}}


# ---- the order of shards

def order_of(shards, reads):
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{shard}" for shard in range(len(shards))]
        for shard, (path, count) in enumerate(zip(paths, shards)):
            write_records(path, [f"{shard}:{i}".encode() for i in range(count)])
        dataset = tf.data.TFRecordDataset(paths, num_parallel_reads=reads)
        return [record.decode() for record in dataset.as_numpy_iterator()]


def dump(name, value):
    (DATA / name).write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
