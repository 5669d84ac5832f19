"""Small tokenizers, one or more for each component of tokenizer.json, and texts that are difficult for components. Used
by make_component_goldens.py and compare_tokenizer.py."""

import base64
import itertools
import json
import random
import string
import struct

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

SENTENCES = [
    "The quick brown fox jumps over the lazy dog, and it's 1234 o'clock; don't you'll we've THEY'RE.",
    "Tokenizers split words into pieces: un, able, ing, the, there, therefore, other, another.",
    "na\u00efve caf\u00e9s in Z\u00fcrich \u2014 \u4e2d\u6587 \u65e5\u672c\u8a9e \u041f\u0440\u0438\u0432\u0435\u0442 \U0001f600 2024-01-31, 3.14 and so on and so forth.",
]
TEXTS = SENTENCES + [
    "", " ", "  a  b  ", "\t\n\r\n x\n\n  y\u00a0\u3000z ", "don't DON'T 'sx 'LLy '\u017f 'Re '' ' s",
    "caf\u00e9 cafe\u0301 \u00c5 \u212b A\u030a \ufb01n \u2460\u00bd\u00b2 \u1e69\u0323\u0307 q\u0307\u0323 \u0344\u0301", "\ud55c\uae00 \u1112\u1161\u11ab \u1100\u1161\u11a8\u0301",
    "\u0130\u0131I\u1e9e\u00df\u03a3\u03c2 \u01c5 UPPER", "a\u00adb\u200bc\ufeffd\u2060e\ufffdf\x01g\x7fh\x85i\u2028j", "x.y,z!!(w)[v]-_-\u2026\u201cq\u201d \u00a7$^+=~",
    "12\u0661\u06623\u00b2\u2163 1,234.5 a1b22c333d4444", "<unk> <s></s> <m>x <m> y<0x41> <0xE4>", "\u2581a \u2581\u2581b\u2581 c", "a-b--c---d -e- f",
    "\u0e01\u0e33 \u0915\u094d\u0937\u093f \u0600a \u1f468\u200d x\u0301\u0302\u0303\u0304", "e\u0301\u0301\u0301 f\u0301 \ufb01\u0301 \u2460\u0301 \r\n\u0301 \n\u0301 \u0600\ufb01",
    "abc" * 30 + " " + "\u00e9" * 20, "\U0001d165\U0001d16d \U00011938 \U0001f1e9\U0001f1ea \u00a9\u200d\u2122\u0301 \u200d", "\u732b\u3092\u98fc\u3046\u3002\u5409\u8f29\u306f\u732b\u3067\u3042\u308b\u3002", "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645",
    # Repeated words, next to characters that prevent a cut at a space, and words of 14 to 17 bytes.
    "the dog the dog. THE  dog ``the'' an ing \u201cthe\u201d the\u0301 dog the\u00ad the \u0301the the <m> the dog the\tdog the\u00a0dog the~ the \r the",
    " the dog the", "the<m>the <m> the the ", "\u00adthe dog the", "\n the dog the  ", "thethethetheth thethethethethe thethethethethet thethethethethet the\u00e9the\u00e9theth",
]
PAIRS = [("the dog", " a fox's <m> tail "), ("", "x"), ("y 12", "")]


def added(content, **flags):
    defaults = dict(id=0, special=False, single_word=False, lstrip=False, rstrip=False, normalized=False)
    return dict(content=content, **(defaults | flags))


SPECIAL = [added("<unk>", special=True), added("<s>", special=True), added("</s>", special=True),
           added("<m>", special=True, lstrip=True)]


def characters():
    """All characters of the texts except a few, which stay unknown, and of the results of components."""
    unknown = "\U0001f600\u0437\u03c2\u2126~"
    seen = set("".join(TEXTS)) | set(string.printable) | set("\u2581\u00e9\u0301 fi1/2\u682a\u5f0f") | set("".join(pre_tokenizers.ByteLevel.alphabet()))
    return sorted(seen - set(unknown))


def tokens(more=()):
    listed = ["<unk>", "<s>", "</s>", "<m>", *characters(), *more]
    return {token: i for i, token in enumerate(dict.fromkeys(listed))}


