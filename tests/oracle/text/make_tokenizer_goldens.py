"""Makes tests/data/tokenizer: the encodings of every code point and of many small texts by tokenizers 0.23.3.

Run by hand from the root of the repository, with tokenizers 0.23.3:
    python tests/oracle/text/make_tokenizer_goldens.py
code_points.json: digests over blocks of code points. encodings.json: a small tokenizer, changes to it, and cases.
"""

import itertools
import json
import pathlib
import random

import tokenizers
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

FOLDER = pathlib.Path("tests/data/tokenizer")
STRATEGIES = ["longest_first", "only_first", "only_second"]
BLOCK = 0x4000
assert tokenizers.__version__ == "0.23.3"


# ---- every code point


def fnv1a(chunks):
    """64-bit FNV-1a of the chunks' bytes, each chunk followed by a byte that does not occur in UTF-8."""
    value = 0xCBF29CE484222325
    for chunk in chunks:
        for byte in chunk + b"\xff":
            value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def digests(function):
    """One digest per block of code points, without surrogates, of function(character)."""
    blocks = (range(first, first + BLOCK) for first in range(0, 0x110000, BLOCK))
    return [fnv1a(function(chr(c)).encode() for c in block if not 0xD800 <= c < 0xE000) for block in blocks]


def bert(**on):
    flags = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**(flags | on)).normalize_str


def words_around(c):
    return "|".join(word for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str("a" + c + "a"))


def word_character(c, probe=[]):
    if not probe:
        probe.append(Tokenizer(models.WordPiece({"[UNK]": 0, "\x01": 1}, unk_token="[UNK]")))
        probe[0].add_tokens([AddedToken("\x01", single_word=True, normalized=False)])
    return "no" if len(probe[0].encode("\x01" + c).ids) > 1 else "yes"


FORMS = ("NFC", "NFD", "NFKC", "NFKD", "StripAccents", "Lowercase", "Nmt")


def make_forms():
    """Normalizers that have no options, of each code point alone and before two marks."""
    made = {}
    for name in FORMS:
        normalize = getattr(normalizers, name)().normalize_str
        made[name] = digests(normalize)
        made[name + ", marks"] = digests(lambda c: normalize(c + "\u0301\u0323"))
    return made


def make_code_points():
    return make_forms() | {
        "block": BLOCK,
        "clean_text": digests(bert(clean_text=True)),
        "handle_chinese_chars": digests(bert(handle_chinese_chars=True)),
        "strip_accents": digests(bert(strip_accents=True)),
        "lowercase": digests(bert(lowercase=True)),
        "all": digests(bert(clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True)),
        "words": digests(words_around),
        "word_character": digests(word_character),
    }


# ---- a small tokenizer and changes to it


def small_vocabulary():
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    words = ["the", "cat", "dog", "un", "play", "cafe", "caf\u00e9", "The", "Cat", "internationalisations", "\u4e2d", "\u6587", "na",
             "\u0627", "\u043f\u0440\u0438\u0432\u0435\u0442", "\u1112", "\u0661", "\U0001f600", "\u201c", "--"]
    pieces = ["s", "ing", "ed", "able", "aff", "isations", "\u00e9", "\u0301", "\u1161", "\u11ab", "\u043f\u0440", "\u302e", "\u200d", "internationalisations"]
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *".,!?-'\"()[]#<>", *words]
    tokens += ["##" + piece for piece in [*letters, *pieces]]
    return {token: i for i, token in enumerate(tokens)}


def added(content, **flags):
    defaults = dict(id=0, special=False, single_word=False, lstrip=False, rstrip=False, normalized=False)
    return dict(content=content, **(defaults | flags))


