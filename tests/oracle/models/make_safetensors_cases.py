"""Makes tests/data/safetensors: small valid and invalid files, and the verdict of the `safetensors` package on each.

Run by hand from the root of the repository, with safetensors 0.8.0 and numpy:
    python tests/oracle/models/make_safetensors_cases.py
Portatune must accept and reject the same files, except where a case states another verdict and its reason.
"""

import json
import pathlib
import struct

import numpy
import safetensors.numpy

TARGET = pathlib.Path("tests/data/safetensors")
CASES = []


def file_of(header, data=b"", length=None):
    """A file with this header (JSON text, bytes or an object), a header length that may be wrong, and data."""
    if isinstance(header, dict):
        header = json.dumps(header)
    if isinstance(header, str):
        header = header.encode()
    return struct.pack("<Q", len(header) if length is None else length) + header + data


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def case(name, content, mentions=(), portatune=None, because=None):
    """mentions: text that Portatune's error must contain; portatune: its verdict if that differs from the package's."""
    CASES.append(dict(name=name, content=content, mentions=list(mentions), portatune=portatune, because=because))


F4 = bytes(range(16))  # four float32
W = entry("F32", [4], 0, 16)
W_TEXT = '{"dtype":"F32","shape":[4],"data_offsets":[0,16]}'

# Valid files
case("one_tensor", file_of({"w": W}, F4))
case("metadata", file_of({"__metadata__": {"format": "pt", "note": "\u00e4\n"}, "w": W}, F4))
case("no_tensors", file_of({}))
case("only_metadata", file_of({"__metadata__": {"format": "pt"}}))
case("padded_header", file_of(json.dumps({"w": W}) + " " * 13, F4))
case("newline_after_header", file_of(json.dumps({"w": W}) + "\n", F4))
case("scalar", file_of({"w": entry("F64", [], 0, 8)}, F4[:8]))
case("empty_tensor", file_of({"e": entry("F32", [0, 7], 0, 0), "w": W}, F4))
case("empty_tensor_at_the_end", file_of({"w": W, "e": entry("F32", [3, 0], 16, 16)}, F4))
case("out_of_order", file_of({"b": entry("U8", [4], 12, 16), "a": entry("F32", [3], 0, 12)}, F4))
case("escaped_name", file_of('{"\\u0077\\/\\"":%s}' % W_TEXT, F4))
case("keys_in_any_order", file_of('{"w":{"data_offsets":[0,16],"shape":[4],"dtype":"F32"}}', F4))
ALL = ["BOOL", "I8", "U8", "I16", "F16", "BF16", "I32", "U32", "F32", "I64", "U64", "F64"]
SIZES = [1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8]
ENDS = [sum(SIZES[: i + 1]) for i in range(len(SIZES))]
case(
    "every_dtype",
    file_of({d.lower(): entry(d, [1], e - s, e) for d, s, e in zip(ALL, SIZES, ENDS)}, bytes(ENDS[-1])),
)
case(
    "written_by_the_package",
    safetensors.numpy.save(
        {"a": numpy.arange(6, dtype=numpy.float32).reshape(2, 3), "b": numpy.array([7, -8], dtype=numpy.int64)},
        metadata={"format": "pt"},
    ),
)

# Length of the header
case("empty_file", b"", ["0 bytes"])
case("seven_bytes", b"\x00" * 7, ["7 bytes"])
case("length_only", struct.pack("<Q", 2), ["8 bytes", "10 bytes"])
case("zero_length", file_of(b"", F4))
case("length_beyond_file", file_of({"w": W}, F4, length=500), ["508 bytes"])
case("length_2_to_63", file_of({"w": W}, F4, length=2**63), ["9223372036854775808 bytes"])
case("length_2_to_64_less_1", file_of({"w": W}, F4, length=2**64 - 1), ["18446744073709551615 bytes"])
case("length_over_100_million", file_of({"w": W}, F4, length=100_000_001), ["100000001 bytes", "100000000 bytes"])
case("length_cuts_json", file_of({"w": W}, F4, length=20))
case("length_takes_in_data", file_of({"w": W}, F4, length=len(json.dumps({"w": W})) + 16))
case("pickle", b"\x80\x02}q\x00(X\x01\x00\x00\x00wq\x01K\x01u.", ["safetensors"])
case("zip", b"PK\x03\x04\x14\x00\x08\x08\x08\x00" + bytes(20), ["safetensors"])
case("git_lfs_pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4\n", ["git lfs pull"])

