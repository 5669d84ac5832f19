"""Makes src/portatune/text/unicode/tables.inc from the answers of the `tokenizers` wheel for every code point.

Run by hand from the root of the repository, with tokenizers 0.23.3 (three minutes):
    python tests/oracle/text/make_tokenizer_tables.py
The wheel mixes several versions of Unicode, so that no library and no newer table agrees with it everywhere. The tables
are written as ranges, which are short, and expanded at run time.
"""

import pathlib
import struct
import unicodedata

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

TARGET = pathlib.Path("src/portatune/text/unicode/tables.inc")
VERSION = "0.23.3"
assert tokenizers.__version__ == VERSION

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
HANGUL = range(0xAC00, 0xD7A4)
# The bits of a class, as in src/portatune/text/unicode/unicode.h.
CONTROL, SPACE, PUNCTUATION, MARK, CJK, WORD = 1, 2, 4, 8, 16, 32
COMBINING_MARK, NUMERIC, EXTENDS, PREPENDS, BREAKS, PICTOGRAPH = 64, 128, 256, 512, 1024, 2048
CATEGORIES = "Cn Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co".split()


def bert(**on):
    flags = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**(flags | on)).normalize_str


def is_word(c):
    """The wheel's regex class \\w, found by the rule that a single-word token has no word beside it."""
    return len(SINGLE_WORD.encode("\x01" + chr(c), add_special_tokens=False).ids) == 1


SINGLE_WORD = Tokenizer(models.WordPiece({"[UNK]": 0, "\x01": 1}, unk_token="[UNK]"))
SINGLE_WORD.add_tokens([AddedToken("\x01", single_word=True, normalized=False)])

nfc, nfd = normalizers.NFC().normalize_str, normalizers.NFD().normalize_str
nfkd = normalizers.NFKD().normalize_str
clean, cjk = bert(clean_text=True), bert(handle_chinese_chars=True)
strip, lower = bert(strip_accents=True), bert(lowercase=True)
split = pre_tokenizers.BertPreTokenizer().pre_tokenize_str


def matches(regex):
    """The code points that the wheel's regexes match in runs."""
    keep = pre_tokenizers.Split(Regex(regex), "removed", invert=True)
    return {ord(c) for run, _ in keep.pre_tokenize_str("".join(map(chr, CODE_POINTS))) for c in run}


def categories():
    """{code point: index into CATEGORIES}, in the regexes' version of Unicode."""
    result = {c: i for i, name in enumerate(CATEGORIES) for c in matches(r"\p{%s}+" % name)}
    assert len(result) == len(CODE_POINTS)
    return result


def cluster_counter():
    """The number of grapheme clusters that the wheel finds in a text without clusters of 6 bytes or more: the number of
    X in the result of a charsmap that replaces anything beginning with any byte by X.
    """
    units = [0] * 768
    units[0] = 256 << 10  # the root: byte c leads to unit 256 + c
    for byte in range(1, 256):
        units[256 + byte] = byte | 1 << 8 | 768 << 10  # a leaf at unit 512 + c, whose value is 0: the X
    charsmap = struct.pack("<I", 4 * len(units)) + struct.pack(f"<{len(units)}I", *units) + b"X\0"
    normalize = normalizers.Precompiled(charsmap).normalize_str
    return lambda text: len(normalize(text))


clusters = cluster_counter()
strip_marks = normalizers.StripAccents().normalize_str
digits = pre_tokenizers.Digits(individual_digits=True).pre_tokenize_str


def class_of(c):
    text = chr(c)
    pieces = len(split("a" + text + "a"))
    return (
        COMBINING_MARK * (strip_marks(text) == "")
        | NUMERIC * (len(digits("a" + text)) == 2)
        | EXTENDS * (clusters("a" + text) == 1)
        | PREPENDS * (clusters(text + "a") == 1)
        # A pictograph and U+200D make a cluster of 6 bytes or more, which is looked up by code points.
        | PICTOGRAPH * (clusters("a" + text) == 2 and clusters("\u00a9\u200d" + text) == 3)
        # A mark makes a cluster with any other code point. After one of 4 bytes the cluster would have 6,
        # and those are not looked up.
        | BREAKS * (len(text.encode()) < 4 and clusters(text + "\u0301") == 2)
        | CONTROL * (clean(text) == "")
        | SPACE * (pieces == 2)
        | PUNCTUATION * (pieces == 3)
        | MARK * (nfd(text) == text and strip(text) == "")
        | CJK * (cjk(text) != text)
        | WORD * is_word(c)
    )


def class_ranges():
    """(first code point, class, category) of each run of equal ones; surrogates count with the run before them."""
    category_of, ranges = categories(), []
    for c in CODE_POINTS:
        value = (class_of(c), category_of[c])
        if not ranges or ranges[-1][1:] != value:
            ranges.append((c, *value))
    return ranges


def combining_classes():
    """Canonical combining class of each code point that the wheel reorders. The class numbers are those of Python's
    table (they never change); the class of a code point follows from its order beside a member of each class.
    """
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
    """{code point: full canonical decomposition} without Hangul syllables, which are computed arithmetically."""
    result = {c: nfd(chr(c)) for c in CODE_POINTS if nfd(chr(c)) != chr(c)}
    for c in HANGUL:
        lead, vowel, tail = (c - 0xAC00) // 588, (c - 0xAC00) // 28 % 21, (c - 0xAC00) % 28
        expected = chr(0x1100 + lead) + chr(0x1161 + vowel) + (chr(0x11A7 + tail) if tail else "")
        assert result.pop(c) == expected
    for text in result.values():
        for d in text:
            assert nfd(d) == d
    return result


def compatibility_decompositions():
    """{code point: full compatibility decomposition} where that is not the canonical one."""
    return {c: nfkd(chr(c)) for c in CODE_POINTS if nfkd(chr(c)) != nfd(chr(c))}


def compositions():
    """(first, second, composite): the pairs that NFC composes, without Hangul."""
    result = []
    for c in CODE_POINTS:
        text = nfd(chr(c))
        if len(text) < 2 or c in HANGUL or nfc(chr(c)) != chr(c):
            continue
        first = nfc(text[:-1])
        assert len(first) == 1 and nfc(first + text[-1]) == chr(c), hex(c)
        result.append((ord(first), ord(text[-1]), c))
    return sorted(result)


def lowercases():
    """{code point: distance to its lower case}; the code handles U+0130, whose lower case has two letters."""
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
    f"// Made by tests/oracle/text/make_tokenizer_tables.py from tokenizers {VERSION}: do not edit.",
    "// clang-format off",
]
write_array(out, "ClassRange kClassRanges[]", [f"{{{c},{v},{category}}}," for c, v, category in class_ranges()])
write_array(out, "CombiningRange kCombiningRanges[]",
            [f"{{{a},{b},{v}}}," for a, b, _, v in runs(combining_classes(), 1)])
write_array(out, "LowercaseRange kLowercaseRanges[]",
            [f"{{{a},{b},{s},{v}}}," for a, b, s, v in runs(lowercases(), 2)])
write_array(out, "char32_t kDecompositions[]",
            [f"{c}," + "".join(f"{ord(d)}," for d in text) + "0," for c, text in decompositions().items()])
write_array(out, "char32_t kCompatibilityDecompositions[]",
            [f"{c}," + "".join(f"{ord(d)}," for d in text) + "0,"
             for c, text in compatibility_decompositions().items()])
write_array(out, "Composition kCompositions[]", [f"{{{a},{b},{c}}}," for a, b, c in compositions()])
TARGET.write_text("\n".join(out) + "\n")