SPECIAL = [added(token, special=True) for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]
TOKEN = lambda name, type_id: {"SpecialToken": {"id": name, "type_id": type_id}}
TEXT = lambda name, type_id: {"Sequence": {"id": name, "type_id": type_id}}
BASE = {
    "version": "1.0",
    "added_tokens": SPECIAL,
    "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": True},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {
        "type": "TemplateProcessing",
        "single": [TOKEN("[CLS]", 0), TEXT("A", 0), TOKEN("[SEP]", 0)],
        "pair": [TOKEN("[CLS]", 0), TEXT("A", 0), TOKEN("[SEP]", 0), TEXT("B", 1), TOKEN("[SEP]", 1)],
        "special_tokens": {name: {"id": name, "ids": [i], "tokens": [name]} for name, i in (("[CLS]", 2), ("[SEP]", 3))},
    },
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100, "vocab": small_vocabulary()},
}
# Merge patches (RFC 7396): null removes a field.
PATCHES = {
    "uncased": {},
    "cased": {"normalizer": {"lowercase": False}},
    "cased, accents stripped": {"normalizer": {"lowercase": False, "strip_accents": True}},
    "uncased, accents kept": {"normalizer": {"strip_accents": False}},
    "not cleaned": {"normalizer": {"clean_text": False, "handle_chinese_chars": False}},
    "no normalizer": {"normalizer": None},
    "short words": {"model": {"max_input_chars_per_word": 4}},
    "other prefix": {"model": {"continuing_subword_prefix": "un", "unk_token": "the"}},
    "no prefix": {"model": {"continuing_subword_prefix": ""}},
    "BertProcessing": {"post_processor": {"type": "BertProcessing", "single": None, "pair": None, "special_tokens": None,
                                          "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}},
    "no post-processor": {"post_processor": None},
    "odd template": {"post_processor": {
        "single": [TEXT("A", 3), TOKEN("end", 4)],
        "pair": [TEXT("B", 1), TOKEN("end", 2), TEXT("A", 0)],
        "special_tokens": {"end": {"id": "end", "ids": [3, 4], "tokens": ["[SEP]", "[MASK]"]}}}},
    "added tokens": {"added_tokens": SPECIAL + [
        added("<x>"), added("<xy>"), added("<left>", lstrip=True), added("<right>", rstrip=True),
        added("<both>", lstrip=True, rstrip=True), added("word", single_word=True),
        added("Caf\u00e9", normalized=True), added("day", normalized=True, single_word=True),
        added("\u732b\u72ac", normalized=True), added("the", normalized=True, lstrip=True, special=True)]},
}


def merged(target, patch):
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


# ---- cases

LONG = "internationalisations" * 4  # 84 characters: words of more than 100 are unknown
NASTY = [
    "", " ", "\t\n\r \u3000", "The cat's playing, UNAFFABLE!", "cafe\u0301 caf\u00e9 CAF\u00c9 Cafe\u0327\u0301 na\u00efve", "e\u0327\u0301\u0316\u0344 \u0301a",
    "\u1e69\u0323\u0307 q\u0307\u0323 \u0344\u0316", "\u0f71\u0f72\u0f73\u0f81 \u302e\u302f\u0301a\u302e\U0001d165\U0001d16d", "\u4e2d\u6587and\u4e2da\u6587 \uf900\U0002f800\u3042\u30a2",
    "\ud55c\uae00 \ud55c\u0301", "\u0634\u0627\u0644\u0648\u0645 \u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd \u202b\u0661\u0662\u202c", "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f",
    "a\u00adb\u200bc\ufeffd\u2060e", "\ufffdx\ufffd \ufffe\uffff\U0010ffff", "a\0b\x01c\x7fd\x85e\x0bf\x0cg", "\ue000\u0378\U000e0001x", "\u0130\u0131I\u1e9e\u00df\u03a3\u03c2\u01c5",
    "\u037e\u1fef\u2000\u2126\u212b\u00bd", "\u2028\u2029\u00a0\u202f\u205f\u1680x", LONG + "s" * 16, LONG + "s" * 17,
    LONG + "\u4e2d" * 16, LONG + "\u00e9" * 16, LONG + "\u00e9" * 17,
    "xinternationalisations x", "abcdefghijklmno abcdefghijklmnop abcdefghijklmnopq", "....", "#a ##a [a] <x", "\u201cHi\u201d\u2014she\u2019s\u2026", "\u043f\u0440\u0438\u0432\u0435\u0442\u043f\u0440 \u041f\u0420\u0418\u0412\u0415\u0422",
    "[CLS] the [MASK] cat[SEP][mask] [MASK", "<xy><x> <left> <right> <both>\u3000word words sword word_ word.", "CAF\u00c9 caf\u00e9s day days Day\u0301 \u732b\u72ac \u732b \u72ac  the  The\tthe",
    "a <left><right> b  <both>  <both> ", "\u6c49\u5b57 the", "1\u06612\u00b2\u0967", "_ a_b $ ^ ` ~ | + = <> \u00a7\u00b6\u20ac\u00a9\u00ab\u00bb",
]


def random_texts(count):
    rng = random.Random(11)
    pools = [list("abcthe dog.,!-'ABCTHE  0"), [chr(c) for c in (*range(0x300, 0x362), 0x1D165, 0x1D16D, 0x302E, 0xF71, 0xF73)],
             [chr(c) for c in range(0xA0, 0x250)], [chr(c) for c in range(0x1E00, 0x2070)],
             [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000], list("\u4e2d\u6587\uf900\u3042\ud55c\u0915\u093c\u0958")]
    return ["".join(rng.choice(rng.choice(pools)) for _ in range(rng.randint(1, 24))) for _ in range(count)]


PAIRS = [("the cat", "the dog plays"), ("the cat is playing the dog", "un"), ("", "cat"), ("cat", ""), ("", ""),
         ("a b c d e f g", "a b c d e f g h"), ("a b c d e f g h i", "a b c d e f g"), ("caf\u00e9 [SEP] x", "\u4e2d\u6587 the")]


def cases():
    """(name of the patch, texts, max_length, strategy, add_special_tokens); no max_length: no truncation."""
    for name in PATCHES:
        for text in NASTY:
            yield name, [text], None, None, True
        for pair in PAIRS:
            yield name, list(pair), None, None, True
            yield name, list(pair), None, None, False
    for text in random_texts(50):
        yield "uncased", [text], None, None, True
        yield "cased, accents stripped", [text], None, None, True
    for pair, length, strategy in itertools.product(PAIRS, (4, 5, 6, 8, 9, 12), STRATEGIES):
        yield "uncased", list(pair), length, strategy, True
    for pair, length, strategy in itertools.product(PAIRS, (5, 8), STRATEGIES):
        yield "odd template", list(pair), length, strategy, True
    for pair, length, strategy in itertools.product(PAIRS, (1, 2, 5, 8), STRATEGIES):
        yield "uncased", list(pair), length, strategy, False
    for text, length, strategy in itertools.product(NASTY[3:6] + NASTY[30:34], (2, 3, 4, 7), STRATEGIES):
        yield "added tokens", [text], length, strategy, True


def encode(tokenizer, texts, max_length, strategy, add_special_tokens):
    """[ids, type ids, special tokens mask, sequence ids, word ids, offsets] or "error"."""
    if max_length is None:
        tokenizer.no_truncation()
    else:
        tokenizer.enable_truncation(max_length, strategy=strategy)
    try:
        e = tokenizer.encode(*texts, add_special_tokens=add_special_tokens)
    except Exception:  # the binding has no narrower class
        return "error"
    none = lambda values: [-1 if v is None else v for v in values]
    return [e.ids, e.type_ids, e.special_tokens_mask, none(e.sequence_ids), none(e.word_ids),
            [x for pair in e.offsets for x in pair]]


def make_encodings():
    made = {name: Tokenizer.from_str(json.dumps(merged(BASE, patch))) for name, patch in PATCHES.items()}
    # Most tokenizers omit components that change nothing for a text, which keeps the file small.
    seen, kept = set(), []
    for name, texts, *options in cases():
        result = encode(made[name], texts, *options)
        key = json.dumps([texts, options, result])
        if key not in seen:
            seen.add(key)
            kept.append([name, texts, *options, result])
    return kept


def write_lines(path, head, rows):
    lines = ",\n".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in rows)
    path.write_text(json.dumps(head, separators=(",", ":"))[:-1] + ',"cases":[\n' + lines + "\n]}\n", encoding="utf-8")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "code_points.json").write_text(json.dumps(make_code_points(), indent=0) + "\n")
    write_lines(FOLDER / "encodings.json", {"base": BASE, "patches": PATCHES}, make_encodings())