def bpe(vocab, merges=(), **options):
    plain = dict(dropout=None, unk_token="<unk>", continuing_subword_prefix=None, end_of_word_suffix=None, fuse_unk=False,
                 byte_fallback=False, ignore_merges=False)
    return dict(type="BPE", **(plain | options), vocab=vocab, merges=[list(pair) for pair in merges])


CHARACTERS = bpe(tokens())
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
PIECES = [("th", "e"), ("t", "h"), ("i", "n"), ("in", "g"), ("a", "b"), ("ab", "c"), ("e", "r"), ("abc", "abc"), ("o", "t"), ("ot", "h"), ("oth", "er")]


def merged(pairs):
    return [a + b for a, b in pairs]


def charsmap(rules):
    """A SentencePiece charsmap, as a double array of the bytes of the rules' keys."""
    blob, values = b"", {}
    for key, value in rules.items():
        values[key.encode()] = len(blob)
        blob += value.encode() + b"\0"
    prefixes = sorted({key[:i] for key in values for i in range(len(key) + 1)}, key=lambda prefix: (len(prefix), prefix))
    units, position, taken = {0: 0}, {b"": 0}, {0}
    for prefix in prefixes:
        children = [p for p in prefixes if len(p) == len(prefix) + 1 and p.startswith(prefix)]
        wanted = [0] * (prefix in values) + [child[-1] for child in children]
        # The value is at the base, the child for a byte at base ^ byte.
        base = next(b for b in itertools.count(1) if not any((b ^ label) in taken for label in wanted))
        taken |= {base ^ label for label in wanted}
        units[position[prefix]] = (prefix[-1] if prefix else 0) | (prefix in values) << 8 | (position[prefix] ^ base) << 10
        position.update({child: base ^ child[-1] for child in children})
        if prefix in values:
            units[base] = values[prefix]
    trie = [units.get(i, 0) for i in range((max(units) | 255) + 1)]
    return struct.pack("<I", 4 * len(trie)) + struct.pack(f"<{len(trie)}I", *trie) + blob


RULES = {"\ufb01": "fi", "\u2460": "1", "\n": " ", "e\u0301": "\u00e9", "\u00e9": "e", "\u3000": " ", "\u2026": "...", "\u00ad": "",
         "\ufeff": "", "\u00bd": "1/2", "\u0301": "\u0301\u0301", "\u0600": "a", "\u212b": "\u00c5", "\r": ""}
PRECOMPILED = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap(RULES)).decode()}

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace("{1,3}", "")
CL100K = r"(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"
DEEPSEEK = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|"
            r"\s*[\r\n]+|\s+(?!\S)|\s+")
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]


def split(pattern, behavior="Isolated", invert=False):
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}


def byte_level(prefix=False, trim=True, regex=True):
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": trim, "use_regex": regex}


