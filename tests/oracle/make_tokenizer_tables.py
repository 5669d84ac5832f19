"""Makes src/portune/text/unicode/tables.inc by asking the `tokenizers` wheel about every code point.

Run by hand from the root of the repository, with tokenizers 0.23.3 (half a minute):
    python tests/oracle/make_tokenizer_tables.py
The wheel mixes several ages of Unicode, so that no library and no newer table gives its answers; asking it does.
The tables are written as ranges, which are short, and unfolded at run time.
"""

import pathlib
import unicodedata

import tokenizers
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

TARGET = pathlib.Path("src/portune/text/unicode/tables.inc")
VERSION = "0.23.3"
assert tokenizers.__version__ == VERSION

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
HANGUL = range(0xAC00, 0xD7A4)
# The bits of a class, as in src/portune/text/unicode/unicode.h.
CONTROL, SPACE, PUNCTUATION, MARK, CJK, WORD = 1, 2, 4, 8, 16, 32


def bert(**on):
    flags = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**(flags | on)).normalize_str


def is_word(c):
    """The wheel's regex class \\w, seen through the rule that a single-word token needs no word beside it."""
    return len(SINGLE_WORD.encode("\x01" + chr(c), add_special_tokens=False).ids) == 1


SINGLE_WORD = Tokenizer(models.WordPiece({"[UNK]": 0, "\x01": 1}, unk_token="[UNK]"))
SINGLE_WORD.add_tokens([AddedToken("\x01", single_word=True, normalized=False)])

nfd = normalizers.NFD().normalize_str
clean, cjk = bert(clean_text=True), bert(handle_chinese_chars=True)
strip, lower = bert(strip_accents=True), bert(lowercase=True)
split = pre_tokenizers.BertPreTokenizer().pre_tokenize_str


def class_of(c):
    text = chr(c)
    pieces = len(split("a" + text + "a"))
    return (
        CONTROL * (clean(text) == "")
        | SPACE * (pieces == 2)
        | PUNCTUATION * (pieces == 3)
        | MARK * (nfd(text) == text and strip(text) == "")
        | CJK * (cjk(text) != text)
        | WORD * is_word(c)
    )


def class_ranges():
    """(first code point, class) of each run of equal classes; surrogates count with what stands before them."""
    ranges = []
    for c in CODE_POINTS:
        value = class_of(c)
        if not ranges or ranges[-1][1] != value:
            ranges.append((c, value))
    return ranges


def combining_classes():
    """Canonical combining class of each code point that the wheel reorders. The class numbers are those of Python's
    table (they never change); which class a code point has is found by how it sorts beside a member of each class."""
    sorts_after = lambda a, b: a != b and nfd(a + b) == b + a
    members = {1: "\u0334"}
    for c in CODE_POINTS:
        if sorts_after(chr(c), members[1]):
            members.setdefault(unicodedata.combining(chr(c)), chr(c))
    classes = {}
    for c in CODE_POINTS:
        text = chr(c)
        if nfd(text) != text or not (sorts_after(text, members[1]) or sorts_after(members[240], text)):
            continue
        equal = [n for n, m in members.items() if not sorts_after(text, m) and not sorts_after(m, text)]
        assert len(equal) == 1, (hex(c), equal)
        classes[c] = equal[0]
    return classes


def runs(mapping, step):
    """[first, last, stride, value] where mapping[c] == value for c in range(first, last + 1, stride)."""
    result = []
    for c, value in sorted(mapping.items()):
        if result and result[-1][3] == value:
            first, last, stride, _ = result[-1]
            if c - last <= step and (first == last or c - last == stride):
                result[-1][1:3] = c, c - last
                continue
        result.append([c, c, 1, value])
    return result


def decompositions():
    """{code point: full canonical decomposition}, Hangul syllables left out because arithmetic gives them."""
    result = {c: nfd(chr(c)) for c in CODE_POINTS if nfd(chr(c)) != chr(c)}
    for c in HANGUL:
        lead, vowel, tail = (c - 0xAC00) // 588, (c - 0xAC00) // 28 % 21, (c - 0xAC00) % 28
        expected = chr(0x1100 + lead) + chr(0x1161 + vowel) + (chr(0x11A7 + tail) if tail else "")
        assert result.pop(c) == expected
    for text in result.values():
        for d in text:
            assert nfd(d) == d
    return result


def lowercases():
    """{code point: distance to its lower case}; U+0130, which has two letters, is left to the code."""
    changed = {c: lower(chr(c)) for c in CODE_POINTS if lower(chr(c)) != chr(c)}
    assert changed.pop(0x130) == "i\u0307"
    return {c: ord(text) - c for c, text in changed.items()}


def write_array(out, declaration, rows):
    out.append(f"constexpr {declaration} = {{")
    line = ""
    for row in rows:
        if len(line) + len(row) > 118:
            out.append(line)
            line = ""
        line += row
    out += [line, "};"]


out = [
    f"// Made by tests/oracle/make_tokenizer_tables.py from tokenizers {VERSION}: do not edit.",
    "// clang-format off",
]
write_array(out, "ClassRange kClassRanges[]", [f"{{{c},{v}}}," for c, v in class_ranges()])
write_array(out, "CombiningRange kCombiningRanges[]",
            [f"{{{a},{b},{v}}}," for a, b, _, v in runs(combining_classes(), 1)])
write_array(out, "LowercaseRange kLowercaseRanges[]",
            [f"{{{a},{b},{s},{v}}}," for a, b, s, v in runs(lowercases(), 2)])
write_array(out, "char32_t kDecompositions[]",
            [f"{c}," + "".join(f"{ord(d)}," for d in text) + "0," for c, text in decompositions().items()])
TARGET.write_text("\n".join(out) + "\n")