# The header is not valid JSON of the expected form
case(
    "starts_with_space",
    file_of(" " + json.dumps({"w": W}), F4),
    ["start with {"],
    portatune="reject",
    because="the format says that the header starts with {",
)
case("array", file_of("[]"), ["start with {"])
case("not_utf8", file_of(b'{"\xff":' + W_TEXT.encode() + b"}", F4), ["UTF-8"])
case("text_after_object", file_of(json.dumps({"w": W}) + "x", F4))
case("second_object", file_of(json.dumps({"w": W}) + "{}", F4))
case("nul_after_object", file_of(json.dumps({"w": W}) + "\0", F4))
case("trailing_comma", file_of('{"w":%s,}' % W_TEXT, F4))
case("missing_comma", file_of('{"w":%s "v":%s}' % (W_TEXT, W_TEXT), F4))
case("unclosed", file_of('{"w":%s' % W_TEXT, F4))
case("comment", file_of('{/**/"w":%s}' % W_TEXT, F4))
case("control_character_in_name", file_of('{"w\n":%s}' % W_TEXT, F4))
case("lone_surrogate_in_name", file_of('{"\\ud800":%s}' % W_TEXT, F4))
case("deep_nesting", file_of('{"w":' + "[" * 500 + "]" * 500 + "}", F4), ["'w'"])
case("entry_is_a_number", file_of({"w": 3}, F4), ["'w'"])
case("entry_is_null", file_of({"w": None}, F4), ["'w'"])
case("metadata_is_a_list", file_of({"__metadata__": [], "w": W}, F4))
case("metadata_value_is_a_number", file_of({"__metadata__": {"epoch": 3}, "w": W}, F4))
case("metadata_value_is_an_object", file_of({"__metadata__": {"a": {}}, "w": W}, F4))
case(
    "metadata_null",
    file_of({"__metadata__": None, "w": W}, F4),
    portatune="reject",
    because="the format says that __metadata__ is a map of strings",
)

# An entry is invalid
case("no_dtype", file_of({"w": {"shape": [4], "data_offsets": [0, 16]}}, F4), ["'w'", "dtype"])
case("no_shape", file_of({"w": {"dtype": "F32", "data_offsets": [0, 16]}}, F4), ["'w'", "shape"])
case("no_offsets", file_of({"w": {"dtype": "F32", "shape": [4]}}, F4), ["'w'", "data_offsets"])
case("unknown_dtype", file_of({"w": entry("F31", [4], 0, 16)}, F4), ["'w'", "'F31'", "BF16"])
case("lower_case_dtype", file_of({"w": entry("f32", [4], 0, 16)}, F4), ["'w'", "'f32'"])
case("dtype_is_a_number", file_of({"w": entry(32, [4], 0, 16)}, F4), ["'w'"])
for dtype, size in (("U16", 2), ("F8_E4M3", 1), ("F8_E5M2", 1), ("C64", 8)):
    case(
        "dtype_" + dtype.lower(),
        file_of({"w": entry(dtype, [2], 0, 2 * size)}, F4[: 2 * size]),
        ["'w'", "'%s'" % dtype],
        portatune="reject",
        because="an element type that Portatune does not compute with",
    )
case("negative_size", file_of({"w": entry("F32", [-4], 0, 16)}, F4), ["'w'"])
case("fractional_size", file_of({"w": entry("F32", [4.5], 0, 16)}, F4), ["'w'"])
case("size_4_point_0", file_of('{"w":{"dtype":"F32","shape":[4.0],"data_offsets":[0,16]}}', F4), ["'w'"])
case("size_is_text", file_of({"w": entry("F32", ["4"], 0, 16)}, F4), ["'w'"])
case("size_beyond_64_bits", file_of({"w": entry("F32", [2**64], 0, 16)}, F4), ["'w'"])
case("leading_zero", file_of('{"w":{"dtype":"F32","shape":[04],"data_offsets":[0,16]}}', F4), ["'w'"])
case("shape_is_a_number", file_of({"w": entry("F32", 4, 0, 16)}, F4), ["'w'"])
case("shape_is_null", file_of({"w": entry("F32", None, 0, 16)}, F4), ["'w'"])
case("product_overflows", file_of({"w": entry("F32", [2**33, 2**33], 0, 16)}, F4), ["'w'"])
case("product_overflows_to_16_bytes", file_of({"w": entry("F32", [2**62 + 1, 4], 0, 16)}, F4), ["'w'"])
case("product_overflows_before_zero", file_of({"w": entry("F32", [2**40, 2**40, 0], 0, 0)}), ["'w'"])
case(
    "bytes_beyond_63_bits_times_zero",
    file_of({"w": entry("F32", [2**62, 0], 0, 0)}),
    ["'w'"],
    portatune="reject",
    because="a dimension of 2^62 is refused even beside a dimension of 0",
)
case(
    "elements_beyond_63_bits_times_zero",
    file_of({"w": entry("U8", [2**62, 3, 0], 0, 0)}),
    ["'w'"],
    portatune="reject",
    because="3 x 2^62 elements are refused even beside a dimension of 0",
)
case("one_offset", file_of({"w": {"dtype": "F32", "shape": [4], "data_offsets": [0]}}, F4), ["'w'"])
case("three_offsets", file_of({"w": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16, 16]}}, F4), ["'w'"])
case("negative_offset", file_of({"w": entry("F32", [4], -16, 0)}, F4), ["'w'"])
case("offsets_reversed", file_of({"w": entry("F32", [4], 16, 0)}, F4), ["'w'", "[16, 0]"])
case("offsets_at_the_top", file_of({"w": entry("F32", [4], 2**64 - 17, 2**64 - 1)}, F4), ["'w'"])
case("too_few_bytes", file_of({"w": entry("F32", [5], 0, 16)}, F4), ["'w'", "16 bytes", "20 bytes"])
case("too_many_bytes", file_of({"w": entry("F32", [3], 0, 16)}, F4), ["'w'", "16 bytes", "12 bytes"])
case("duplicate_dtype", file_of('{"w":{"dtype":"F32","dtype":"F32","shape":[4],"data_offsets":[0,16]}}', F4), ["'w'"])
case(
    "unknown_key_in_entry",
    file_of({"w": dict(W, device="cuda")}, F4),
    ["'w'", "'device'"],
    portatune="reject",
    because="the format knows no such key",
)
RANK_17 = entry("F32", [1] * 16 + [4], 0, 16)
case("rank_16", file_of({"w": entry("F32", [1] * 15 + [4], 0, 16)}, F4))
case("rank_17", file_of({"w": RANK_17}, F4), ["'w'", "16"], portatune="reject", because="no model has such a tensor")
case(
    "long_name",
    file_of({"n" * 5000: W}, F4),
    ["5000 bytes"],
    portatune="reject",
    because="no model has such a name; names go into messages and other files",
)