def metaspace(scheme, split):
    return {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": scheme, "split": split}


def sequence(kind, *stages):
    return {"type": "Sequence", kind: list(stages)}


def named(*types):
    return [{"type": name} for name in types]


NORMALIZERS = {
    **{name: {"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel")},
    "NFKD, StripAccents, Lowercase, NFC": sequence("normalizers", *named("NFKD", "StripAccents", "Lowercase", "NFC")),
    **{f"Strip {left} {right}": {"type": "Strip", "strip_left": left, "strip_right": right}
       for left, right in itertools.product((True, False), (True, False))},
    "Prepend": {"type": "Prepend", "prepend": "\u2581x"},
    "Replace string": {"type": "Replace", "pattern": {"String": "--"}, "content": "\u2014x"},
    "Replace regex": {"type": "Replace", "pattern": {"Regex": r" {2,}|\s"}, "content": "_"},
    "Replace by nothing": {"type": "Replace", "pattern": {"Regex": r"[aeiou]|\p{Lo}"}, "content": ""},
    "Precompiled": PRECOMPILED,
    "Precompiled, Strip, Replace": sequence("normalizers", PRECOMPILED, {"type": "Strip", "strip_left": True, "strip_right": True},
                                            {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}),
    "BertNormalizer behind NFC": sequence("normalizers", {"type": "NFC"}, {
        "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}),
}
PRE_TOKENIZERS = {
    **{name: {"type": name} for name in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer")},
    **{f"Digits {one}": {"type": "Digits", "individual_digits": one} for one in (True, False)},
    **{f"Punctuation {b}": {"type": "Punctuation", "behavior": b} for b in BEHAVIORS},
    **{f"Split string {b} {i}": split({"String": "-"}, b, i) for b in BEHAVIORS for i in (False, True)},
    **{f"Split regex {b} {i}": split({"Regex": r"\p{N}+|\s"}, b, i) for b in BEHAVIORS for i in (False, True)},
    "GPT-2": split({"Regex": GPT2}), "Llama 3": split({"Regex": LLAMA3}), "Qwen 2": split({"Regex": QWEN2}),
    "Qwen 2 inverted": split({"Regex": QWEN2}, "Removed", True),
    "BLOOM": split({"Regex": BLOOM}), "DeepSeek": split({"Regex": DEEPSEEK}), "cl100k": split({"Regex": CL100K}), "o200k": split({"Regex": O200K}),
    "word classes": split({"Regex": r"\w+|[^\w\s]+|\d"}, "MergedWithNext"), "look-behind": split({"Regex": r"(?<=[a-z])(?=[^a-z])|^\S|$"}),
    "negated classes": split({"Regex": r"[^\S\n]+|\P{L}|\D\p{^Lu}"}, "Contiguous"), "code points": split({"Regex": r"[\x{4e00}-\x{9fff}\u3042]|\x41|\.|\-"}),
    **{f"Metaspace {scheme} {cut}": metaspace(scheme, cut) for scheme in ("always", "first", "never") for cut in (True, False)},
    **{f"ByteLevel {prefix} {regex}": byte_level(prefix, True, regex) for prefix in (True, False) for regex in (True, False)},
    "CharDelimiterSplit": {"type": "CharDelimiterSplit", "delimiter": "-"}, "FixedLength": {"type": "FixedLength", "length": 3},
    "WhitespaceSplit, Metaspace": sequence("pretokenizers", {"type": "WhitespaceSplit"}, metaspace("always", True)),
    "Digits, Metaspace first": sequence("pretokenizers", {"type": "Digits", "individual_digits": True}, metaspace("first", False)),
    "Qwen 2, ByteLevel": sequence("pretokenizers", split({"Regex": QWEN2}), byte_level(regex=False)),
    "Llama 3, ByteLevel": sequence("pretokenizers", split({"Regex": LLAMA3}), byte_level(regex=False)),
    "Punctuation, Digits, ByteLevel": sequence("pretokenizers", {"type": "Punctuation", "behavior": "Isolated"},
                                               {"type": "Digits", "individual_digits": True}, byte_level(True)),
}
UNIGRAM = [["<unk>", 0.0], ["\u2581", -2.0], ["\u2581the", -3.0], ["th", -3.5], ["e", -2.5], ["he", -3.1], ["a", -2.2], ["ab", -2.9], ["abc", -3.3],
           ["b", -3.0], ["c", -3.0], ["\u2581a", -2.4], ["in", -3.0], ["ing", -3.2], ["n", -2.6], ["\u4e2d", -5.0], ["\u4e2d\u6587", -6.0],
           ["~$", -7.0], ["\u732b", -5.5], ["o", -2.8], ["er", -3.0], ["r", -3.3], ["t", -3.1], ["h", -3.4], ["\u00e9\u00e9", -4.0]]
WORDS = {"type": "WhitespaceSplit"}
AFFIXES = [("t", "##h"), ("th", "##e</w>"), ("##a", "##b"), ("i", "##n</w>")]
MODELS = {
    "merges": (bpe(tokens(merged(PIECES)), PIECES), WORDS),
    "merges, fuse_unk": (bpe(tokens(merged(PIECES)), PIECES, fuse_unk=True), WORDS),
    "merges, no unk": (bpe(tokens(merged(PIECES)), PIECES, unk_token=None), WORDS),
    "merges, byte_fallback": (bpe(tokens(merged(PIECES) + BYTES), PIECES, byte_fallback=True, fuse_unk=True), metaspace("first", False)),
    "merges, some bytes": (bpe(tokens(merged(PIECES) + BYTES[:0xE0]), PIECES, byte_fallback=True), WORDS),
    "merges, ignore_merges": (bpe(tokens(merged(PIECES) + ["dog,", "quick", "the"]), PIECES, ignore_merges=True), WORDS),
    "merges, affixes": (bpe(tokens(["##" + c for c in string.ascii_letters] + [c + "</w>" for c in string.ascii_letters]
                                   + ["##" + c + "</w>" for c in string.ascii_letters] + ["th", "the</w>", "##ab", "in</w>"]),
                            AFFIXES, continuing_subword_prefix="##", end_of_word_suffix="</w>"), WORDS),
    "Unigram": ({"type": "Unigram", "unk_id": 0, "byte_fallback": False, "vocab": UNIGRAM}, metaspace("always", True)),
    "Unigram, whole text": ({"type": "Unigram", "unk_id": 0, "byte_fallback": False, "vocab": UNIGRAM}, None),
    "Unigram, byte_fallback": ({"type": "Unigram", "unk_id": 0, "byte_fallback": True, "vocab": UNIGRAM + [[b, -20.0] for b in BYTES]}, metaspace("never", False)),
    "Unigram, no unk": ({"type": "Unigram", "unk_id": None, "byte_fallback": False, "vocab": UNIGRAM}, WORDS),
}
ROBERTA = {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 1]}
TEMPLATE = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}}
PROCESSORS = {
    **{f"RobertaProcessing {trim} {prefix}": ROBERTA | {"trim_offsets": trim, "add_prefix_space": prefix}
       for trim, prefix in itertools.product((True, False), (True, False))},
    "ByteLevel True": byte_level(True), "ByteLevel False": byte_level(False),
    "ByteLevel, TemplateProcessing": sequence("processors", byte_level(True), TEMPLATE),
    "BertProcessing": {"type": "BertProcessing", "sep": ["</s>", 2], "cls": ["<s>", 1]},
}
REPLACE = {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}
DECODERS = {
    "none": None, "Fuse": {"type": "Fuse"}, "ByteLevel": byte_level(), "ByteFallback": {"type": "ByteFallback"},
    "WordPiece": {"type": "WordPiece", "prefix": "a", "cleanup": True}, "WordPiece, no cleanup": {"type": "WordPiece", "prefix": "##", "cleanup": False},
    "BPEDecoder": {"type": "BPEDecoder", "suffix": "e"}, "Metaspace always": metaspace("always", True), "Metaspace never": metaspace("never", True),
    "Replace regex": {"type": "Replace", "pattern": {"Regex": "[a-f]"}, "content": "<>"},
    "Llama": sequence("decoders", REPLACE, *named("ByteFallback", "Fuse"), {"type": "Strip", "content": " ", "start": 1, "stop": 0}),
    "Strip": sequence("decoders", *named("Fuse"), {"type": "Strip", "content": " ", "start": 2, "stop": 1}),
}


def trained(prefix):
    """A byte-level BPE model of a few hundred merges."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    trainer = trainers.BpeTrainer(vocab_size=420, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False,
                                  special_tokens=["<unk>", "<s>", "</s>", "<m>"], min_frequency=1)
    tokenizer.train_from_iterator(SENTENCES * 3, trainer)
    return tokenizer


PLAIN = dict(version="1.0", truncation=None, padding=None, added_tokens=SPECIAL, normalizer=None, pre_tokenizer=None,
             post_processor=None, decoder=None, model=CHARACTERS)


def small_tokenizers():
    """{name: tokenizer.json as an object}"""
    plain, made = PLAIN, {}
    for name, stage in NORMALIZERS.items():
        made["normalizer " + name] = plain | dict(normalizer=stage, pre_tokenizer=WORDS, decoder={"type": "Fuse"})
    for name, stage in PRE_TOKENIZERS.items():
        made["pre_tokenizer " + name] = plain | dict(pre_tokenizer=stage, decoder={"type": "Fuse"})
    for name, (model, words) in MODELS.items():
        made["model " + name] = plain | dict(model=model, pre_tokenizer=words, decoder={"type": "ByteFallback"})
    for name, stage in PROCESSORS.items():
        made["post_processor " + name] = plain | dict(pre_tokenizer=byte_level(True), post_processor=stage, decoder=byte_level())
    for name, stage in DECODERS.items():
        words = sequence("pretokenizers", {"type": "Digits", "individual_digits": False}, metaspace("always", True))
        made["decoder " + name] = plain | dict(
            decoder=stage, pre_tokenizer=byte_level() if name == "ByteLevel" else words,
            model=bpe(tokens(merged(PIECES) + BYTES), PIECES, byte_fallback=True))
    quotes = [{"type": "Replace", "pattern": {"String": quote}, "content": '"'} for quote in ("``", "''")]
    runs = {"type": "Replace", "pattern": {"Regex": " {2,}"}}
    made["ALBERT"] = plain | dict(
        model=MODELS["Unigram"][0], pre_tokenizer=sequence("pretokenizers", WORDS, metaspace("always", True)),
        normalizer=sequence("normalizers", *quotes, *named("NFKD", "StripAccents", "Lowercase"), PRECOMPILED, runs | {"content": " "}))
    made["XLM-RoBERTa"] = plain | dict(
        model=MODELS["Unigram"][0], pre_tokenizer=metaspace("always", True),
        normalizer=sequence("normalizers", PRECOMPILED, {"type": "Strip", "strip_left": False, "strip_right": True}, runs | {"content": "\u2581"}))
    made["Big Bird"] = plain | dict(
        model=MODELS["Unigram"][0], pre_tokenizer=metaspace("always", True), decoder=metaspace("always", True), post_processor=TEMPLATE,
        normalizer=sequence("normalizers", {"type": "Strip", "strip_left": False, "strip_right": False}, runs | {"content": "\u2581"}))
    words = added("quick", normalized=True, single_word=True), added("CAF\u00c9", normalized=True, rstrip=True), added("\u2581x", normalized=True)
    made["normalized added tokens"] = plain | dict(
        added_tokens=SPECIAL + list(words), normalizer=sequence("normalizers", *named("NFKD", "StripAccents", "Lowercase")),
        pre_tokenizer=metaspace("first", True), decoder={"type": "Fuse"})
    for prefix in (False, True):
        model = json.loads(trained(prefix).to_str())["model"]
        made[f"GPT-2 {prefix}"] = plain | dict(model=model, pre_tokenizer=byte_level(prefix), post_processor=byte_level(prefix, True), decoder=byte_level())
        made[f"RoBERTa {prefix}"] = plain | dict(model=model, pre_tokenizer=byte_level(prefix), decoder=byte_level(),
                                                 post_processor=ROBERTA | {"trim_offsets": True, "add_prefix_space": prefix})
    for name, regex in (("Llama 3", LLAMA3), ("Qwen 2", QWEN2), ("o200k", O200K)):
        made[name] = plain | dict(model=model | {"ignore_merges": name != "o200k"}, normalizer={"type": "NFC"} if name == "Qwen 2" else None, decoder=byte_level(),
                                  pre_tokenizer=sequence("pretokenizers", split({"Regex": regex}), byte_level(regex=False)),
                                  post_processor=sequence("processors", byte_level(True, False), TEMPLATE))
    return made


def random_cases(count, seed=5):
    """Strings of pieces of the texts and of any code points."""
    rng = random.Random(seed)
    pool = [c for text in TEXTS for c in text] + TEXTS[3:] + ["<m>", "<s>", " <m>", "quick", "CAF\u00c9", "the", "  ", "'s", "\r\n"]
    for _ in range(count):
        some = [rng.choice(pool) if rng.random() < 0.97 else chr(rng.choice([*range(0xD800), *range(0xE000, 0x11000)]) if rng.random() < 0.8 else rng.randrange(0x10000, 0x20000))
                for _ in range(rng.randint(0, 25))]
        yield "".join(some)