# Entries contradict each other or the file
case("truncated_data", file_of({"w": W}, F4[:10]), ["'w'", "80 bytes", "86 bytes", "cut short"])
case("truncated_by_one", file_of({"w": W}, F4[:15]), ["'w'", "cut short"])
case("tail", file_of({"w": W}, F4 + b"hidden"), ["promises"])
case("tail_without_tensors", file_of({}, b"hidden"), ["promises"])
case("hole", file_of({"a": entry("U8", [4], 0, 4), "b": entry("U8", [4], 12, 16)}, F4), ["'b'", "byte 12", "byte 4"])
case("hole_at_the_start", file_of({"w": entry("U8", [12], 4, 16)}, F4), ["'w'", "byte 4", "byte 0"])
case("overlap", file_of({"a": entry("U8", [10], 0, 10), "b": entry("U8", [10], 6, 16)}, F4), ["'b'", "byte 6"])
case("same_bytes_twice", file_of({"a": W, "b": W}, F4))
case(
    "empty_tensor_inside_another",
    file_of({"w": W, "e": entry("F32", [0], 8, 8)}, F4),
    ["'e'", "byte 8"],
)
case(
    "duplicate_name",
    file_of('{"w":%s,"w":%s}' % (W_TEXT, W_TEXT), F4),
    ["'w'"],
    portatune="reject",
    because="the format forbids duplicate keys; the package keeps the last",
)
A_TEXT = '{"dtype":"U8","shape":[8],"data_offsets":[0,8]}'
B_TEXT = '{"dtype":"U8","shape":[8],"data_offsets":[8,16]}'
case("duplicate_name_other_bytes", file_of('{"w":%s,"w":%s}' % (A_TEXT, B_TEXT), F4), ["'w'"])
case("duplicate_name_by_escape", file_of('{"w":%s,"\\u0077":%s}' % (A_TEXT, B_TEXT), F4), ["'w'"])
case(
    "duplicate_empty_tensor",
    file_of('{"w":%s,"e":%s,"e":%s}' % ((W_TEXT,) + ('{"dtype":"F32","shape":[0],"data_offsets":[16,16]}',) * 2), F4),
    ["'e'", "this name"],
    portatune="reject",
    because="the format forbids duplicate keys; the package keeps the last",
)
case(
    "duplicate_metadata",
    file_of('{"__metadata__":{},"__metadata__":{},"w":%s}' % W_TEXT, F4),
    ["__metadata__"],
)
case(
    "duplicate_metadata_key",
    file_of('{"__metadata__":{"a":"1","a":"2"},"w":%s}' % W_TEXT, F4),
    ["'a'"],
    portatune="reject",
    because="the format forbids duplicate keys; the package keeps the last",
)


def verdict(path):
    """The verdict of the package, accept or reject, and its message."""
    try:
        # safe_open reads the header only: numpy lacks some of the element types.
        with safetensors.safe_open(path, framework="numpy") as file:
            file.keys()
        return "accept", ""
    except Exception as error:  # noqa: BLE001 - any refusal counts
        return "reject", str(error)


def main():
    TARGET.mkdir(parents=True, exist_ok=True)
    rows = []
    for each in CASES:
        path = TARGET / (each["name"] + ".safetensors")
        path.write_bytes(each["content"])
        package, words = verdict(path)
        portatune = each["portatune"] or package
        assert (portatune != package) == (each["because"] is not None), (each["name"], package, words)
        row = dict(name=each["name"], package=package, says=words, portatune=portatune, mentions=each["mentions"])
        if each["because"]:
            row["because"] = each["because"]
        rows.append(row)
    (TARGET / "verdicts.json").write_text(json.dumps(rows, indent=1) + "\n")
    rejected = sum(row["package"] == "reject" for row in rows)
    print(f"{len(rows)} files, {rejected} refused by safetensors {safetensors.__version__}")


main()
